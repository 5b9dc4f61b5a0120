// /btw: a question beside the conversation.
#include "repl/commands/handlers.h"
#include "repl/session/session.h"

namespace skein::commands {

void ask_aside(Session& session, std::string_view question) {
  if (question.empty())
    throw Error(
        "/btw takes a question: the model answers it from what it knows by now, without tools, and "
        "neither becomes part of the conversation");
  session.ask_aside(std::string(question));
}

}  // namespace skein::commands
