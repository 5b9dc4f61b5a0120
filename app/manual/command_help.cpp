// `skein help`: what the program says of its options and subcommands, in the usual form.

#include "app/manual/pages.h"
#include "core/text/text.h"
#include "repl/layout/flow.h"
#include "repl/layout/width.h"

namespace skein::manual {

using app::OptionRow, app::Subcommand;

namespace {

constexpr std::size_t help_column = 28;

std::string row_of(std::string_view tag, std::string_view help, std::size_t width) {
  std::string out = "  " + std::string(tag);
  const std::size_t columns = layout::display_width(out);
  if (help.empty()) return out + "\n";
  out += columns + 2 > help_column ? "\n" + std::string(help_column, ' ')
                                   : std::string(help_column - columns, ' ');
  return out + layout::hanging(help, help_column, width) + "\n";
}

std::string options_in(std::span<const OptionRow> rows, std::size_t width) {
  std::string out = "\nOptions:\n";
  for (const OptionRow& row : rows)
    out += row_of((row.names.front().starts_with("--") ? "    " : "") + tag_of(row),
                  row.help + (row.environment.empty() ? "" : " ($" + row.environment + ")"), width);
  return out;
}

std::string usage_of(const Subcommand& row) {
  std::string out = "skein " + std::string(row.name);
  if (!row.flags.empty()) out += " [OPTION…]";
  return out + (row.arguments.empty() ? "" : " ") + std::string(row.arguments);
}

// What the page of all commands says under the heading of one, by its lines.
std::vector<std::string_view> section_of(std::string_view command) {
  const std::string_view page = find_page("skein")->text;
  const std::string heading = "\n### " + std::string(command) + "\n";
  std::size_t at = page.find(heading);
  if (at == std::string_view::npos) return {};
  at += heading.size();
  return split(page.substr(at, page.find("\n#", at) - at), '\n');
}

}  // namespace

std::string tag_of(const OptionRow& row) {
  std::string tag = listed(row.names);
  if (!row.value.empty())
    tag += row.value_may_be_left_out ? " [" + row.value + "]" : " " + row.value;
  return tag;
}

std::string command_help(const Subcommand& row, std::size_t width) {
  std::string out = "usage: " + usage_of(row) + "\n\n" + layout::wrapped(row.help, width) + "\n";
  if (!row.flags.empty()) out += options_in(row.flags, width);
  const std::string below = std::string(row.name) + " ";
  std::string commands;
  for (const Subcommand& each : app::subcommands())
    if (each.name.starts_with(below))
      commands += row_of(each.name.substr(below.size()), each.help, width);
  if (!commands.empty()) out += "\nCommands (skein " + below + "COMMAND):\n" + commands;
  std::string said, examples, codes = "0 success, 2 wrong usage, 3 storage, 4 no such session";
  bool code = false;
  constexpr std::string_view exit_codes = "Exit codes: ";
  for (const std::string_view line : section_of(row.name))
    if (line.starts_with("```"))
      code = !code;
    else if (code)
      examples += "  " + std::string(line) + "\n";
    else if (line.starts_with(exit_codes))
      codes = trimmed(line.substr(exit_codes.size()), ".");
    else if (!line.empty())
      said += std::string(line) + "\n";
  if (!said.empty()) out += "\n" + layout::wrapped(said, width);
  return out + "\nExamples:\n" + examples + "\n" +
         layout::wrapped(std::string(exit_codes) + codes + ". `skein help scripting` has all.",
                         width) +
         "\n";
}

std::string overview(bool with_options, std::size_t width) {
  std::string out =
      "usage: skein [OPTION…] [PROMPT…]\n       skein -p [OPTION…] PROMPT…\n"
      "       skein COMMAND [ARGUMENT…]\n";
  if (with_options) out += options_in(app::options(), width);
  std::string_view group;
  for (const std::string_view line : split(find_page("skein")->text, '\n')) {
    if (line.starts_with("## ")) group = line.substr(3);
    if (!line.starts_with("### ")) continue;
    const auto row = std::ranges::find(app::subcommands(), line.substr(4), &Subcommand::name);
    if (row == app::subcommands().end() || row->name.find(' ') != std::string_view::npos) continue;
    if (!group.empty()) out += "\n" + std::string(group) + ":\n";
    group = {};
    out += row_of(row->name, row->help, width);
  }
  out += "\nTopics (skein help TOPIC):\n";
  for (const Page& page : pages()) out += row_of(page.name, page.title(), width);
  return out + "\n" +
         layout::wrapped(
             std::string(with_options ? "" : "`skein --help` also lists the options. ") +
                 "`skein help COMMAND` shows options, examples and exit codes of a command, "
                 "`skein help config` the keys of the configuration.",
             width) +
         "\n";
}

}  // namespace skein::manual
