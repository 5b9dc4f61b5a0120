#include "providers/wire/sse.h"

#include "core/text/std.h"

namespace skein::wire {

namespace {

constexpr std::size_t longest_id = 1'000;  // it is sent back as a header

}  // namespace

std::vector<SseEvent> SseParser::feed(std::string_view bytes) {
  std::vector<SseEvent> events;
  while (!bytes.empty() && !over_limit_) {
    if (std::exchange(after_cr_, false) && bytes[0] == '\n') {
      bytes.remove_prefix(1);
      continue;
    }
    const std::size_t end = bytes.find_first_of("\r\n");
    const std::string_view piece = bytes.substr(0, end);
    if (line_.size() + piece.size() > limit_) {
      over_limit_ = true;
      break;
    }
    if (end == std::string_view::npos) {
      line_ += piece;
      break;
    }
    after_cr_ = bytes[end] == '\r';
    bytes.remove_prefix(end + 1);
    if (line_.empty()) {
      take_line(piece, events);
    } else {
      line_ += piece;
      take_line(std::exchange(line_, {}), events);
    }
  }
  return events;
}

std::optional<SseEvent> SseParser::finish() {
  std::vector<SseEvent> events;
  if (!line_.empty() && !over_limit_) take_line(std::exchange(line_, {}), events);
  if (!over_limit_) take_line({}, events);
  if (events.empty()) return std::nullopt;
  return std::move(events.back());
}

void SseParser::take_line(std::string_view line, std::vector<SseEvent>& events) {
  if (std::exchange(at_start_, false) && line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
  if (line.empty()) {
    if (!id_.empty()) last_id_ = std::exchange(id_, {});
    if (has_data_) events.push_back(std::move(event_));
    event_ = {};
    has_data_ = false;
    return;
  }
  const std::size_t colon = line.find(':');
  const std::string_view field = line.substr(0, colon);  // empty for a comment
  std::string_view value = colon == std::string_view::npos ? "" : line.substr(colon + 1);
  if (value.starts_with(' ')) value.remove_prefix(1);
  if (field == "event") {
    event_.name = value;
  } else if (field == "id" && value.size() <= longest_id) {
    id_ = value;
  } else if (field == "data") {
    if (event_.data.size() + value.size() >= limit_) {
      over_limit_ = true;
      return;
    }
    if (std::exchange(has_data_, true)) event_.data += '\n';
    event_.data += value;
  }
}

}  // namespace skein::wire
