// Choosing a session from a list: type to filter, look at it, open, rename, delete.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "core/store/session_store.h"
#include "repl/input/keyboard.h"

namespace skein {

struct SessionChoice {
  std::string query{};          // to begin with
  std::optional<Id> current{};  // marked in the list
  // Asks, and moves a session to the trash.
  std::function<void(const SessionRecord&)> erase{};
};

// Nothing if the list was left.
std::optional<Id> pick_session(Keyboard& keyboard, SessionStore& store,
                               const SessionChoice& choice);

}  // namespace skein
