// What the agent works with (Parts), what the user may change between turns (Settings), and one
// turn in progress, with the one way its entries get into the session: saved, then shown.
#pragma once

#include "core/agent/conversation.h"
#include "core/budget/budget.h"
#include "core/context/build_context.h"
#include "core/handover/target.h"
#include "core/hooks/hooks.h"
#include "core/model/event.h"
#include "core/model/message.h"
#include "core/model/provider.h"
#include "core/model/state.h"
#include "core/model/tool.h"
#include "core/permission/policy.h"
#include "core/store/session_store.h"

namespace skein::agent {

// What the loop must know of a model.
struct ModelLimits {
  context::Window window{};
  bool summarize_by_rule = false;  // it cannot write a summary itself
  double tokens_per_guess = 0;     // at least; 0: not known
  bool cuts_silently = false;      // its server may shorten what is too long, without an error
  std::int64_t longest_answer = 0;
};

struct Settings;
struct Turn;

// The agents that calls are handed to, as the loop sees them.
class Delegates {
 public:
  virtual ~Delegates() = default;
  // Before calls that delegate, in the turn's thread: what holds now holds for those who are asked.
  virtual void bind(const Turn& turn) = 0;
  // Of a call that delegated and that a crash cut off: what is known of it now, for the model.
  virtual std::string left_behind(Id session, const model::ToolUse& call) const = 0;
};

// A part of the system prompt that may change while a session lives: then a message tells the
// model, for the prompt itself stays as it was first sent.
struct Surrounding {
  std::string name;       // for the model and the user, in the singular: "the workspace"
  std::string text;       // in its current form
  bool document = false;  // of several lines, by another author
};

// What has no value here must be given: the compiler warns if it is left out.
struct Parts {
  store::SessionStore& store;
  const model::Tools& tools;

  // Models.
  std::function<model::Provider&(const model::ModelRef&)> provider;
  std::function<ModelLimits(const model::ModelRef&)> limits;
  // The model's server has reported its window: `limits` should return it from now on.
  std::function<void(const model::ModelRef&, const ModelLimits&)> learn;
  // What to ask instead when this model's service cannot answer, in this order.
  std::function<std::vector<model::ModelRef>(const model::ModelRef&)> fallbacks;
  // What a model takes of a conversation. May be empty: then nothing is said of losses.
  std::function<handover::Target(const model::ModelRef&)> target{};
  // In dollars, for hooks; none: not known.
  std::function<std::optional<double>(const model::SessionState&)> cost;
  // What model calls may cost; null: there is no limit. With it, in dollars: what a call of
  // provider/model costs, and what the logs of a session and its sub-agents show.
  budget::Budget* budget = nullptr;
  std::function<std::optional<double>(const std::string& model, const model::Usage&)> price{};
  std::function<double(const Conversation&)> spent{};

  // What is saved.
  // Applied to everything that is stored and to the result of a turn: removes what must not be
  // kept, such as API keys.
  std::function<std::string(std::string)> clean;
  // See ToolPorts; may be empty.
  std::function<std::string(std::string_view bytes)> keep_blob{};
  model::FileKeeper* files = nullptr;  // may be null: then files are not kept
  // What has come of an answer is written down so often, in ms, so that a crash keeps it; 0: never.
  std::int64_t keep_deltas_ms = 0;
  std::function<std::string(Id session)> transcript;  // its file, for hooks

  // Permissions.
  // Why commands are not sandboxed and what would help; empty: they are. Called only when a command
  // is about to run, since finding out takes a while.
  std::function<std::string()> no_sandbox;
  // Remembers outside the session that the user gave it this rule on this machine. Returns why it
  // could not, or an empty string.
  std::function<std::string(Id session, const std::string& rule)> grant;
  // Remembers a rule for the workspace, whichever session is open. Returns why it could not.
  using KeepRule = std::function<std::string(const std::string& rule)>;
  KeepRule grant_here, revoke_here;

