// Shows a transcript step by step, in its own time, and stops where a tool failed.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "repl/replay/steps.h"

namespace skein::replay {

struct Wish {
  std::size_t from = 0;      // the first step to show
  bool step = false;         // wait for the user after each
  double speed = 1;          // times as fast as it was
  bool until_error = false;  // no waiting, and no further than the first failure
};

enum class Choice { go_on, branch, quit };

struct Ports {
  std::function<void(const std::string& untrusted)> print;
  // Null: there is nobody to ask. Then nothing is waited for either.
  std::function<Choice(const std::string& question, bool may_branch)> ask{};
  // False: the user wants it to end.
  std::function<bool(std::chrono::milliseconds)> wait = [](std::chrono::milliseconds) {
    return true;
  };
};

struct Played {
  std::size_t shown = 0;          // steps
  std::optional<Id> branch{};     // the user wants to go on from this entry
  std::optional<Id> failed_at{};  // where it ended, with Wish::until_error
  bool quit = false;
};

Played play(const Steps& steps, const Wish& wish, const Ports& ports);

// "Step 3 of 41 · tool failed · 2026-11-10 10:00:01 · 0f1e2d" and what it says.
std::string text_of(const Steps& steps, std::size_t number, const Step& step);
// How long to wait before a step.
std::chrono::milliseconds pause_before(std::int64_t gap_ms, double speed);

}  // namespace skein::replay
