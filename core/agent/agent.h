// The loop: a prompt becomes saved entries, model calls and tool calls, until the model is done.
// Saved, then shown: what the sink hears as Committed is on disk.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/agent/conversation.h"
#include "core/context/build_context.h"
#include "core/model/ending.h"
#include "core/model/event.h"
#include "core/model/provider.h"
#include "core/model/tool.h"
#include "core/permission/policy.h"

namespace skein::agent {

// Why a turn ended, and what it came to.
struct TurnEnd {
  model::Stop stop = model::Stop::stop;
  std::string text{};         // of the last answer
  std::string error{};        // with Stop::error
  model::Usage usage{};       // of all model calls of the turn
  int calls = 0;              // model calls
  bool empty = false;         // the last answer says nothing
  bool out_of_calls = false;  // with Stop::error: only the number of calls was the limit
};
// What there is to say about it; see core/model/ending.
model::Ending ending_of(const TurnEnd& end);

// What the loop must know of a model.
struct ModelLimits {
  context::Window window{};
  bool summarize_by_rule = false;  // it cannot sum up itself
  double tokens_per_guess = 0;     // at least; 0: not known
};

// What came of an attempt to put a summary in the place of what is long ago.
struct Compacted {
  bool done = false;
  std::string why_not{};               // then nothing was written
  std::int64_t before = 0, after = 0;  // tokens of the whole request
  model::Usage usage{};
};

class Agent {
 public:
  struct Parts {
    store::SessionStore& store;
    const model::Tools& tools;
    std::function<model::Provider&(const model::ModelRef&)> provider;
    // Applied to everything that is stored, and to how a turn ended: takes out what must not be,
    // such as keys.
    std::function<std::string(std::string)> clean = [](std::string text) { return text; };
    std::function<std::string(std::string_view bytes)> keep_blob{};
    std::function<ModelLimits(const model::ModelRef&)> limits = [](const model::ModelRef&) {
      return ModelLimits{};
    };
    // The model's server has told its window: `limits` should know it from now on.
    std::function<void(const model::ModelRef&, const ModelLimits&)> learn =
        [](const model::ModelRef&, const ModelLimits&) {};
    // Why commands are not shut in and what would help; empty: they are. Asked when one is about to
    // run, since finding out takes a while.
    std::function<std::string()> no_sandbox = [] { return std::string("there is no sandbox"); };
    // Remembers outside the session that the user gave it this rule, here. Returns why it could
    // not.
    std::function<std::string(Id session, const std::string& rule)> grant =
        [](Id, const std::string&) { return std::string{}; };
  };
  struct Settings {
    model::ModelRef model{};
    std::string system{};  // the whole system prompt, as it is now
    permission::Rules rules{};
    int max_calls = 100;                 // model calls per prompt
    std::vector<std::string> notices{};  // what the user should know of them, when a session opens
    double compact_at = 0.85;  // the part of the window that may be full; 0: never by itself
  };

  explicit Agent(Parts parts) : parts_(std::move(parts)) {}

  // One prompt, to its end. Throws Error only if the session cannot be written.
  TurnEnd run_turn(Conversation& conversation, const model::Message& prompt, Settings& settings,
                   const model::Ports& ports);
  // The same without a prompt: goes on where a turn stopped or crashed. Where that is in or after
  // an answer, a message of our own asks for it, since many services refuse a request that ends in
  // an answer.
  TurnEnd go_on(Conversation& conversation, Settings& settings, const model::Ports& ports);

  // A message that asks for no answer: what the user did meanwhile, for the model to read with the
  // next prompt.
  void note(Conversation& conversation, const std::string& text, Settings& settings,
            const model::Ports& ports);
  // The request that would be made now; of images only the names.
  context::BuiltContext context(Conversation& conversation, const Settings& settings);
  // Sums up what is long ago; `focus` says what matters, and may be empty. If it fails, the session
  // stays as it was.
  Compacted compact(Conversation& conversation, const std::string& focus, const Settings& settings,
                    const model::Ports& ports);

