#include "repl/screen/tool_view.h"

#include <algorithm>
#include <vector>

#include "core/text/amounts.h"
#include "core/text/text.h"
#include "repl/layout/flow.h"
#include "repl/layout/sanitize.h"
#include "repl/layout/width.h"
#include "repl/screen/markdown/highlight.h"

namespace skein::screen {

namespace style = layout::style;
using layout::display_width, layout::fit, layout::painted, layout::sanitized, layout::sanitized_row;

namespace {

constexpr std::size_t shown_lines = 6, shown_diff_lines = 16;
constexpr std::size_t longest_title = 400;
constexpr std::string_view refused_label = "refused: ";

// A lone CR overwrites its line, as progress counters do.
std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> out;
  for (std::string_view line : split(text, '\n')) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    out.push_back(sanitized(line.substr(line.rfind('\r') + 1)));  // npos + 1 is 0
  }
  return out;
}

std::string text_of(const model::ToolResult& result) {
  std::string out;
  for (const model::ResultBlock& block : result.content) {
    if (!out.empty() && !out.ends_with('\n')) out += '\n';
    if (const auto* text = std::get_if<model::Text>(&block)) out += text->text;
    if (const auto* image = std::get_if<model::Image>(&block))
      out += "[image: " + image->mime_type + "]";
  }
  return out;
}

// Without the names of the files, which the title has, without line numbers, which a diff told from
// a call's input does not know, and without the remark on the last line end.
std::vector<std::string> changed_lines(const std::string& diff) {
  std::vector<std::string> out;
  for (std::string& line : lines_of(diff)) {
    if (line.starts_with("--- ") || line.starts_with("+++ ") || line.starts_with("\\ ")) continue;
    if (!line.starts_with("@@"))
      out.push_back(std::move(line));
    else if (!out.empty())
      out.emplace_back("…");
  }
  return out;
}

std::string counts_of(const std::vector<std::string>& diff) {
  const auto count = [&](char sign) {
    return std::to_string(
        std::ranges::count_if(diff, [=](auto& line) { return line.starts_with(sign); }));
  };
  return "+" + count('+') + " −" + count('-');
}

// Without keys there is a command. Where nobody can answer, nothing is said.
std::string how_to_unfold(const TerminalStyle& look) {
  if (look.live && !look.unfold_key.empty()) return std::string(look.unfold_key);
  return look.live || look.labels ? "/expand" : "";
}

struct Body {
  std::vector<std::string> lines{};
  bool diff = false;
  bool from_end = false;  // show the end if it is too long
  std::size_t most = shown_lines;
};

std::string painted_body(const Body& body, std::size_t width, const TerminalStyle& look,
                         bool& folds) {
  const std::size_t count = body.lines.size();
  folds = count > body.most;
  const std::size_t first = folds && body.from_end ? count - body.most : 0;
  const std::size_t last = folds && !body.from_end ? body.most : count;
  std::string out;
  const std::size_t hidden = count - (last - first);
  const std::string how = how_to_unfold(look);
  const std::string note =
      "  … " + counted(hidden, "more line") + (how.empty() ? "" : " (" + how + " shows all)");
  const std::string more = painted(width > 0 ? fit(note, width) : note, style::dim, look) + "\n";
  if (folds && body.from_end) out += more;
  for (std::size_t i = first; i < last; ++i) {
    const std::string& whole = body.lines[i];
    const std::string line = width > 2 ? fit(whole, width - 2) : whole;
    folds |= line.size() < whole.size();
    out += "  " +
           painted(line, body.diff ? markdown::style_of_diff_line(whole) : style::dim, look) + "\n";
  }
  if (count > body.most && !body.from_end) out += more;
  return out;
}

}  // namespace

std::string title_of(const model::ToolUse& call, const model::Tools* tools) {
  const model::Tool* tool = tools == nullptr ? nullptr : model::find_tool(*tools, call.name);
  const std::string title =
      tool != nullptr && tool->title ? tool->title(call.input) : call.name + " " + call.input;
  return sanitized_row(utf8_prefix(title, longest_title));
}

