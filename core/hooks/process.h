// Runs programs side by side, each in a session of its own, with a text on standard input; what
// they print is kept up to a limit, and their end comes when it is due.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/model/event.h"

namespace skein::hooks {

struct Order {
  std::vector<std::string> arguments;    // the first is a path, or a name to be found in $PATH
  std::vector<std::string> environment;  // NAME=value; nothing is inherited
  std::string folder;                    // to run in
  std::string input;                     // on standard input, then its end
  std::chrono::milliseconds time{};
};

struct ProcessEnd {
  enum class Cause { exited, signalled, timed_out, stopped, not_started } cause = Cause::exited;
  int code = 0;  // exit status, signal number or errno
  std::string output{}, errors{};
  bool cut = false;  // there was more of the output
  std::int64_t ms = 0;
};

inline constexpr std::size_t most_output = 1u << 20;
inline constexpr std::size_t most_errors = 64u << 10;

// All of them are started at once; returns when the last has ended, in the order they were given.
// What a program leaves in its group ends with it, so a child that keeps the pipes open delays
// nothing. When the user stops the turn, or when `ends` says so, they are ended: gently, and after
// a second for certain. If we are killed they are too.
std::vector<ProcessEnd> run_all(std::span<const Order> orders, const model::Ports& ports,
                                const std::function<bool()>& ends = {});

}  // namespace skein::hooks
