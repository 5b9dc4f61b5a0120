// What a turn is doing right now, derived from its events, for the live line.
#pragma once

#include <optional>

#include "core/model/event.h"
#include "repl/screen/status_line.h"

namespace skein::screen {

class Activity {
 public:
  void hear(const model::Event& event, std::int64_t now);  // milliseconds
  // An entry was committed: a prompt begins a turn, everything else hands over to the model.
  void hear(model::Role role, std::int64_t now);
  void begin(std::int64_t now);  // if nothing has begun
  void end();
  bool begun() const { return start_.has_value(); }

  Status at(std::int64_t now) const;

 private:
  void hear_delta(const model::Delta& delta);

  std::string what_{}, detail_{};
  std::optional<std::int64_t> start_{}, tool_start_{}, retry_at_{};
  std::size_t bytes_ = 0;    // of this answer
  std::int64_t tokens_ = 0;  // of it, as the provider counts; 0: not told yet
};

}  // namespace skein::screen
