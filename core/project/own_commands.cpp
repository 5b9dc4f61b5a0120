#include "core/project/own_commands.h"

#include "core/model/entry.h"
#include "core/model/tool.h"
#include "core/permission/shell_words.h"
#include "core/project/command_text.h"
#include "core/project/skill.h"
#include "core/text/checksum.h"
#include "core/text/text.h"

namespace skein::project {

namespace {

// "git/commit.md" is "git:commit"; empty: a part of it cannot be typed as a command.
std::string command_name(std::string_view below) {
  std::string name(below.substr(0, below.size() - std::string_view(".md").size()));
  for (char& c : name)
    if (c == '/')
      c = ':';
    else if (!is_alphanumeric(c) && c != '_' && c != '-')
      return {};
  return name.starts_with(':') || name.ends_with(':') ? "" : name;
}

constexpr std::size_t most_output = 30'000;

// Smaller counts first.
auto rank(const OwnCommand& command) {
  return std::tuple(!command.trusted, command.skill_folder.empty(), !command.of_project);
}

// `grep` that finds nothing has done its work.
bool may_say_no(const std::string& command) {
  const permission::ShellLine line = permission::parse_shell_line(command);
  if (!line.doubt.empty() || line.commands.empty()) return false;
  return has_word("grep egrep fgrep rg diff test [", line.commands.back().front().text);
}

std::string output_of(const std::string& command, const std::vector<std::string>& temporary_rules,
                      const RenderPorts& ports) {
  const ShellRun done = ports.run(command, temporary_rules);
  if (!done.run)
    throw Error("nothing was sent: `" + command + "` was not run: " + done.text, ExitStatus::turn);
  if (done.status != 0 && !(done.status == 1 && may_say_no(command)))
    throw Error("nothing was sent: `" + command + "` failed:\n" + done.text, ExitStatus::turn);
  const std::string text = valid_utf8(done.text);
  if (text.size() <= most_output) return text;
  return std::string(utf8_prefix(text, most_output)) + "\n[cut after 30,000 characters]";
}

}  // namespace

std::vector<CommandFile> find_commands(const Places& places) {
  std::vector<CommandFile> out;
  for (const OwnFolder& folder : command_folders(places))
    for (FoundMarkdown& file : markdown_files(folder, places))
      if (std::string name = command_name(file.below); !name.empty())
        out.push_back({std::move(name), std::move(file.path), folder.of_project});
  return out;
}

CommandWords words_of(const MarkdownFile& file) {
  CommandWords words{in_one_line(file.front.text("description")),
                     in_one_line(file.front.text("argument-hint"))};
  if (words.description.empty()) words.description = file.first_paragraph();
  // YAML takes `[file]` for a list of one.
  const FrontMatter::Field* hint = file.front.find("argument-hint");
  if (hint != nullptr && hint->value.index() == 1) words.hint = "[" + words.hint + "]";
  constexpr std::size_t shown = 300;
  words.description = std::string(utf8_prefix(words.description, shown));
  words.hint = std::string(utf8_prefix(words.hint, shown));
  return words;
}

CommandWords words_of(const OwnCommand& command) { return words_of(read_markdown(command.path)); }

std::vector<OwnCommand> by_name(std::vector<OwnCommand> all) {
  std::ranges::stable_sort(all, {}, [](const OwnCommand& each) {
    return std::tuple(std::string_view(each.name), rank(each));
  });
  all.erase(std::ranges::unique(all, {}, &OwnCommand::name).begin(), all.end());
  return all;
}

std::optional<OwnCommand> find_own(const std::vector<OwnCommand>& all, std::string_view name) {
  const auto best = [&](auto&& fits) -> std::optional<OwnCommand> {
    auto fitting = all | std::views::filter(fits);
    const auto found = std::ranges::min_element(fitting, {}, rank);
    return found == fitting.end() ? std::nullopt : std::optional(*found);
  };
  if (auto found = best([&](const OwnCommand& each) { return each.name == name; })) return found;
  for (const bool of_project : {true, false}) {
    const std::string_view prefix = of_project ? "project:" : "user:";
    if (!name.starts_with(prefix)) continue;
    return best([&](const OwnCommand& each) {
      return each.of_project == of_project && each.name == name.substr(prefix.size());
    });
  }
  return std::nullopt;
}

bool needs_trust(const MarkdownFile& file) {
  return file.front.find("allowed-tools") != nullptr ||
         std::ranges::any_of(fill_in(file.body(), {}), &CommandPiece::is_shell);
}

RenderedCommand render(const OwnCommand& command, const MarkdownFile& file,
                       std::string_view arguments, const RenderPorts& ports) {
  if (!file.refusal.empty())
    throw Error("/" + command.name + " cannot be read: " + command.path + ": " + file.refusal,
                ExitStatus::usage);
  RenderedCommand out;
  // Who is asked decides who gets the conversation, and what it costs.
  if (command.trusted) {
    out.temporary_rules = file.front.list("allowed-tools", ", ");
    out.model = file.front.text("model");
    out.effort = file.front.text("effort");
  }
  const CommandValues values{.typed = std::string(arguments),
                             .names = file.front.list("arguments", ", "),
                             .session = ports.session,
                             .skill_folder = command.skill_folder,
                             .project_folder = ports.project_folder};
  for (const CommandPiece& piece : fill_in(valid_utf8(file.body()), values)) {
    if (piece.is_shell && !command.trusted)
      throw Error("/" + command.name + " runs commands, and " + command.path +
                      " is not trusted (`skein trust` shows it and lets it run them)",
                  ExitStatus::turn);
    out.text += piece.is_shell ? output_of(piece.text, out.temporary_rules, ports) : piece.text;
    // What a command printed names no files.
    out.mentions += piece.is_shell ? "\n" : piece.text;
  }
  if (const std::string agent = agent_for(file, ports.agents); !agent.empty())
    out.text = model::handing_on(agent, out.text);
  if (file.front.find("hooks") != nullptr)
    out.remarks.push_back("/" + command.name + " has hooks in its front matter, which do not run");
  out.meta = model::command_meta(command.name, std::string(arguments), command.path,
                                 sha256_hex(file.text));
  return out;
}

}  // namespace skein::project
