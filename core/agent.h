// The loop: a prompt becomes saved entries, model calls and tool calls, until the model is done.
// Saved, then shown: what the sink hears as Committed is on disk.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/conversation.h"
#include "core/event.h"
#include "core/policy.h"
#include "core/provider.h"
#include "core/tool.h"

namespace skein {

// Why a turn ended, and what it came to.
struct TurnEnd {
  Stop stop = Stop::stop;
  std::string text{};   // of the last answer
  std::string error{};  // with Stop::error
  Usage usage{};        // of all model calls of the turn
  int calls = 0;        // model calls
};

class Agent {
 public:
  struct Parts {
    SessionStore& store;
    const Tools& tools;
    std::function<Provider&(const ModelRef&)> provider;
    // Applied to everything that is stored: takes out what must not be, such as keys.
    std::function<std::string(std::string)> clean = [](std::string text) { return text; };
    std::function<std::string(std::string_view bytes)> keep_blob{};
    // Why commands are not shut in and what would help; empty: they are. Asked when one is about to
    // run, since finding out takes a while.
    std::function<std::string()> no_sandbox = [] { return std::string("there is no sandbox"); };
  };
  struct Settings {
    ModelRef model{};
    std::string system{};  // the whole system prompt, as it is now
    Rules rules{};
    int max_calls = 100;  // model calls per prompt
  };

  explicit Agent(Parts parts) : parts_(std::move(parts)) {}

  // One prompt, to its end. Throws Error only if the session cannot be written.
  TurnEnd run_turn(Conversation& conversation, const std::string& prompt, Settings& settings,
                   const Ports& ports);
  // The same without a new message: goes on where a turn stopped or crashed.
  TurnEnd go_on(Conversation& conversation, Settings& settings, const Ports& ports);

  // A message that asks for no answer: what the user did meanwhile, for the model to read with the
  // next prompt.
  void note(Conversation& conversation, const std::string& text, Settings& settings,
            const Ports& ports);

  // Answers the calls a crash left without a result. Those of tools that only read may be run after
  // asking; nothing that changes the world is ever run again by itself. While another process is at
  // work in the session, its calls are left to it. How many were answered.
  std::size_t recover(Conversation& conversation, const Ports& ports);

 private:
  struct Turn;  // what belongs to one turn: its id, its settings, its ports

  // Entries for what is not as the session last knew it: system prompt, tools, model.
  std::vector<Entry> changed_surroundings(const Turn& turn) const;
  Hold hold(Id session);  // none: it cannot be had now
  TurnEnd loop(Turn& turn);
  Message ask_model(Turn& turn);
  bool run_calls(Turn& turn, const Message& reply);
  ToolOutcome run_call(Turn& turn, const ToolUse& call);
  bool permitted(Turn& turn, const Tool& tool, const ToolUse& call, std::string& why_not);
  bool ask_user(Turn& turn, const Tool& tool, const ToolUse& call, std::string& why_not);
  ToolOutcome execute(const Tool& tool, const ToolUse& call, const Ports& ports);
  void commit(Turn& turn, std::vector<Entry> entries);
  void commit_prompt(Turn& turn, std::vector<Entry> entries);
  void answer(Turn& turn, const ToolUse& call, const ToolOutcome& outcome);
  Entry entry_for(const Message& message, const std::string& run_id) const;

  Parts parts_;
  bool told_of_sandbox_ = false;
};

}  // namespace skein
