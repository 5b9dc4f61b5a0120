#include "providers/offline.h"

#include <poll.h>

#include <string>

namespace skein {

namespace {

std::string answer_to(const Context& context) {
  std::size_t prompts = 0;
  std::string last;
  for (const Message& message : context.messages)
    if (message.role == Role::user) ++prompts, last = plain_text(message);
  return "You said: " + last +
         "\n\nI am `offline/demo`, the model built into skein: I answer by rule, "
         "I do not reason. This was prompt " +
         std::to_string(prompts) + " of this session.\n";
}

}  // namespace

Message OfflineProvider::stream(const Context& context, const ModelRef& model, const Ports& ports) {
  Message reply{.role = Role::assistant, .provider = model.provider, .model = model.model};
  const std::string answer = answer_to(context);
  std::string said;
  // Word by word, at a reader's pace, so that streaming and stopping can be seen.
  for (std::size_t at = 0; at < answer.size() && !ports.stopped();) {
    const std::size_t end = std::min(answer.find(' ', at), answer.size() - 1) + 1;
    const std::string word = answer.substr(at, end - at);
    said += word;
    ports.sink(Streaming{delta::TextPiece{"", word}});
    at = end;
    // poll, not sleep: a signal ends it at once.
    ::poll(nullptr, 0, 10);
  }
  reply.stop = ports.stopped() ? Stop::aborted : Stop::stop;
  reply.content.emplace_back(Text{said});
  return reply;
}

}  // namespace skein
