// The points of a turn at which the user's own programs are run, and what their answers do to it.
// Without programs for an event each of these returns at once.
#pragma once

#include "core/agent/turn.h"
#include "core/hooks/hooks.h"

namespace skein::agent {

class HookPoints {
 public:
  // `parts` must outlive this.
  explicit HookPoints(const Parts& parts) : parts_(parts) {}

  // SessionStart, once for each session.
  void begin(Turn& turn);

  // UserPromptSubmit.
  struct Prompted {
    std::string refusal{};                // why the prompt is not to be sent; empty: it may be
    std::vector<model::Entry> entries{};  // to be written before it
    std::vector<std::string> contexts{};  // what they say of it, for the model
  };
  Prompted before_prompt(Turn& turn, const model::Message& prompt);
  // A question outside the conversation: why it is not to be sent; empty: it may be.
  std::string before_aside(Turn& turn, const std::string& question);

  // What hooks say of a call. They may have changed it: then `note` tells the model.
  struct Verdict {
    hooks::HookChoice choice = hooks::HookChoice::none;
    std::string reason{};
    std::string note{};
  };
  Verdict before_call(Turn& turn, model::ToolUse& call);
  Verdict before_question(Turn& turn, const model::Tool& tool, model::ToolUse& call,
                          const std::vector<std::string>& suggestions);
  void after_call(Turn& turn, const model::ToolUse& call, model::ToolOutcome& outcome);

  // Stop, or SubagentStop: a message that keeps the model from ending; nothing: it may end.
  std::optional<model::Entry> at_stop(Turn& turn);
  void turn_done(Turn& turn);

  // The two of `before` return why it must not be; empty: it may.
  std::string before_compaction(Turn& turn, bool asked_for, const std::string& focus);
  std::string before_model(Turn& turn, const model::ModelRef& to,
                           const std::vector<std::string>& losses);
  void after_compaction(Turn& turn, bool asked_for, const std::string& summary);
  void after_model(Turn& turn, const model::ModelRef& from, const std::vector<std::string>& losses);

  // SessionEnd, if the session has begun here.
  void session_ends(Turn& turn, std::string_view reason);

 private:
  bool any(hooks::Event event) const { return parts_.hooks != nullptr && parts_.hooks->any(event); }
  hooks::HookOutcome run(Turn& turn, hooks::Event event, const hooks::HookSubject& subject);
  // And records what came of it, if there are hooks for the event. See HookSubject.
  hooks::HookOutcome ask(Turn& turn, hooks::Event event, std::string_view name,
                         const std::function<JsonText()>& more,
                         const model::ToolUse* call = nullptr);
  Prompted submit(Turn& turn, const std::string& text, const std::vector<std::string>& attachments);
  void begin_session(Turn& turn, std::string_view source);
  Verdict verdict_of(Turn& turn, hooks::Event event, model::ToolUse& call, const JsonText& more);

  const Parts& parts_;
  std::set<Id> begun_{};  // sessions that SessionStart was run for
  bool any_begun_ = false;
  // What SessionStart had to say, for the next prompt.
  std::map<Id, std::vector<std::string>> waiting_{};
};

}  // namespace skein::agent
