// What is left to do in a session after a crash: calls without results, an answer of which only
// pieces are there.
#pragma once

#include "core/agent/call_runner.h"
#include "core/agent/turn.h"

namespace skein::agent {

class Recovery {
 public:
  // Both must outlive this.
  Recovery(const Parts& parts, CallRunner& calls) : parts_(parts), calls_(calls) {}

  // Answers the calls a crash left without a result and says how many. Calls that only read may be
  // run again if the user agrees; a question to the user is asked again; calls that change
  // something are never run again. While another process is working in the session, its calls are
  // left to it.
  struct Recovered {
    std::size_t calls = 0;
    std::string new_branch_prompt{};  // see TurnEnd
    JsonText new_branch_meta{};
  };
  Recovered recover(Conversation& conversation, Settings& settings, const model::Ports& ports);
  // Whether a turn ended in a crash or an error before the model had answered, and no other process
  // is working on it.
  bool lacks_answer(const Conversation& conversation, const model::Ports& ports) const;
  // Results for calls that are left open where the conversation is resumed, in the words that
  // replace them in a request. They are written before anything else is said: a result that came
  // later would change what has been sent.
  std::vector<model::Entry> closed_calls(const Turn& turn) const;

 private:
  store::Result<store::SessionLease> hold_alone(Id session, const model::Ports& ports) const;
  void keep_unfinished(Conversation& conversation, const model::Ports& ports);
  model::ToolOutcome run_again(Turn& turn, const model::ToolUse& call);

  const Parts& parts_;
  CallRunner& calls_;
};

}  // namespace skein::agent
