// How work in the middle of a turn learns that it is to stop: while it waits, and while it is busy.
#pragma once

#include <chrono>
#include <functional>

#include "core/model/event.h"

namespace skein::model {

// Serves the input meanwhile. False: stopped, and therefore back early.
bool pause(const Ports& ports, std::chrono::milliseconds time);

// Whether to stop, for busy work to ask as often as it likes: that is when the keyboard is read.
// `ports` must outlive it.
std::function<bool()> stop_check(const Ports& ports);
// The same for work that is done after a stop too, and that only a further stop ends.
std::function<bool()> next_stop_check(const Ports& ports);
// The same without a look at the keyboard, for work that watches it itself.
std::function<bool()> next_stop(const Ports& ports);

}  // namespace skein::model
