#include "repl/screen/activity.h"

#include "core/text/text.h"
#include "repl/layout/sanitize.h"
#include "repl/layout/width.h"

namespace skein::screen {

namespace {

constexpr std::size_t most_lines = 20, most_bytes = 400;  // of a line: no window is wider

constexpr std::string_view wheel[] = {"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"};
constexpr std::size_t narrow = 30;  // columns; below there is no room to say how to stop

constexpr std::size_t most_rows = 8;
constexpr std::size_t bytes_a_token = 4;  // an estimate until the provider reports tokens

}  // namespace

void OutputTail::put(char byte) {
  if (sequence_ == Sequence::begun) {
    sequence_ = byte == '[' ? Sequence::control : Sequence::none;
  } else if (sequence_ == Sequence::control) {
    if (byte >= 0x40 && byte <= 0x7E) sequence_ = Sequence::none;
  } else if (byte == '\x1b') {
    sequence_ = Sequence::begun;
  } else if (byte == '\r') {
    returned_ = true;
  } else if (byte == '\n') {
    returned_ = false;
    if (line_.find_first_not_of(" \t") != std::string::npos) lines_.push_back(line_);
    if (lines_.size() > most_lines) lines_.erase(lines_.begin());
    line_.clear();
  } else {
    if (returned_) line_.clear();
    returned_ = false;
    if (line_.size() < most_bytes) line_ += byte;
  }
}

std::vector<std::string> OutputTail::last(std::size_t most) const {
  std::vector<std::string> out = lines_;
  if (line_.find_first_not_of(" \t") != std::string::npos) out.push_back(line_);
  if (out.size() > most) out.erase(out.begin(), out.end() - static_cast<std::ptrdiff_t>(most));
  for (std::string& line : out) line = valid_utf8(line);
  return out;
}

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

Activity::Running& Activity::of(const std::string& call, std::int64_t now) {
  const auto found = std::ranges::find(running_, call, &Running::id);
  return found != running_.end() ? *found : running_.emplace_back(Running{call, what_, {}, now});
}

std::vector<std::string> Activity::printed(std::size_t most) const {
  return running_.size() == 1 ? running_.front().printed.last(most) : std::vector<std::string>{};
}

void Activity::hear(const model::Event& event, std::int64_t now) {
  begin(now);
  if (const auto* streaming = std::get_if<model::Streaming>(&event)) {
    retry_at_.reset();
    hear_delta(streaming->delta);
  } else if (const auto* started = std::get_if<model::ToolStarted>(&event)) {
    what_ = started->title;
    tool_start_ = now;
    std::erase_if(running_, [&](const Running& each) { return each.id == started->call.id; });
    of(started->call.id, now);
  } else if (const auto* output = std::get_if<model::ToolOutput>(&event)) {
    of(output->call_id, now).printed.feed(output->text);
  } else if (const auto* ended = std::get_if<model::ToolEnded>(&event)) {
    std::erase_if(running_, [&](const Running& each) { return each.id == ended->call_id; });
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
  Status status{.activity = what_.empty() ? "working" : what_};
  // A running tool has its own clock; the turn's duration is shown at its end.
  status.elapsed_ms = now - (tool_start_ ? *tool_start_ : start_.value_or(now));
  status.estimated = tokens_ == 0;
  status.tokens = tokens_ > 0 ? tokens_ : static_cast<std::int64_t>(bytes_ / bytes_a_token);
  // Calls that only read say nothing while they run, and are over before they could be read of.
  if (running_.size() > 1)
    for (const Running& each : running_)
      if (const auto said = each.printed.last(1); !said.empty() && status.rows.size() < most_rows)
        status.rows.push_back(each.title + "  " + std::to_string((now - each.start) / 1000) +
                              " s · " + said.back());
  if (!status.rows.empty()) status.activity = std::to_string(running_.size()) + " calls at once";
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
  const std::string key(status.stop_key);  // besides Ctrl+C, which always does
  const std::string how_in_short = (key.empty() ? "Ctrl+C" : key) + " stops";
  const std::string how_to_stop = key.empty() ? how_in_short : key + " or Ctrl+C stops";
  // The wheel, the gap, and how to stop, which a long command must not push out.
  const std::size_t around =
      2 + 2 + elapsed.size() + (width >= narrow ? 3 + how_in_short.size() : 0);
  std::string text =
      std::string(wheel[status.frame % std::size(wheel)]) + " " +
      layout::fit(layout::sanitized_row(status.activity), layout::left_of(width, around)) + "  " +
      elapsed;
  const auto add = [&](const std::string& part) {
    const bool fits = layout::display_width(text) + 3 + layout::display_width(part) <= width;
    if (fits && !part.empty()) text += " · " + part;
    return fits;
  };
  if (!add(how_to_stop)) add(how_in_short);
  if (const std::string todo = layout::sanitized_row(status.todo); !todo.empty())
    if (const std::size_t used = layout::display_width(text) + 3; used + 12 <= width)
      add(layout::fit(todo, std::min<std::size_t>(width - used, 40)));
  if (status.tokens > 0)
    add((status.estimated ? "~" : "") + short_count(status.tokens) + " tokens");
  return layout::fit(text, width);
}

}  // namespace skein::screen
