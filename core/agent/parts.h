// What the agent works with (Parts) and what the user may change between turns (Settings).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/agent/inbox.h"
#include "core/context/build_context.h"
#include "core/handover/target.h"
#include "core/hooks/hooks.h"
#include "core/model/file_keeper.h"
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
};

struct Settings;
struct Turn;

// Something the system prompt tells that may change while a session lives: then the model is told
// in a message, for the prompt itself stays as it was first sent.
struct Surrounding {
  std::string name;       // for the model and the user, in the singular: "the workspace"
  std::string text;       // as it is now
  bool document = false;  // of several lines, somebody else's
};

struct Parts {
  store::SessionStore& store;
  const model::Tools& tools;
  std::function<model::Provider&(const model::ModelRef&)> provider;
  // Applied to everything that is stored and to the result of a turn: removes what must not be
  // kept, such as API keys.
  std::function<std::string(std::string)> clean = [](std::string text) { return text; };
  std::function<std::string(std::string_view bytes)> keep_blob{};
  std::function<ModelLimits(const model::ModelRef&)> limits = [](const model::ModelRef&) {
    return ModelLimits{};
  };
  // The model's server has reported its window: `limits` should return it from now on.
  std::function<void(const model::ModelRef&, const ModelLimits&)> learn = [](const model::ModelRef&,
                                                                             const ModelLimits&) {};
  // What to ask instead when this model's service cannot answer, in this order.
  std::function<std::vector<model::ModelRef>(const model::ModelRef&)> fallbacks =
      [](const model::ModelRef&) { return std::vector<model::ModelRef>{}; };
  // What a model takes of a conversation. May be empty: then nothing is said of losses.
  std::function<handover::Target(const model::ModelRef&)> target{};
  model::FileKeeper* files = nullptr;  // may be null: then files are not kept
  // What has come of an answer is written down so often, in ms, so that a crash keeps it; 0: never.
  std::int64_t keep_deltas_ms = 0;
  // Why commands are not sandboxed and what would help; empty: they are. Called only when a command
  // is about to run, since finding out takes a while.
  std::function<std::string()> no_sandbox = [] { return std::string("there is no sandbox"); };
  // Called when a turn begins, before anything of it is written: tools may have come or gone.
  std::function<void(const model::Ports&)> before_turn = [](const model::Ports&) {};
  // Remembers outside the session that the user gave it this rule on this machine. Returns why it
  // could not, or an empty string.
  std::function<std::string(Id session, const std::string& rule)> grant =
      [](Id, const std::string&) { return std::string{}; };
  // Remembers a rule for the workspace, whichever session is open. Returns why it could not.
  std::function<std::string(const std::string& rule)> grant_here = [](const std::string&) {
    return std::string("there is no place to keep it");
  };
  std::function<std::string(const std::string& rule)> revoke_here = [](const std::string&) {
    return std::string{};
  };
  // Before a turn: makes system prompt and surroundings what they are by now.
  std::function<void(Settings&)> look_around = [](Settings&) {};
  // The instructions that are not in the system prompt and hold for this file of the workspace.
  // Their names are the paths of their files.
  std::function<std::vector<Surrounding>(const std::string& below)> nearby =
      [](const std::string&) { return std::vector<Surrounding>{}; };
  // Before calls that delegate, in the turn's thread: what holds now holds for those who are asked.
  std::function<void(const Turn&)> before_delegating = [](const Turn&) {};
  // Of a call that delegated and that a crash cut off: what there is of it by now, for the model.
  std::function<std::string(Id session, const model::ToolUse& call)> left_behind =
      [](Id, const model::ToolUse&) { return std::string{}; };
  Inbox* inbox = nullptr;         // may be null: nothing comes from outside
  hooks::Hooks* hooks = nullptr;  // the user's own programs; null: there are none
  std::string sub_agent{};        // as which one it works; empty: for the user
  // What they are told of a session besides: its file, and what it has cost.
  std::function<std::string(Id session)> transcript = [](Id) { return std::string{}; };
  std::function<std::optional<double>(const model::SessionState&)> cost =
      [](const model::SessionState&) { return std::optional<double>{}; };
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

}  // namespace skein::agent
