// What other processes say in a session, shown as it is saved. Reads only, until the user wants to
// go on there.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "core/store/session_store.h"

namespace skein::follow {

enum class Wish { none, take_over, leave };

struct Ports {
  // An entry, masked if it was redacted.
  std::function<void(const store::StoredEntry&)> show{};
  std::function<void(const std::string& untrusted)> say{};
  // Until `descriptor` (-1: none) is readable, the user does something or the time is over.
  std::function<Wish(int descriptor, std::chrono::milliseconds)> wait{};
  bool can_take_over = false;  // there is somebody who may wish so
};

enum class End { left, taken_over };

// Begins with the last `before` messages. Takes over once nobody runs a turn there. Throws Error if
// the session cannot be read, or is gone.
End follow(store::SessionStore& store, Id session, std::size_t before, const Ports& ports);

}  // namespace skein::follow
