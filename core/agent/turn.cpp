#include "core/agent/turn.h"

#include <utility>

#include "core/text/log.h"

namespace skein::agent {

model::Ending ending_of(const TurnEnd& end) {
  if (end.out_of_calls) return {end.error, true};
  return model::ending_of(end.stop, end.error, end.empty);
}

// The disk may be full for a while: the batch stays here, and tools with side effects wait with it.
void Turn::commit(std::vector<model::Entry> entries) {
  for (;;) {
    const store::Result<store::AppendResult> outcome = conversation.append(entries);
    if (outcome) {
      for (const model::Entry& entry : outcome->entries) ports.sink(model::Committed{entry});
      return;
    }
    const store::Failure& failure = outcome.error();
    log_warning("not saved", {{"session", to_string(conversation.session())},
                              {"kind", static_cast<int>(failure.kind)}});
    tell(model::Notice::Level::error, failure.text);
    const bool again = failure.kind == store::Failure::Kind::no_space ||
                       failure.kind == store::Failure::Kind::busy;
    if (!again || !ports.ask ||
        ports.ask({"This could not be saved yet. Try again?", failure.text, ""}).choice ==
            model::Answer::Choice::no)
      throw Error(failure.text, store::exit_status_of(failure));
  }
}

void Turn::commit_prompt(std::vector<model::Entry> entries) {
  std::vector<model::Entry> arrived;
  const store::Result<store::AppendResult> outcome =
      conversation.append_prompt(std::move(entries), arrived);
  if (!outcome) throw Error(outcome.error().text, store::exit_status_of(outcome.error()));
  if (!arrived.empty())
    tell(model::Notice::Level::info,
         "Another process has gone on in this session meanwhile; your message follows what it "
         "wrote:");
  for (const model::Entry& entry : arrived) ports.sink(model::Committed{entry});
  for (const model::Entry& entry : outcome->entries) ports.sink(model::Committed{entry});
}

}  // namespace skein::agent
