// Shows what other processes save in a session. Reads only, until the user takes over.
#pragma once

#include "core/store/session_store.h"
#include "repl/screen/screen.h"
#include "repl/terminal/keyboard.h"

namespace skein::follow {

enum class FollowAction { none, take_over, leave };

struct FollowPorts {
  // An entry, masked if it was redacted.
  std::function<void(const store::StoredEntry&)> show{};
  std::function<void(const std::string& untrusted)> say{};
  // Until `descriptor` (-1: none) is readable, the user does something or the time is over.
  std::function<FollowAction(int descriptor, std::chrono::milliseconds)> wait{};
  bool can_take_over = false;  // there is a user who may ask for it
};

enum class FollowEnd { left, taken_over };

// Begins with the last `before` messages. Takes over once no process runs a turn there. Throws
// Error if the session cannot be read, or is gone.
FollowEnd follow(store::SessionStore& store, Id session, std::size_t before,
                 const FollowPorts& ports);

// How a session is followed at a terminal: entries look as they did where they were said; t takes
// over, q, Esc and ^C leave. All must outlive what is returned. `stop` ends it too.
FollowPorts ports_at(terminal::Keyboard& keyboard, screen::Screen& screen,
                     const std::atomic<bool>& stop);

}  // namespace skein::follow
