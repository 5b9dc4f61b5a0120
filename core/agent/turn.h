// One turn in progress, and the one way its entries get into the session: saved, then shown.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/agent/conversation.h"
#include "core/agent/parts.h"
#include "core/model/ending.h"
#include "core/model/event.h"

namespace skein::agent {

// Why a turn ended, and what it came to.
struct TurnEnd {
  model::Stop stop = model::Stop::stop;
  std::string text{};         // of the last answer
  std::string error{};        // with Stop::error
  model::Usage usage{};       // of all model calls of the turn
  int calls = 0;              // model calls
  bool empty = false;         // the last answer says nothing
  bool out_of_calls = false;  // with Stop::error: the limit on model calls was reached
  // The user wants the work to go on in a branch that begins with this prompt; empty: here.
  std::string anew{};
  JsonText anew_meta{};     // of its entry
  bool not_sent = false;    // the prompt was neither kept nor answered
  bool unanswered = false;  // it failed before anything of an answer came; see FailedPrompt
};
// How to report it; see core/model/ending.
model::Ending ending_of(const TurnEnd& end);

struct Turn {
  Conversation& conversation;
  Settings& settings;
  const model::Ports& ports;
  std::string run_id = to_string(random_id());
  TurnEnd end{};
  std::vector<model::ModelRef> failed_models{};  // that could not answer; the chosen one first
  int faulty_replies = 0;                        // in a row: with calls that cannot be read
  bool asked_after_cut = false;          // the model was asked again after the limit cut a call
  std::optional<Id> prompt{};            // that it answers
  std::optional<model::Stop> decided{};  // the user ended it with an answer to the model
  std::optional<model::ModelRef> chosen_model{};  // in place of which the one for plans answers
  std::vector<permission::Rule> lent{};           // allowed until the turn ends
  Id answer = random_id();                     // that the answer to the running request will have
  std::optional<std::string> ended_by_hook{};  // why
  int stops_blocked = 0;                       // how often a hook kept the turn from ending

  // What the sink hears as Committed is on disk. Throws Error if it cannot be written.
  void commit(std::vector<model::Entry> entries);
  // A prompt: it follows what other processes wrote since, and that is shown first. See
  // Conversation::append_prompt.
  void commit_prompt(std::vector<model::Entry> entries,
                     const std::optional<FailedPrompt>& failed = std::nullopt);

  void end_by_hook() {
    end.stop = model::Stop::error;
    end.error = "a hook ended the turn: " + *ended_by_hook;
  }

  // Until it is saved, the user gives up, or it cannot be saved at all.
  store::Result<store::AppendResult> send(
      const std::function<store::Result<store::AppendResult>()>& append) const;
  void tell(model::Notice::Level level, std::string text) const {
    ports.sink(model::Notice{level, std::move(text)});
  }
};

}  // namespace skein::agent
