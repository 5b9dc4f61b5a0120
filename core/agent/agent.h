// The loop: a prompt becomes saved entries, model calls and tool calls, until the model is done.
// ModelCaller asks the model, CallRunner runs the calls of its answer; what either brings is saved,
// then shown. Recovery does what is left to do after a crash.
#pragma once

#include "core/agent/call_runner.h"
#include "core/agent/hook_points.h"
#include "core/agent/model_caller.h"
#include "core/agent/plan_mode.h"
#include "core/agent/prompt_context.h"
#include "core/agent/recovery.h"
#include "core/agent/turn.h"

namespace skein::agent {

class Agent {
 public:
  using Parts = agent::Parts;
  using Settings = agent::Settings;

  explicit Agent(Parts parts) : parts_(std::move(parts)) {}
  Agent(const Agent&) = delete;  // what asks the model and the user refers to parts_

  // A message to be answered.
  struct Prompt {
    model::Message message;
    JsonText meta{};                             // of its entry
    std::vector<std::string> temporary_rules{};  // until it is answered; see ToolOutcome

    Prompt(model::Message said, JsonText about = {}, std::vector<std::string> rules = {})
        : message(std::move(said)), meta(std::move(about)), temporary_rules(std::move(rules)) {}
  };
  // One prompt, to its end. Throws Error only if the session cannot be written.
  TurnEnd run_turn(Conversation& conversation, const Prompt& prompt, Settings& settings,
                   const model::Ports& ports);
  // Continues without a prompt where a turn stopped or crashed. If the path ends in an answer, a
  // message of our own asks the model to go on, since many services refuse a request that ends in
  // one.
  TurnEnd go_on(Conversation& conversation, Settings& settings, const model::Ports& ports);

  // For commands in the user's own texts.
  CallRunner& calls() { return calls_; }

  // A message that needs no answer: something the user did, for the model to read with the next
  // prompt.
  void note(Conversation& conversation, const std::string& text, Settings& settings,
            const model::Ports& ports);
  // The same, for one that was made elsewhere and may set something.
  void note(Conversation& conversation, model::Entry note, Settings& settings,
            const model::Ports& ports);
  // A question outside the conversation, and what the model answered. It is kept as an entry that
  // is on no path; the answer that is returned is not an entry.
  model::Message ask_aside(Conversation& conversation, const std::string& question,
                           Settings& settings, const model::Ports& ports);
  // See ModelCaller.
  context::BuiltContext context(Conversation& conversation, const Settings& settings) {
    return models_.context(conversation, settings);
  }
  Compacted compact(Conversation& conversation, const std::string& focus, const Settings& settings,
                    const model::Ports& ports);
  // Records that `text` is sent instead of the results in an entry; the entry stays as it is.
  // Throws Error if it cannot be saved.
  void drop_result(Conversation& conversation, Id entry, const std::string& text,
                   const Settings& settings, const model::Ports& ports);
  // For what happens outside of a turn.
  HookPoints& hooks() { return hooks_; }

  // After a crash.
  Recovery& recovery() { return recovery_; }

 private:
  TurnEnd take_turn(Conversation& conversation, const Prompt* prompt, Settings& settings,
                    const model::Ports& ports);
  // What comes before the first request of a turn, with a prompt or without (null). False: the
  // prompt is not to be sent.
  bool begin(Turn& turn, const Prompt* prompt);
  void loop(Turn& turn);
  // And saves the answer. nullopt: the budget does not allow the call.
  std::optional<model::Message> ask(Turn& turn);
  void end(Turn& turn);
  // Entries for what has changed since the session last recorded it: system prompt, tools, model.
  std::vector<model::Entry> changed_context(const Turn& turn);
  std::vector<model::Entry> arrived(const Turn& turn) const;  // see Inbox
  void take_in_arrived(Turn& turn);

  Parts parts_;
  PromptContext context_{parts_};
  HookPoints hooks_{parts_};
  ModelCaller models_{parts_, context_, hooks_};
  CallRunner calls_{parts_, context_, hooks_};
  Recovery recovery_{parts_, calls_};
  PlanMode plan_mode_{parts_};
};

}  // namespace skein::agent
