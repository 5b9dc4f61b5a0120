// A server's process, and the one beside it that sees to its end. The guardian is the server's
// parent: when we close the line to it, or die, it gives the server a moment to end by itself, then
// ends the server's whole group; wrappers such as npx would leave their children running.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <vector>

#include "core/text/fd.h"

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
  pid_t pid_ = -1;  // of the guardian
  Fd line_;
};

// The program that `command` names, as a shell would find it; empty: none.
std::string find_program(const std::string& command, const std::string& folder,
                         const std::vector<std::string>& environment);

}  // namespace skein::mcp
