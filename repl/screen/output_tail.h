// The last lines that a running command has printed, as a terminal would leave them: a carriage
// return begins the line anew, colours are left out.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace skein::screen {

class OutputTail {
 public:
  void feed(std::string_view untrusted);
  void clear() { *this = {}; }
  // At most so many, the oldest first, without blank ones; untrusted still.
  std::vector<std::string> last(std::size_t most) const;

 private:
  void put(char byte);

  std::vector<std::string> lines_{};  // that have ended
  std::string line_{};
  enum class Sequence { none, begun, control } sequence_ = Sequence::none;
  bool returned_ = false;  // the next character begins the line anew
};

}  // namespace skein::screen
