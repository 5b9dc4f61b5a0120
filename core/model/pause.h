// Doing nothing for a while, in the middle of a turn.
#pragma once

#include <chrono>

#include "core/model/event.h"

namespace skein::model {

// Serves the input meanwhile. False: stopped, and therefore back early.
bool pause(const Ports& ports, std::chrono::milliseconds time);

}  // namespace skein::model
