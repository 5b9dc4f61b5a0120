#include "repl/screen/turn_view.h"

#include "core/text/text.h"
#include "repl/layout/flow.h"
#include "repl/layout/sanitize.h"
#include "repl/layout/width.h"
#include "repl/screen/markdown/highlight.h"

namespace skein::screen {

namespace style = layout::style;
using layout::painted, layout::sanitized, layout::display_width, layout::fit, layout::sanitized_row;

namespace {

constexpr std::size_t shown_lines = 6, shown_diff_lines = 16;
constexpr std::size_t longest_title = 400;

// What is before a call that has ended.
struct EndMark {
  std::string_view label, sign;
  const layout::Style* style;
};
constexpr std::string_view refused_label = "refused: ";
constexpr EndMark end_marks[] = {{refused_label, "○ ", &style::warning},
                                 {"failed: ", "✗ ", &style::bad},
                                 {"done: ", "● ", &style::good}};

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

// Without the names of the files, which the title has, without line numbers, which a diff made from
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

// Without keys there is a command. Where no user can answer, nothing is said.
std::string how_to_unfold(const TerminalStyle& look) {
  if (look.live && !look.unfold_key.empty()) return look.unfold_key;
  return look.live || look.labels ? "/expand" : "";
}

struct Body {
  std::vector<std::string> lines{};
  bool diff = false;
  bool drawn = false;     // its lines are painted, and fit
  bool from_end = false;  // show the end if it is too long
  std::size_t most = shown_lines;
};

std::string painted_body(const Body& body, std::size_t width, const TerminalStyle& look,
                         bool& folds) {
  const std::size_t count = body.lines.size();
  folds = count > body.most;
  const std::size_t first = folds && body.from_end ? count - body.most : 0;
  const std::size_t last = folds && !body.from_end ? body.most : count;
  const std::size_t hidden = count - (last - first);
  const std::string how = how_to_unfold(look);
  const std::string note =
      "  … " + counted(hidden, "more line") + (how.empty() ? "" : " (" + how + " shows all)");
  const std::string more =
      hidden > 0 ? painted(width > 0 ? fit(note, width) : note, style::dim, look) + "\n" : "";
  std::string out = body.from_end ? more : "";
  for (std::size_t i = first; i < last; ++i) {
    const std::string& whole = body.lines[i];
    const std::string line = width > 2 && !body.drawn ? fit(whole, width - 2) : whole;
    folds |= line.size() < whole.size();
    const layout::Style style = body.drawn  ? style::plain
                                : body.diff ? markdown::style_of_diff_line(whole)
                                            : style::dim;
    out += "  " + painted(line, style, look) + "\n";
  }
  return body.from_end ? out : out + more;
}

using State = plan::TodoItem::State;

std::string todo_row(const plan::TodoItem& item, std::size_t width,
                     const layout::TerminalStyle& look) {
  const bool done = item.state == State::done, doing = item.state == State::doing;
  const std::string mark = look.labels ? (done    ? "done: "
                                          : doing ? "doing: "
                                                  : "to do: ")
                           : done      ? "✓ "
                           : doing     ? "▸ "
                                       : "○ ";
  const layout::Style row_style = done ? style::dim : doing ? style::strong : style::plain;
  const std::size_t before = 2 + display_width(mark);
  const std::string text =
      layout::wrapped(sanitized_row(item.text), layout::left_of(width, before));
  std::string out, begin = "  " + mark;
  for (const std::string_view row : split(text, '\n')) {
    out += painted(begin + std::string(row), row_style, look) + "\n";
    begin = std::string(before, ' ');
  }
  return out;
}

// Of less than this a speed would be chance.
constexpr std::int64_t least_tokens = 20, least_ms = 500;

// Thinking that is not shown came before the first word: its tokens took none of the time after it.
std::int64_t streamed_tokens(const model::Message& answer) {
  const bool thinking_came = std::ranges::any_of(answer.content, [](const model::Block& block) {
    const auto* thinking = std::get_if<model::Thinking>(&block);
    return thinking != nullptr && !thinking->thinking.empty();
  });
  return answer.usage->output - (thinking_came ? 0 : answer.usage->reasoning);
}

std::string in_seconds(std::int64_t ms) {
  return ms >= 100 && ms < 1000 ? "0." + std::to_string(ms / 100) + " s" : short_duration(ms);
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
  std::string diff = failed ? "" : sanitized(model::diff_in(end.meta));
  if (!diff.empty()) {
    const auto [added, removed] = markdown::counts_of_diff(diff);
    outcome = "+" + std::to_string(added) + " −" + std::to_string(removed);
    if (diff.ends_with('\n')) diff.pop_back();
    body = {.lines = markdown::diff_rows(diff, layout::left_of(width, 2), look),
            .drawn = true,
            .most = shown_diff_lines};
    view.folded = {.drawn = true};
    for (const std::string& row : body.lines) view.folded.text += "  " + row + "\n";
    if (!end.with_diff) body.lines.clear();
  } else if (tool != nullptr && tool->diff && !failed && !model::was_amended(end.result)) {
    body = {.lines = changed_lines(tool->diff(end.call->input)),
            .diff = true,
            .most = shown_diff_lines};
    view.folded = {.drawn = true};
    for (const std::string& line : body.lines)
      view.folded.text += painted(line, markdown::style_of_diff_line(line), look) + "\n";
    outcome = counts_of(body.lines);
    if (!end.with_diff) body.lines.clear();
  } else if (tool != nullptr && tool->effect == model::Effect::reads && !failed) {
    body.lines.clear();  // file contents are meant for the model
  } else {
    body.from_end = tool != nullptr && tool->effect != model::Effect::reads;
  }
  if (end.duration_ms > 0 && !refused) outcome += " · " + short_duration(end.duration_ms);

  const bool broke = failed && !refused;
  const EndMark& row = end_marks[refused ? 0 : failed ? 1 : 2];
  const std::string mark(look.labels ? row.label : row.sign);
  if (width > 0) outcome = fit(outcome, std::max<std::size_t>(width / 2, 12));
  view.folded.title = end.call ? title_of(*end.call, tools) : "tool result";
  const std::size_t room = display_width(mark) + display_width(outcome) + 2;
  const std::string title =
      width == 0 ? view.folded.title : fit(view.folded.title, width > room ? width - room : 1);
  bool folds = false;
  view.shown = painted(mark, *row.style, look) + title + "  " +
               painted(outcome, broke ? style::bad : style::dim, look) + "\n" +
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

FoldedOutput folded_thinking(std::string_view thinking) {
  return {.title = "thinking", .text = std::string(thinking), .prose = true};
}

std::string unfolded(const FoldedOutput& folded, std::size_t width, const TerminalStyle& look) {
  std::string out =
      painted((look.labels ? "" : "▾ ") + sanitized_row(folded.title), style::strong, look) + "\n";
  if (folded.drawn) return out + folded.text;
  std::string text;
  for (const std::string& line : lines_of(folded.text)) text += line + "\n";
  return out + (folded.prose ? layout::wrapped(text, width) : text);
}

ToolView view_of_prompt(const model::Entry& entry, const model::Message& message,
                        const TerminalStyle& look) {
  ToolView out;
  const std::string mark = look.labels ? "you: " : "› ";
  const std::string words = model::words_alone(message);
  const std::string typed = model::typed_command(entry);
  std::string text = sanitized(typed.empty() ? words : typed);
  if (!typed.empty()) {
    const auto lines = static_cast<std::size_t>(std::ranges::count(words, '\n')) + 1;
    text += painted(" (" + counted(lines, "line") + ")", style::dim, look);
    out.folded = {.title = typed, .text = words, .prose = true};
  }
  for (const std::string& file : model::attached_names(message)) text += "\n+ " + sanitized(file);
  for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 3)
    text.replace(at, 1, "\n  ");
  out.shown = painted(mark, style::prompt, look) + painted(text, style::own, look);
  return out;
}

std::string todo_view(const plan::TodoList& list, const plan::TodoList& before, std::size_t width,
                      const layout::TerminalStyle& look) {
  std::string all, changed;
  std::size_t changes = 0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string row = todo_row(list[i], width, look);
    all += row;
    if (i < before.size() && before[i] == list[i]) continue;
    changed += row;
    ++changes;
  }
  return before.size() == list.size() && changes * 2 < list.size() ? changed : all;
}

std::string todo_part(const plan::TodoList& list) {
  const plan::TodoItem* const current = plan::current_in(list);
  if (current == nullptr) return {};
  return "▸ " + std::to_string(plan::done_in(list)) + "/" + std::to_string(list.size()) + " " +
         current->text;
}

void add(TurnSummary& summary, const model::Message& message) {
  summary.duration_ms += message.duration_ms;
  if (message.role != model::Role::assistant) return;
  ++summary.calls;
  summary.provider = message.provider;
  summary.model = message.model;
  if (summary.calls == 1) summary.first_token_ms = message.first_token_ms;
  if (!message.usage) return;
  if (message.first_token_ms > 0) {
    summary.streamed_tokens += streamed_tokens(message);
    summary.streamed_ms += message.duration_ms - message.first_token_ms;
  }
  summary.last = *message.usage;
  summary.usage += *message.usage;
  summary.each.push_back(*message.usage);
}

std::string summary_text(const TurnSummary& summary) {
  std::string out = summary.model.empty() ? summary.provider : summary.model;
  const auto add_part = [&](const std::string& part) { out += (out.empty() ? "" : " · ") + part; };
  if (summary.usage != model::Usage{}) {
    const model::Usage& usage = summary.usage;
    add_part(short_count(model::whole_input(usage)) + " in" +
             (usage.cache_read > 0 ? " (" + short_count(usage.cache_read) + " cached)" : "") + " " +
             short_count(usage.output) + " out");
  }
  if (summary.cost_usd > 0)
    add_part((summary.at_least ? "at least " : "") + dollars(*summary.cost_usd));
  const std::int64_t held = model::context_behind(summary.last);
  const bool nearly_full = held >= summary.window / 5 * 4;
  if (summary.window > 0 && held > 0 && (nearly_full || !summary.context_in_status))
    add_part("context " + percent(held, summary.window) +
             (nearly_full ? " (nearly full: /compact)" : ""));
  // What another program did not write down is not known here.
  if (summary.duration_ms > 0) add_part(short_duration(summary.duration_ms));
  if (summary.streamed_tokens >= least_tokens && summary.streamed_ms >= least_ms &&
      !summary.retried) {
    const std::int64_t speed = 1000 * summary.streamed_tokens / summary.streamed_ms;
    add_part(speed > 0 ? short_count(speed) + " tok/s" : "under 1 tok/s");
    if (summary.first_token_ms > 0) add_part("first " + in_seconds(summary.first_token_ms));
  }
  return out;
}

}  // namespace skein::screen
