#include "repl/commands/completion.h"

#include <algorithm>

#include "core/model/attachments.h"
#include "core/project/own_commands.h"
#include "repl/commands/table.h"
#include "repl/layout/sanitize.h"
#include "repl/pick/fuzzy.h"
#include "repl/session/session.h"

namespace skein::commands {

namespace {

constexpr std::size_t most_choices = 200;

prompt::Completion command_names(Session& session, std::string_view start) {
  prompt::Completion out;
  for (const Command& command : commands())
    if (command.name.starts_with(start.substr(1)))
      out.choices.push_back("/" + std::string(command.name) +
                            (command.arguments.empty() ? "" : " "));
  for (const project::OwnCommand& own : own_commands(session))
    if (own.name.starts_with(start.substr(1))) out.choices.push_back("/" + own.name + " ");
  for (const session::ServerPrompt& prompt : session.services().server_prompts())
    if (prompt.name.starts_with(start.substr(1)))
      out.choices.push_back("/" + prompt.name + (prompt.hint.empty() ? "" : " "));
  std::ranges::sort(out.choices);
  return out;
}

// Files whose path contains these letters, in this order but with gaps; and resources of servers.
prompt::Completion file_names(Session& session, std::size_t from, std::string_view letters) {
  std::vector<std::string> files = session.services().files();
  // What a server calls its own must not drive the terminal.
  for (const std::string& name : session.services().server_resources())
    if (layout::sanitized_row(name) == name) files.push_back(name);
  prompt::Completion out{.from = from};
  for (const std::size_t i : pick::fuzzy_filter(letters, files)) {
    if (out.choices.size() == most_choices) break;
    out.choices.push_back(model::mention(files[i]));
  }
  return out;
}

}  // namespace

prompt::Completion complete(Session& session, std::string_view line) {
  const std::size_t word = line.find_last_of(" \t\n") + 1;
  if (line.substr(word).starts_with('@')) return file_names(session, word, line.substr(word + 1));
  if (!line.starts_with('/')) return {};
  const std::size_t space = line.find(' ');
  if (space == std::string_view::npos) return command_names(session, line);
  const Command* command = find_command(line.substr(1, space - 1));
  if (command == nullptr || command->complete == nullptr) return {};
  return {.from = space + 1, .choices = command->complete(session, line.substr(space + 1))};
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
