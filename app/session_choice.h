// Which session an invocation means.
#pragma once

#include "app/invocation/cli.h"
#include "core/store/session_store.h"
#include "repl/screen/screen.h"
#include "repl/terminal/keyboard.h"

namespace skein::app {

struct ChosenSession {
  Id session{};
  bool remember = true;  // a bare `skein` may continue it
};

// Asks whether to go on with a session that was begun in another folder of the same project.
using OfferSession = std::function<bool(const std::string& question)>;

// -r at a terminal: the session that the user chooses from a list, unless the text fits exactly
// one. Without a keyboard the list is numbered. nullopt: the user left the list.
std::optional<Invocation> chosen_by_user(const Invocation& invocation, terminal::Keyboard* keyboard,
                                         screen::Screen& screen, store::SessionStore& store,
                                         const std::string& workspace);

// Throws Error when there is no such session or the choice is not clear. Without `offer` the user
// is not asked.
ChosenSession choose_session(store::SessionStore& store, const Invocation& invocation,
                             const std::string& workspace, const OfferSession& offer = {});

}  // namespace skein::app
