#include "repl/commands/completion.h"

#include <algorithm>
#include <utility>

#include "core/model/attachments.h"
#include "core/project/own_commands.h"
#include "repl/commands/table.h"
#include "repl/layout/sanitize.h"
#include "repl/session/delegation.h"
#include "repl/session/session.h"

namespace skein::commands {

namespace {

// Nothing must follow a command whose arguments may be left out.
bool is_whole(std::string_view arguments) {
  return arguments.empty() || arguments.starts_with('[');
}

prompt::Choice named(std::string_view name, std::string_view arguments, std::string_view about) {
  return {.text = "/" + std::string(name) + (arguments.empty() ? "" : " "),
          .about = std::string(about),
          .letters = std::string(name),
          .whole = is_whole(arguments)};
}

std::vector<prompt::Choice> command_names(Session& session) {
  std::vector<prompt::Choice> out;
  for (const Command& command : commands())
    out.push_back(named(command.name, command.arguments, command.help));
  for (const project::OwnCommand& own : own_commands(session)) {
    const project::CommandWords words = project::words_of(project::read_markdown(own.path));
    out.push_back(named(own.name, words.hint.empty() ? "[]" : words.hint, words.description));
  }
  // What a server calls its own must not drive the terminal.
  for (const session::ServerPrompt& prompt : session.services().server_prompts())
    if (layout::sanitized_row(prompt.name) == prompt.name)
      out.push_back(named(prompt.name, prompt.hint,
                          prompt.description.substr(0, prompt.description.find('\n'))));
  std::ranges::stable_sort(out, {}, [](const prompt::Choice& each) {
    return std::pair(use_of(each.letters), std::string_view(each.letters));
  });
  return out;
}

// Files by their paths, and resources of servers.
std::vector<prompt::Choice> file_names(Session& session) {
  std::vector<std::string> files = session.services().files();
  for (const std::string& name : session.services().server_resources())
    if (layout::sanitized_row(name) == name) files.push_back(name);
  std::vector<prompt::Choice> out;
  for (const std::string& name : files)
    out.push_back({.text = model::mention(name), .letters = name});
  return out;
}

// At the beginning of a prompt sub-agents can be named as well.
std::vector<prompt::Choice> names_to_begin_with(Session& session) {
  std::vector<prompt::Choice> out = file_names(session);
  for (const session::KnownAgent& each : session.services().known_agents()) {
    const std::string name = session::agent_mention(each.name);
    out.push_back({.text = name + " ",
                   .about = layout::sanitized_row(each.description),
                   .letters = name.substr(1)});
  }
  return out;
}

std::vector<prompt::Choice> arguments_of(Session& session, const Command& command,
                                         std::string_view start) {
  std::vector<prompt::Choice> out;
  for (std::string& text : command.complete(session, start))
    out.push_back({.text = std::move(text)});
  if (command.describe != nullptr) command.describe(session, out);
  return out;
}

}  // namespace

prompt::Completion complete(Session& session, std::string_view line) {
  const std::size_t word = line.find_last_of(" \t\n") + 1;
  if (line.substr(word).starts_with('@'))
    return {.key = std::string(line.substr(0, word + 1)),
            .from = word,
            .letters = word + 1,
            .eager = true,
            .choices = [&session, word] {
              return word == 0 ? names_to_begin_with(session) : file_names(session);
            }};
  if (!line.starts_with('/')) return {};
  const std::size_t space = line.find(' ');
  if (space == std::string_view::npos)
    return {.key = "/", .letters = 1, .eager = true, .choices = [&session] {
              return command_names(session);
            }};
  const Command* command = find_command(line.substr(1, space - 1));
  if (command == nullptr || command->complete == nullptr) return {};
  // The words before the last decide what that can be; #n is a prompt by its number.
  const std::size_t before = line.substr(space + 1).starts_with('#') ? space + 2 : word;
  return {.key = std::string(line.substr(0, before)),
          .from = space + 1,
          .letters = space + 1,
          .choices = [&session, command,
                      start = std::string(line.substr(space + 1, before - space - 1))] {
            return arguments_of(session, *command, start);
          }};
}

std::string hint_for(Session& session, std::string_view line) {
  if (!line.starts_with('/') || line.find(' ') != std::string_view::npos) return {};
  if (const Command* command = find_command(line.substr(1)))
    return command->arguments.empty() ? "" : " " + std::string(command->arguments);
  for (const session::ServerPrompt& prompt : session.services().server_prompts())
    if (prompt.name == line.substr(1))
      return prompt.hint.empty() ? "" : " " + layout::sanitized_row(prompt.hint);
  const auto own = project::find_own(session.services().own_commands(), line.substr(1));
  if (!own) return {};
  const std::string hint = project::words_of(project::read_markdown(own->path)).hint;
  return hint.empty() ? "" : " " + layout::sanitized_row(hint);
}

}  // namespace skein::commands
