// Server-sent events from bytes, in whatever pieces they arrive. A value: copy it to fork a stream.
#pragma once

#include "core/text/std.h"

namespace skein::wire {

struct SseEvent {
  std::string name{};  // the `event:` field; empty if there was none
  std::string data{};  // the `data:` lines, joined by line feeds
  bool operator==(const SseEvent&) const = default;
};

class SseParser {
 public:
  // No line and no event may be longer than `limit` bytes: a server must not fill our memory.
  explicit SseParser(std::size_t limit) : limit_(limit) {}

  // The events these bytes complete.
  std::vector<SseEvent> feed(std::string_view bytes);
  // The stream has ended: an event that only lacks its last line ends or blank line still counts.
  std::optional<SseEvent> finish();
  // The `id:` of the last event that had one: where a stream that was cut can be taken up again.
  const std::string& last_id() const { return last_id_; }
  // Once true the rest of the stream is passed over.
  bool over_limit() const { return over_limit_; }

  bool operator==(const SseParser&) const = default;

 private:
  void take_line(std::string_view line, std::vector<SseEvent>& events);

  std::size_t limit_;
  std::string line_{};  // a line whose end has not arrived
  SseEvent event_{};
  std::string id_{};  // of the event that has begun
  std::string last_id_{};
  bool has_data_ = false;
  bool at_start_ = true;   // a byte order mark may still come
  bool after_cr_ = false;  // a line feed now belongs to the line that is already over
  bool over_limit_ = false;
};

}  // namespace skein::wire