ToolView view_of(const ToolCallEnd& end, const model::Tools* tools, std::size_t width,
                 const TerminalStyle& look) {
  const model::Tool* tool =
      tools == nullptr || end.call == nullptr ? nullptr : model::find_tool(*tools, end.call->name);
  const bool failed = end.result.is_error;
  const std::string text = text_of(end.result);
  Body body{.lines = lines_of(text)};
  const bool refused = model::was_refused(end.result);
  std::string outcome = failed ? "failed" : counted(body.lines.size(), "line");
  if (refused) {
    outcome = sanitized_row(model::refusal_words(end.result));
    // The label says it already.
    if (look.labels) outcome = outcome.substr(std::min(outcome.size(), refused_label.size()));
    body.lines.clear();
  }

  ToolView view;
  view.folded.text = text;
  if (tool != nullptr && tool->diff && !failed && !model::was_amended(end.result)) {
    view.folded.text = tool->diff(end.call->input);
    view.folded.diff = true;
    body = {.lines = changed_lines(view.folded.text), .diff = true, .most = shown_diff_lines};
    view.folded.text.clear();
    for (const std::string& line : body.lines) view.folded.text += line + "\n";
    outcome = counts_of(body.lines);
    if (!end.with_diff) body.lines.clear();
  } else if (tool != nullptr && tool->effect == model::Effect::reads && !failed) {
    body.lines.clear();  // file contents are meant for the model
  } else {
    body.from_end = tool != nullptr && tool->effect != model::Effect::reads;
  }
  if (end.duration_ms > 0 && !refused) outcome += " · " + short_duration(end.duration_ms);

  const bool broke = failed && !refused;
  const std::string mark = look.labels ? (refused  ? std::string(refused_label)
                                          : failed ? "failed: "
                                                   : "done: ")
                           : refused   ? "○ "
                           : failed    ? "✗ "
                                       : "● ";
  if (width > 0) outcome = fit(outcome, std::max<std::size_t>(width / 2, 12));
  view.folded.title = end.call ? title_of(*end.call, tools) : "tool result";
  const std::size_t room = display_width(mark) + display_width(outcome) + 2;
  const std::string title =
      width == 0 ? view.folded.title : fit(view.folded.title, width > room ? width - room : 1);
  bool folds = false;
  view.shown = painted(mark,
                       broke     ? style::bad
                       : refused ? style::warning
                                 : style::good,
                       look) +
               title + "  " + painted(outcome, broke ? style::bad : style::dim, look) + "\n" +
               painted_body(body, width, look, folds);
  if (body.lines.empty() && !text.empty()) folds = true;
  if (!folds || refused) view.folded = {};
  return view;
}

std::string thinking_mark(const TerminalStyle& look) {
  return look.labels || !look.colour ? "thinking: " : "∴ ";
}

ToolView view_of_thinking(std::string_view thinking, std::size_t width, const TerminalStyle& look) {
  const std::vector<std::string> lines = lines_of(thinking);
  const auto first = std::ranges::find_if(
      lines, [](const std::string& line) { return line.find_first_not_of(" \t") != line.npos; });
  if (first == lines.end()) return {};
  const std::string mark = thinking_mark(look), how = how_to_unfold(look);
  std::string rest;
  if (lines.size() > 1)
    rest = "  … " + counted(lines.size(), "line") + (how.empty() ? "" : ", " + how + " shows");
  const std::size_t room = display_width(mark) + display_width(rest);
  const std::string line = width == 0 ? *first : fit(*first, width > room ? width - room : 1);
  ToolView view;
  view.shown = painted(mark + line + rest, style::dim | style::emphasis, look) + "\n";
  if (lines.size() > 1 || line != *first) view.folded = folded_thinking(thinking);
  return view;
}

Folded folded_thinking(std::string_view thinking) {
  return {.title = "thinking", .text = std::string(thinking), .prose = true};
}

std::string unfolded(const Folded& folded, std::size_t width, const TerminalStyle& look) {
  std::string out =
      painted((look.labels ? "" : "▾ ") + sanitized_row(folded.title), style::strong, look) + "\n";
  if (folded.drawn) return out + folded.text;
  std::string text;
  for (const std::string& line : lines_of(folded.text)) text += line + "\n";
  if (folded.prose) text = layout::wrapped(text, width);
  return out +=
         folded.diff ? markdown::painted_diff(text, look) : painted(text, style::plain, look);
}

}  // namespace skein::screen
