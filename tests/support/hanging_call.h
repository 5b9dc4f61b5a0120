// How long a call of a tool that hangs takes to return once the user has stopped it.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <thread>

#include "core/model/tool.h"

namespace skein::test {

// The best of five: a busy machine may be slow to run us, but not each time.
inline std::chrono::steady_clock::duration left_after(
    const std::function<model::ToolOutcome(const model::ToolPorts&)>& call) {
  using Clock = std::chrono::steady_clock;
  auto best = Clock::duration::max();
  for (int tries = 0; tries < 5 && best >= std::chrono::milliseconds(50); ++tries) {
    std::atomic<bool> stop{false};
    model::ToolPorts ports;
    ports.stopped = [&] { return stop.load(); };
    Clock::time_point stopped;
    std::thread user([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      stopped = Clock::now();
      stop = true;
    });
    CHECK(call(ports).is_error);
    const Clock::time_point left = Clock::now();
    user.join();
    best = std::min(best, left - stopped);
  }
  return best;
}

}  // namespace skein::test
