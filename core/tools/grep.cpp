// grep: the lines of the workspace that match a regular expression.

#include "core/text/base.h"
#include "core/text/encoding.h"
#include "core/text/io.h"
#include "core/text/pattern.h"
#include "core/text/text.h"
#include "core/tools/arguments.h"
#include "core/tools/tools.h"
#include "core/workspace/tree_walk.h"

namespace skein::tools {

using workspace::EntryKind, workspace::walk_tree, workspace::WalkControl, workspace::Walked;

namespace {

constexpr std::size_t longest_line = 400;

using Clock = std::chrono::steady_clock;

class Search {
 public:
  Search(const Root& root, const Regex& regex, const ToolLimits& limits, const ToolPorts& ports)
      : root_(root), regex_(regex), limits_(limits), ports_(ports) {}

  WalkControl file(const std::string& path, const FilePlace& place) {
    const OpenedFile file = root_.open_file(place);
    if (!file) return WalkControl::go_on;
    if (is_over()) return WalkControl::stop;
    if (ports_.denied && file.info.st_nlink > 1) {  // another of its names may be a forbidden one
      left_out_ = true;
      return WalkControl::go_on;
    }
    auto bytes = read_all(file.fd.get(), limits_.grep_file_bytes);
    if (!bytes) {
      ++too_large_;
      return WalkControl::go_on;
    }
    if (looks_binary(*bytes)) return WalkControl::go_on;
    if (!is_valid_utf8(*bytes)) *bytes = valid_utf8(*bytes);  // a stray byte is a character too
    ++files_;
    return text(path, *bytes);
  }

  // Searched only if the call names the file, and then the user is asked.
  bool is_secret(const std::string& path) {
    const bool secret = root_.withheld() != nullptr && !root_.withheld()->secret(path).empty();
    secrets_ += secret ? 1 : 0;
    return secret;
  }

  workspace::WalkOptions options() { return {.denied = noting_denied(ports_, left_out_)}; }

  std::string result() const {
    std::string notes;
    if (lines_ == 0) notes = "[no line matches in " + counted(files_, "file") + "]\n";
    if (!ended_by_.empty()) notes += "[" + ended_by_ + ": there may be more]\n";
    if (too_large_ > 0)
      notes += "[" + counted(too_large_, "file") + " larger than " +
               with_separators(limits_.grep_file_bytes) + " bytes left out]\n";
    if (in_pieces_ > 0)
      notes += "[searched in pieces: " + counted(in_pieces_, "very long line") +
               "; a match of more than " + with_separators(regex_.piece_bytes() / 2) +
               " bytes may be missing]\n";
    if (secrets_ > 0)
      notes += "[" + counted(secrets_, "file") +
               " that may hold secrets left out; name one to search it]\n";
    if (left_out_) notes += "[files that the user's rules forbid, or may forbid, were left out]\n";
    return valid_utf8(out_) + notes;
  }

 private:
  WalkControl text(const std::string& path, std::string_view rest) {
    const std::string& needle = regex_.required();
    std::size_t number = 1;
    while (!rest.empty()) {
      // Straight to the line of the next candidate, if there is something to look for.
      if (!needle.empty()) {
        const std::size_t hit = rest.find(needle);
        if (hit == std::string_view::npos) break;
        const std::size_t line = rest.substr(0, hit).rfind('\n') + 1;  // npos + 1 is 0
        number += static_cast<std::size_t>(
            std::count(rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(line), '\n'));
        rest.remove_prefix(line);
      }
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      std::string_view line = rest.substr(0, end);
      if (line.ends_with('\r')) line.remove_suffix(1);
      const bool found = regex_.found_in(line, [this] { return is_over(); });
      if (found && !add(path, number, line)) return WalkControl::stop;
      if (is_over()) return WalkControl::stop;
      if (!found && line.size() > regex_.piece_bytes()) ++in_pieces_;
      rest.remove_prefix(std::min(end + 1, rest.size()));
      ++number;
    }
    return WalkControl::go_on;
  }

