// /follow: what another process says in a session.
#include "repl/commands/handlers.h"
#include "repl/follow/at_terminal.h"
#include "repl/session/session.h"

namespace skein::commands {

void follow_session(Session& session, std::string_view name) {
  if (session.keyboard() == nullptr)
    throw Error("/follow needs a terminal; `skein follow KEY` follows without one");
  const Id followed = name.empty()
                          ? session.id()
                          : store::value_or_throw(session.store().find(name)).header.session;
  constexpr std::size_t before = 4;
  const follow::End end = follow::follow(
      session.store(), followed, followed == session.id() ? 0 : before,
      follow::ports_at(*session.keyboard(), session.screen(), session.begin_stoppable()));
  // Ours has gone on as well, if that is what was followed.
  if (end == follow::End::taken_over || followed == session.id()) session.open(followed);
}

}  // namespace skein::commands
