// How long a model takes from a request to the first word of its answer.
#pragma once

#include <chrono>
#include <cstdint>

#include "core/model/event.h"

namespace skein::agent {

class FirstToken {
 public:
  using Clock = std::chrono::steady_clock;

  // A try that failed, and the pause after it, are not the time of the one that answers.
  void see(const model::Event& event, Clock::time_point now = Clock::now());
  std::int64_t after_ms() const { return after_ms_; }  // 0: none has come

 private:
  Clock::time_point asked_ = Clock::now();
  std::int64_t after_ms_ = 0;
};

}  // namespace skein::agent
