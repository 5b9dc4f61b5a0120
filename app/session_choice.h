// Which session an invocation means.
#pragma once

#include <functional>
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

// Those whose key, title or id has `text` in it, in any case; a whole key means that one alone, and
// so does a title that no other has.
std::vector<store::SessionRecord> sessions_with(store::SessionStore& store,
                                                const std::string& text);

// Asks whether to go on with a session that was begun in another folder of the same project.
using OfferSession = std::function<bool(const store::SessionRecord&)>;

// Throws Error when there is no such session or the choice is not clear. Without `offer` nobody is
// asked.
ChosenSession choose_session(store::SessionStore& store, const Invocation& invocation,
                             const std::string& workspace, const OfferSession& offer = {});

}  // namespace skein::app
