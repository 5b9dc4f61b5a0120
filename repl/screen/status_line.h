// The live line while a turn runs: what is happening, for how long, how to stop it, and what the
// user has typed meanwhile.
#pragma once

#include <cstdint>
#include <string>

namespace skein::screen {

struct Status {
  std::string activity;  // "thinking", "bash make"
  std::int64_t elapsed_ms = 0;
  std::int64_t tokens = 0;  // of this answer; 0: not known
  bool estimated = false;   // the tokens are
  std::string detail{};     // the last line a tool has printed
  std::string draft{};
  unsigned frame = 0;  // of the wheel
};

// At most `width` columns. The least important parts are dropped first.
std::string status_text(const Status& status, std::size_t width);

}  // namespace skein::screen
