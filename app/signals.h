// The signals that end what runs, and whether anybody is there to answer a question.
#pragma once

#include <atomic>

namespace skein::app {

// From now on these set what is below, and none ends the program.
void catch_signals();
// Set by SIGINT, SIGTERM and SIGHUP; cleared before something starts that can be stopped.
std::atomic<bool>& stop_asked();
// How many of them there were, for waits that begin when the flag is still set.
unsigned signals_seen();
// Set by SIGTERM and SIGHUP, never cleared.
std::atomic<bool>& leave_asked();

// What a shell calls a program that was ended by ^C; scripts get it for every signal.
inline constexpr int interrupted_status = 130;

bool attended();  // a user sees what we ask and can answer it

}  // namespace skein::app