  bool add(const std::string& path, std::size_t number, std::string_view line) {
    const std::string_view shown = utf8_prefix(line, longest_line);
    std::string hit = path + ":" + std::to_string(number) + ":" + std::string(shown) +
                      (shown.size() < line.size() ? " …" : "") + "\n";
    if (lines_ >= limits_.grep_lines || out_.size() + hit.size() > limits_.result_bytes) {
      ended_by_ = "the first " + std::to_string(lines_) + " lines";
      return false;
    }
    out_ += hit;
    ++lines_;
    return true;
  }

  bool is_over() {
    if (ports_.stopped()) ended_by_ = "stopped";
    if (Clock::now() > end_) ended_by_ = "timed out";
    return !ended_by_.empty();
  }

  const Root& root_;
  const Regex& regex_;
  const ToolLimits& limits_;
  const ToolPorts& ports_;
  const Clock::time_point end_ = Clock::now() + limits_.grep_time;
  std::string out_, ended_by_;
  std::size_t lines_ = 0, files_ = 0, too_large_ = 0, in_pieces_ = 0, secrets_ = 0;
  bool left_out_ = false;  // something that a rule forbids, or may forbid
};

ToolOutcome run_grep(const Root& root, const ToolLimits& limits, const JsonText& input,
                     const ToolPorts& ports) {
  Arguments arguments(input);
  const std::string pattern = arguments.text("pattern");
  const std::string path = arguments.text("path", ".");
  const std::string include = arguments.text("include", "");
  const auto letter_case =
      arguments.flag("ignore_case") ? Regex::Case::ignored : Regex::Case::sensitive;
  if (!arguments.complaint().empty()) return tool_failure(arguments.complaint());
  const auto compiled = Regex::compile(pattern, letter_case);
  if (const auto* problem = std::get_if<std::string>(&compiled)) return tool_failure(*problem);

  Search search(root, std::get<Regex>(compiled), limits, ports);
  const FilePlace place = judged_place(root, path, ports);
  if (!place) return tool_failure(place.refusal);
  if (root.open_file(place)) {
    search.file(root.shown(path), place);
    return tool_text(search.result());
  }
  const bool by_path = include.find('/') != std::string::npos;
  const std::string refusal =
      walk_tree(root, path, place, search.options(), [&](const Walked& found) {
        if (ports.stopped()) return WalkControl::stop;
        if (found.kind != EntryKind::file) return WalkControl::go_on;
        const std::string& subject = by_path ? found.path : found.place.name;
        if (!include.empty() && !glob_match(include, subject)) return WalkControl::go_on;
        if (search.is_secret(found.path)) return WalkControl::go_on;
        return search.file(found.path, found.place);
      });
  return refusal.empty() ? tool_text(search.result()) : tool_failure(refusal);
}

}  // namespace

Tool grep_tool(const Roots& roots, const ToolLimits& limits) {
  Tool tool =
      path_tool("grep", model::Argument::Kind::tree, Effect::reads, roots, limits, run_grep);
  tool.description =
      "Search the files in the workspace for lines that match a regular expression; returns "
      "path:line:text. Binary files and files ignored by git are left out.";
  tool.schema = schema_of(
      "pattern", {{"pattern", "string", "regular expression, matched line by line"},
                  {"path", "string",
                   "file or folder to search, relative to the workspace; default: everything"},
                  {"include", "string",
                   "only files whose name (or path, if it contains a slash) matches this glob, "
                   "such as *.cpp or src/**/*.h"},
                  {"ignore_case", "boolean"}});
  tool.concurrent = true;
  tool.title = [](const JsonText& input) {
    Arguments arguments(input);
    return one_line("grep", arguments.text("pattern", "") + " " + arguments.text("path", ""));
  };
  tool.forbidden_with = "read";
  return tool;
}

}  // namespace skein::tools
