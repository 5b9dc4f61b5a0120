// argv, understood.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace skein {

struct Invocation {
  std::string prompt{};
  std::string model{};
  std::string workspace{};
  std::string home{};
  bool debug = false;
};

// The invocation, or the exit status when argv asked for help, the version, or made no sense (what
// there is to say has then been said).
struct Parsed {
  std::optional<Invocation> invocation{};
  int status = 0;
};
Parsed parse_command_line(int argc, const char* const* argv);

}  // namespace skein
