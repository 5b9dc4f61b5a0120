#include "repl/screen/activity.h"

#include <algorithm>
#include <iterator>

#include "core/text/amounts.h"
#include "repl/layout/sanitize.h"
#include "repl/layout/width.h"

namespace skein::screen {

namespace {

constexpr std::string_view wheel[] = {"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"};
constexpr std::string_view how_to_stop = "Esc or Ctrl+C stops";

constexpr std::size_t most_detail = 400;
constexpr std::size_t most_rows = 8;
constexpr std::size_t bytes_a_token = 4;  // an estimate until the provider reports tokens

// The last line that is not blank.
std::string_view last_line(std::string_view text) {
  text = text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
  return text.substr(text.find_last_of("\r\n") + 1);
}

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
    detail_.clear();
    tool_start_ = now;
    std::erase_if(running_, [&](const Running& each) { return each.id == started->call.id; });
    running_.push_back({started->call.id, started->title, "", now});
  } else if (const auto* output = std::get_if<model::ToolOutput>(&event)) {
    if (const std::string_view line = last_line(output->text); !line.empty()) {
      detail_ = utf8_prefix(line, most_detail);
      for (Running& each : running_)
        if (each.id == output->call_id) each.said = detail_;
    }
  } else if (const auto* ended = std::get_if<model::ToolEnded>(&event)) {
    std::erase_if(running_, [&](const Running& each) { return each.id == ended->call_id; });
    detail_.clear();
    if (running_.empty()) tool_start_.reset();
  } else if (const auto* retrying = std::get_if<model::Retrying>(&event)) {
    what_ = retrying->reason;
    retry_at_ = now + retrying->wait.count();
  }
}

void Activity::hear(model::Role role, std::int64_t now) {
  if (role == model::Role::user) start_ = now;
  if (role != model::Role::tool) running_.clear();
  what_ = running_.empty() ? "waiting for the model" : running_.back().title;
  bytes_ = 0;
  tokens_ = 0;
}

Status Activity::at(std::int64_t now) const {
  Status status{.activity = what_.empty() ? "working" : what_, .detail = detail_};
  // A running tool has its own clock; the turn's duration is shown at its end.
  status.elapsed_ms = now - (tool_start_ ? *tool_start_ : start_.value_or(now));
  status.estimated = tokens_ == 0;
  status.tokens = tokens_ > 0 ? tokens_ : static_cast<std::int64_t>(bytes_ / bytes_a_token);
  // Calls that only read say nothing while they run, and are over before they could be read of.
  for (const Running& each : running_)
    if (!each.said.empty() && status.rows.size() < most_rows)
      status.rows.push_back(each.title + "  " + std::to_string((now - each.start) / 1000) +
                            " s · " + each.said);
  if (running_.size() < 2) status.rows.clear();
  if (!status.rows.empty()) {
    status.activity = std::to_string(running_.size()) + " calls at once";
    status.detail.clear();
  }
  if (retry_at_) {
    const std::int64_t left = std::max<std::int64_t>(0, *retry_at_ - now);
    // The number first: the reason may be too long for the line.
    status.activity =
        "trying again in " + std::to_string((left + 999) / 1000) + " s: " + status.activity;
  }
  return status;
}

std::string status_text(const Status& status, std::size_t width) {
  const std::string draft = layout::sanitized_row(status.draft);
  const std::size_t for_draft = draft.empty() ? 0
                                              : std::min(layout::display_width(draft) + 3,
                                                         std::max<std::size_t>(4, width / 2));
  const std::size_t room = width > for_draft ? width - for_draft : 0;

  const std::string elapsed = std::to_string(status.elapsed_ms / 1000) + " s";
  const std::size_t around = 2 + 2 + elapsed.size();  // the wheel, the gap
  std::string text =
      std::string(wheel[status.frame % std::size(wheel)]) + " " +
      layout::fit(layout::sanitized_row(status.activity), room > around ? room - around : 0) +
      "  " + elapsed;
  const auto add = [&](const std::string& part) {
    if (!part.empty() && layout::display_width(text) + 3 + layout::display_width(part) <= room)
      text += " · " + part;
  };
  add(std::string(how_to_stop));
  if (const std::string todo = layout::sanitized_row(status.todo); !todo.empty())
    if (const std::size_t used = layout::display_width(text) + 3; used + 12 <= room)
      add(layout::fit(todo, std::min<std::size_t>(room - used, 40)));
  if (status.tokens > 0)
    add((status.estimated ? "~" : "") + short_count(status.tokens) + " tokens");
  if (const std::string detail = layout::sanitized_row(status.detail); !detail.empty()) {
    const std::size_t used = layout::display_width(text) + 3;
    if (used + 8 <= room) add(layout::fit(detail, room - used));
  }
  text = layout::fit(text, room);
  if (for_draft > 0) text += " › " + layout::fit_end(draft, for_draft > 3 ? for_draft - 3 : 0);
  return layout::fit(text, width);
}

}  // namespace skein::screen