  // Surroundings.
  // Called when a turn begins, before anything of it is written: tools may have come or gone.
  std::function<void(const model::Ports&)> before_turn;
  // Before a turn: makes system prompt and surroundings what they are by now.
  std::function<void(Settings&)> look_around;
  // The instructions that are not in the system prompt and hold for this file of the workspace.
  // Their names are the paths of their files.
  std::function<std::vector<Surrounding>(const std::string& below)> nearby;

  // Other agents.
  Delegates* delegates = nullptr;  // may be null: then no tool delegates
  std::string sub_agent{};         // as which one it works; empty: for the user

  // What may come up during a turn.
  Inbox* inbox = nullptr;         // may be null: nothing comes from outside
  hooks::Hooks* hooks = nullptr;  // the user's own programs; null: there are none

  // An entry as it may be stored, as part of a run.
  model::Entry cleaned(model::Entry entry, std::string run_id = {}) const {
    entry.payload = clean(std::move(entry.payload));
    if (!entry.meta.empty()) entry.meta = clean(std::move(entry.meta));
    entry.run_id = std::move(run_id);
    return entry;
  }
};

struct Settings {
  model::ModelRef model{};
  std::optional<model::ModelRef> plan_model{};  // answers in plan mode; none: the same one
  std::string system{};                     // the whole system prompt as it would be rendered now
  std::vector<Surrounding> surroundings{};  // what of it may change
  std::map<std::string, std::string> servers{};  // that bring tools; see payload::RuntimeInit
  permission::Rules rules{};
  int max_calls = 100;                 // model calls per prompt
  std::vector<std::string> notices{};  // to be shown when a session opens
  double compact_at = 0.85;  // summarize when this part of the window is full; 0: only on request
};

// Why a turn ended, and what it came to.
struct TurnEnd {
  model::Stop stop = model::Stop::stop;
  std::string text{};         // of the last answer
  std::string error{};        // with Stop::error
  model::Usage usage{};       // of all model calls of the turn
  int calls = 0;              // model calls
  bool empty = false;         // the last answer says nothing
  bool at_its_limit = false;  // with Stop::error: of calls, dollars or time
  // The user wants the work to go on in a branch that begins with this prompt; empty: here.
  std::string new_branch_prompt{};
  JsonText new_branch_meta{};  // of its entry
  bool not_sent = false;       // the prompt was neither kept nor answered
  bool unanswered = false;     // it failed before anything of an answer came; see FailedPrompt
};
// How to report it; see model::Ending.
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
  std::optional<model::ModelRef> chosen_model{};    // in place of which the one for plans answers
  std::vector<permission::Rule> temporary_rules{};  // allowed until the turn ends
  Id answer = random_id();                      // that the answer to the running request will have
  std::optional<model::SentRequest> request{};  // that was sent last; none: there is no wire format
  std::optional<std::string> ended_by_hook{};   // why
  std::string over_budget{};                    // why the next model call must not be made
  int stops_blocked = 0;                        // how often a hook kept the turn from ending

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
  void end_at_limit(std::string why) {
    end.stop = model::Stop::error;
    end.at_its_limit = true;
    end.error = std::move(why);
  }

  // Until it is saved, the user gives up, or it cannot be saved at all.
  store::Result<store::AppendResult> send(
      const std::function<store::Result<store::AppendResult>()>& append) const;
  void tell(model::Notice::Level level, std::string text) const {
    ports.sink(model::Notice{level, std::move(text)});
  }
};

// The files of the workspace are saved before a tool may change anything and after the turn: what
// the keeper of files answers is written into the session and shown.
//
// Why the call must not be run; empty: it may. Throws Error if the session cannot be written.
std::string save_files(const Parts& parts, Turn& turn, const model::Tool& tool);
// For ToolPorts; empty if nothing is kept, or the tool changes more than one file.
std::function<std::string(const model::FileBefore&)> saves_file(const Parts& parts, Turn& turn,
                                                                const model::Tool& tool);
void save_changed_files(const Parts& parts, Turn& turn);

}  // namespace skein::agent
