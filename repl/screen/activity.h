// The live line while a turn runs: what is happening, derived from its events, for how long, and
// how to stop it; and what a running command has printed last.
#pragma once

#include "core/model/event.h"

namespace skein::screen {

// The last lines that a running command has printed, as a terminal would leave them, uncoloured.
class OutputTail {
 public:
  void feed(std::string_view untrusted) {
    for (const char byte : untrusted) put(byte);
  }
  void clear() { *this = {}; }
  // At most so many, the oldest first, without blank ones; untrusted still.
  std::vector<std::string> last(std::size_t most) const;

 private:
  void put(char byte);

  std::vector<std::string> lines_{};  // that have ended
  std::string line_{};
  enum class Sequence { none, begun, control } sequence_ = Sequence::none;
  bool returned_ = false;  // the next character restarts the line
};

struct Status {
  std::string activity;  // "thinking", "bash make"
  std::int64_t elapsed_ms = 0;
  std::int64_t tokens = 0;  // of this answer; 0: not known
  bool estimated = false;   // the tokens are
  std::string todo{};       // how far the list of things to do is
  unsigned frame = 0;       // of the wheel
  std::string_view stop_key = "Esc";
  // What several calls that run at the same time say of themselves, a row for each.
  std::vector<std::string> rows{};
};

// At most `width` columns. The least important parts are dropped first.
std::string status_text(const Status& status, std::size_t width);

class Activity {
 public:
  void hear(const model::Event& event, std::int64_t now);  // milliseconds
  // An entry was committed: a prompt begins a turn, everything else hands over to the model.
  void hear(model::Role role, std::int64_t now);
  void begin(std::int64_t now) { start_ = start_.value_or(now); }  // if nothing has begun
  void end() { *this = {}; }
  bool begun() const { return start_.has_value(); }

  Status at(std::int64_t now) const;
  // The last lines of the one call that runs, untrusted; none: it is silent, or there are several.
  std::vector<std::string> printed(std::size_t most) const;

 private:
  // A call that has not ended.
  struct Running {
    std::string id{}, title{};
    OutputTail printed{};
    std::int64_t start = 0;
  };
  Running& of(const std::string& call, std::int64_t now);
  void hear_delta(const model::Delta& delta);

  std::vector<Running> running_{};
  std::string what_{};
  std::optional<std::int64_t> start_{}, tool_start_{}, retry_at_{};
  std::size_t bytes_ = 0;    // of this answer
  std::int64_t tokens_ = 0;  // of it, as the provider counts; 0: not known yet
};

}  // namespace skein::screen
