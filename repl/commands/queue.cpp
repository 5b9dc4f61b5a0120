// /queue and /steer while nothing runs; during a turn the keyboard's own reader knows them.
#include "core/text/base.h"
#include "repl/commands/handlers.h"
#include "repl/session/session.h"

namespace skein::commands {

void show_queue(Session& session, std::string_view) {
  session.screen().print("nothing waits: lines are queued while a turn runs\n");
}

void steer(Session& session, std::string_view text) {
  if (text.empty()) throw Error("/steer takes what the model is to be told");
  session.turn(std::string(text));
}

}  // namespace skein::commands
