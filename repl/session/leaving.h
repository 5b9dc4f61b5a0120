// What becomes of the jobs and sub-agents that are at work when the user leaves: one question for
// all of them.
#pragma once

#include <atomic>

#include "repl/screen/screen.h"
#include "repl/session/services.h"
#include "repl/session/typed_input.h"

namespace skein::session {

class Leaving {
 public:
  Leaving(const Services& services, TypedInput& input, screen::Screen& screen)
      : services_(services), input_(input), screen_(screen) {}

  // Asks, unless a signal ends us or nobody can answer: then all of it is stopped. False: the user
  // stays.
  bool settle(const std::atomic<bool>& signalled) const;

 private:
  model::Inquiry question(std::size_t jobs, std::size_t agents) const;

  const Services& services_;
  TypedInput& input_;
  screen::Screen& screen_;
};

}  // namespace skein::session
