// Choosing a session from a list: filter by typing, preview, open, rename, delete.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "core/store/session_store.h"
#include "repl/terminal/keyboard.h"

namespace skein::pick {

struct SessionChoice {
  std::string query{};          // to begin with
  std::optional<Id> current{};  // marked in the list
  // Asks, and moves a session to the trash.
  std::function<void(const store::SessionRecord&)> erase{};
};

// Nothing if the user left the list.
std::optional<Id> pick_session(terminal::Keyboard& keyboard, store::SessionStore& store,
                               const SessionChoice& choice);

}  // namespace skein::pick