  // Answers the calls a crash left without a result. Those of tools that only read may be run after
  // asking; nothing that changes the world is ever run again by itself. While another process is at
  // work in the session, its calls are left to it. How many were answered.
  std::size_t recover(Conversation& conversation, const model::Ports& ports,
                      const permission::Rules& rules = {});
  // Whether a turn ended, by a crash or an error, before the model had answered, and no other
  // process is at it.
  bool lacks_answer(const Conversation& conversation, const model::Ports& ports);

 private:
  struct Turn;  // what belongs to one turn: its id, its settings, its ports

  // Entries for what is not as the session last knew it: system prompt, tools, model.
  std::vector<model::Entry> changed_surroundings(const Turn& turn) const;
  store::SessionLease hold(Id session);  // none: it cannot be had now
  store::Result<store::SessionLease> hold_alone(Id session, const model::Ports& ports);
  TurnEnd loop(Turn& turn);
  bool run_calls(Turn& turn, const model::Message& reply);
  void refuse_calls(Turn& turn, std::span<const model::ToolUse* const> calls);
  static bool may_try_again(Turn& turn, const model::Message& reply);
  model::ToolOutcome run_call(Turn& turn, const model::ToolUse& call);

  // core/agent/agent_permission.cpp: whether a call is run, and as what: the user may rewrite it.
  struct Permission {
    bool given = false;
    std::string note{};                  // for the model: why not, or what the user made of it
    std::optional<std::string> place{};  // what was judged, as Decision says it
  };
  Permission permitted(Turn& turn, const model::Tool& tool, model::ToolUse& call);
  Permission ask_user(Turn& turn, const model::Tool& tool, model::ToolUse& call,
                      permission::Decision decision);
  void keep_rules(Turn& turn, const std::vector<permission::Rule>& given);

  model::ToolOutcome execute(const model::Tool& tool, const model::ToolUse& call,
                             const model::Ports& ports, const permission::Rules& rules,
                             const std::optional<std::string>& judged);
  void commit(Turn& turn, std::vector<model::Entry> entries);
  void commit_prompt(Turn& turn, std::vector<model::Entry> entries);
  void answer(Turn& turn, const model::ToolUse& call, const model::ToolOutcome& outcome);
  model::Entry entry_for(const model::Message& message, const std::string& run_id) const;

  // core/agent/agent_model.cpp: asking the model, and keeping what it is asked inside its window.
  model::Message ask_model(Turn& turn);
  std::optional<model::delta::Overflow> send(Turn& turn, const context::BuiltContext& built,
                                             model::Message& reply);
  void make_room(Turn& turn);
  bool make_room_after(Turn& turn, const context::BuiltContext& refused,
                       const model::delta::Overflow& told);
  void compact_unasked(Turn& turn, std::int64_t size, std::int64_t limit);
  void tell_of_gaps(const Turn& turn, const context::BuiltContext& built);
  context::ContextSource source_of(const Conversation& conversation,
                                   const Settings& settings) const;
  ModelLimits limits_of(const model::ModelRef& model) const;
  context::Window window_of(const model::ModelRef& model) const { return limits_of(model).window; }
  std::int64_t limit_of(const Settings& settings) const;

  Parts parts_;
  bool told_of_sandbox_ = false;
  context::ContextCache contexts_{};
  // By provider/model: what is left of the window after a request was refused as too long.
  std::map<std::string, ModelLimits> learned_{};
  // How large a session was when a summary of it came to nothing.
  std::map<Id, std::int64_t> failed_compactions_{};
  // What the user has been told is left out.
  struct Gaps {
    std::optional<Id> before{};
    std::size_t pruned = 0;
    bool operator==(const Gaps&) const = default;
  };
  std::map<Id, Gaps> told_gaps_{};
};

}  // namespace skein::agent
