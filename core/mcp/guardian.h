// A server's process, and the one beside it that sees to its end (Keeper): when we close the line
// to that, or die, the server gets a moment to end by itself, then its whole group is ended;
// wrappers such as npx would leave their children running.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "core/text/fd.h"
#include "core/tools/sandbox/keeper.h"

namespace skein::mcp {

struct Launch {
  std::string program{};                 // an absolute path
  std::vector<std::string> arguments{};  // the first is the name it is called by
  std::vector<std::string> environment{};
  std::string folder{};
  std::chrono::milliseconds grace{1'000};  // after its input has ended, and again after SIGTERM
};

class Guardian {
 public:
  // Starts it. Throws Error if that cannot be done.
  explicit Guardian(const Launch& launch);
  // Closes the line and waits a moment; a server that takes longer ends after we have gone on.
  ~Guardian();
  Guardian(const Guardian&) = delete;
  Guardian& operator=(const Guardian&) = delete;

  Fd input, output, errors;  // of the server; our ends, which do not block

  // From now on the server is to end; returns at once.
  void release();
  // How it ended, once it has, in half a sentence: "it ended with status 1". Waits for that a
  // moment; empty: not known.
  std::string how_it_ended();

 private:
  std::optional<tools::sandbox::Keeper> keeper_{};
};

// The program that `command` names, as a shell would find it; empty: none.
std::string find_program(const std::string& command, const std::string& folder,
                         const std::vector<std::string>& environment);

}  // namespace skein::mcp
