#include "core/agent.h"

#include "core/entry.h"

namespace skein {

void Agent::commit(const Message& message, const Ports& ports) {
  path_.push_back(message);
  ports.sink(Committed{message_entry(message)});
}

TurnEnd Agent::run_turn(const std::string& prompt, const ModelRef& model, const Ports& ports) {
  commit(user_message(prompt), ports);

  Context context{.messages = path_};
  for (const Tool& tool : tools_) context.tools.push_back(tool.spec());
  const Message reply = provider_.stream(context, model, ports);

  commit(reply, ports);
  return {reply.stop, plain_text(reply), reply.error};
}

}  // namespace skein
