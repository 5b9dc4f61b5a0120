// /follow: what another process says in a session.
#include <utility>

#include "repl/commands/handlers.h"
#include "repl/commands/named_session.h"
#include "repl/follow/at_terminal.h"
#include "repl/session/session.h"

namespace skein::commands {

namespace {

constexpr std::size_t shown_before = 4;  // messages

}  // namespace

void follow_session(Session& session, std::string_view name) {
  if (session.keyboard() == nullptr)
    throw Error("/follow needs a terminal; `skein follow KEY` follows without one");
  const Id followed = name.empty()
                          ? session.id()
                          : store::value_or_throw(named_session(session, name)).header.session;
  const follow::End end = follow::follow(
      session.store(), followed, followed == session.id() ? 0 : shown_before,
      follow::ports_at(*session.keyboard(), session.screen(), session.begin_stoppable()));
  // Ours has gone on as well, if that is what was followed.
  if (end == follow::End::taken_over || followed == session.id()) session.open(followed);
}

// What is said there in between would be lost on the agent.
bool followed_instead(Session& session, Id id) {
  if (!session.services().agent_works_in(id)) return false;
  if (session.keyboard() == nullptr)
    throw Error("an agent is still at work there; /agents shows how far it is");
  session.screen().print(
      "An agent is still at work there, so this only follows it; q ends that.\n");
  follow::Ports ports =
      follow::ports_at(*session.keyboard(), session.screen(), session.begin_stoppable());
  ports.can_take_over = false;
  ports.wait = [wait = std::move(ports.wait)](int descriptor, std::chrono::milliseconds pause) {
    const follow::Wish wish = wait(descriptor, pause);
    return wish == follow::Wish::take_over ? follow::Wish::none : wish;
  };
  follow::follow(session.store(), id, shown_before, ports);
  return true;
}

}  // namespace skein::commands
