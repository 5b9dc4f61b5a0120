#include "core/agent/turn.h"

#include <chrono>
#include <utility>

#include "core/model/pause.h"
#include "core/model/turns.h"
#include "core/text/log.h"

namespace skein::agent {

model::Ending ending_of(const TurnEnd& end) {
  if (end.out_of_calls) return {end.error, true};
  return model::ending_of(end.stop, end.error, end.empty);
}

// A store at the other end of a network may be away for a while. What is to be saved stays here and
// is sent again, under the same ids, so that it does not matter whether it had arrived. Where
// nobody watches, that must end some time.
store::Result<store::AppendResult> Turn::send(
    const std::function<store::Result<store::AppendResult>()>& append) const {
  constexpr std::chrono::milliseconds between{500};
  constexpr std::chrono::seconds unattended{60};
  const auto deadline = std::chrono::steady_clock::now() + unattended;
  for (bool told = false;; told = true) {
    store::Result<store::AppendResult> outcome = append();
    if (outcome || outcome.error().kind != store::Failure::Kind::unreachable) {
      if (outcome && told) tell(model::Notice::Level::info, "connected again, and all is saved");
      return outcome;
    }
    if (!told && !ports.stopped())
      tell(model::Notice::Level::warning,
           outcome.error().text +
               "; what was said is kept in memory and sent until it arrives (^C gives up)");
    if ((!ports.ask && std::chrono::steady_clock::now() > deadline) ||
        !model::pause(ports, between))
      return outcome;
  }
}

// The disk may be full for a while: the batch stays here, and tools with side effects wait with it.
void Turn::commit(std::vector<model::Entry> entries) {
  for (;;) {
    const store::Result<store::AppendResult> outcome =
        send([&] { return conversation.append(entries); });
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

void Turn::commit_prompt(std::vector<model::Entry> entries,
                         const std::optional<FailedPrompt>& failed) {
  std::vector<model::Entry> arrived;
  const store::Result<store::AppendResult> outcome =
      send([&] { return conversation.append_prompt(entries, arrived, failed); });
  if (!outcome) throw Error(outcome.error().text, store::exit_status_of(outcome.error()));
  if (!arrived.empty())
    tell(model::Notice::Level::info,
         "Another process has continued this session; your message follows what it wrote:");
  for (const model::Entry& entry : arrived) {
    // The screen has shown its own prompts when they were typed, but not those of another process.
    if (model::is_prompt(entry) || model::is_note(entry))
      tell(model::Notice::Level::info, "› " + model::preview(entry, 400));
    ports.sink(model::Committed{entry});
  }
  for (const model::Entry& entry : outcome->entries) ports.sink(model::Committed{entry});
}

}  // namespace skein::agent
