// Which session an invocation means.
#pragma once

#include <string>
#include <vector>

#include "app/cli.h"
#include "core/store/session_store.h"

namespace skein::app {

struct ChosenSession {
  Id session{};
  bool resumed = false;  // it was there before
  bool remember = true;  // a bare `skein` may continue it
};

// Those whose key, title or id has `text` in it, in any case; a whole key means that one alone.
std::vector<store::SessionRecord> sessions_with(store::SessionStore& store,
                                                const std::string& text);

// Throws Error when there is no such session or the choice is not clear.
ChosenSession choose_session(store::SessionStore& store, const Invocation& invocation,
                             const std::string& workspace);

}  // namespace skein::app
