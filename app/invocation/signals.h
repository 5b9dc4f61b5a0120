// The signals that end what runs, and whether anybody is there to answer a question.
#pragma once

#include "core/text/base.h"

namespace skein::app {

// From now on these set what is below, and none ends the program.
void catch_signals();
// Set by SIGINT, SIGTERM and SIGHUP; cleared before something starts that can be stopped.
std::atomic<bool>& stop_asked();
// How many of them there were, and Esc, for waits that begin when the flag is still set.
std::atomic<unsigned>& stop_count();
// Set by SIGTERM and SIGHUP, never cleared.
std::atomic<bool>& leave_asked();

// What ends work: the flags that signals set, or those of one of several sessions.
struct StopFlags {
  std::atomic<bool>& stop = stop_asked();
  std::atomic<unsigned>& count = stop_count();
  std::atomic<bool>& leave = leave_asked();
};

// Scripts get it for every signal.
inline constexpr int interrupted_status = static_cast<int>(ExitStatus::interrupted);
inline constexpr int terminated_status = 143;

bool attended();  // a user sees what we ask and can answer it

}  // namespace skein::app
