#include "repl/screen/activity.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/text/amounts.h"
#include "repl/layout/sanitize.h"
#include "repl/layout/width.h"

namespace skein::screen {

namespace {

constexpr std::string_view wheel[] = {"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"};
constexpr std::string_view how_to_stop = "Esc or Ctrl+C stops", how_in_short = "Esc stops";
constexpr std::size_t narrow = 30;  // columns; below there is no room to say how to stop

constexpr std::size_t bytes_a_token = 4;  // an estimate until the provider reports tokens

}  // namespace

void Activity::begin(std::int64_t now) {
  if (!start_) start_ = now;
}

void Activity::end() { *this = {}; }

void Activity::hear_delta(const model::Delta& delta) {
  if (const auto* text = std::get_if<model::delta::TextPiece>(&delta)) {
    what_ = "writing";
    bytes_ += text->text.size();
  } else if (const auto* thinking = std::get_if<model::delta::ThinkingPiece>(&delta)) {
    what_ = "thinking";
    bytes_ += thinking->text.size();
  } else if (const auto* call = std::get_if<model::delta::ToolStart>(&delta)) {
    what_ = "preparing " + call->name;
  } else if (const auto* input = std::get_if<model::delta::ToolInput>(&delta)) {
    bytes_ += input->json_piece.size();
  } else if (const auto* usage = std::get_if<model::delta::UsageUpdate>(&delta)) {
    tokens_ = usage->output.value_or(tokens_);
  }
}

void Activity::hear(const model::Event& event, std::int64_t now) {
  begin(now);
  if (const auto* streaming = std::get_if<model::Streaming>(&event)) {
    retry_at_.reset();
    hear_delta(streaming->delta);
  } else if (const auto* started = std::get_if<model::ToolStarted>(&event)) {
    what_ = started->title;
    printed_.clear();
    tool_start_ = now;
  } else if (const auto* output = std::get_if<model::ToolOutput>(&event)) {
    // Of calls that run together, the one that spoke last is shown.
    if (std::exchange(printing_, output->call_id) != output->call_id) printed_.clear();
    printed_.feed(output->text);
  } else if (std::holds_alternative<model::ToolEnded>(event)) {
    printed_.clear();
    tool_start_.reset();
  } else if (const auto* retrying = std::get_if<model::Retrying>(&event)) {
    what_ = retrying->reason;
    retry_at_ = now + retrying->wait.count();
  }
}

void Activity::hear(model::Role role, std::int64_t now) {
  if (role == model::Role::user) start_ = now;
  what_ = "waiting for the model";
  bytes_ = 0;
  tokens_ = 0;
}

Status Activity::at(std::int64_t now) const {
  Status status{.activity = what_.empty() ? "working" : what_};
  // A running tool has its own clock; the turn's duration is shown at its end.
  status.elapsed_ms = now - (tool_start_ ? *tool_start_ : start_.value_or(now));
  status.estimated = tokens_ == 0;
  status.tokens = tokens_ > 0 ? tokens_ : static_cast<std::int64_t>(bytes_ / bytes_a_token);
  if (retry_at_) {
    const std::int64_t left = std::max<std::int64_t>(0, *retry_at_ - now);
    // The number first: the reason may be too long for the line.
    status.activity =
        "trying again in " + std::to_string((left + 999) / 1000) + " s: " + status.activity;
  }
  return status;
}

std::string status_text(const Status& status, std::size_t width) {
  const std::string elapsed = std::to_string(status.elapsed_ms / 1000) + " s";
  // The wheel, the gap, and how to stop, which a long command must not push out.
  const std::size_t around =
      2 + 2 + elapsed.size() + (width >= narrow ? 3 + how_in_short.size() : 0);
  std::string text =
      std::string(wheel[status.frame % std::size(wheel)]) + " " +
      layout::fit(layout::sanitized_row(status.activity), width > around ? width - around : 0) +
      "  " + elapsed;
  const auto add = [&](const std::string& part) {
    const bool fits = layout::display_width(text) + 3 + layout::display_width(part) <= width;
    if (fits && !part.empty()) text += " · " + part;
    return fits;
  };
  if (!add(std::string(how_to_stop))) add(std::string(how_in_short));
  if (const std::string todo = layout::sanitized_row(status.todo); !todo.empty())
    if (const std::size_t used = layout::display_width(text) + 3; used + 12 <= width)
      add(layout::fit(todo, std::min<std::size_t>(width - used, 40)));
  if (status.tokens > 0)
    add((status.estimated ? "~" : "") + short_count(status.tokens) + " tokens");
  return layout::fit(text, width);
}

}  // namespace skein::screen
