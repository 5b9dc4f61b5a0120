// A session that no user sits at: what print mode and programs that drive skein have in common.
#pragma once

#include "app/application.h"
#include "app/session_choice.h"
#include "core/agent/agent.h"
#include "core/model/attachments.h"
#include "core/model/event.h"
#include "repl/screen/turn_view.h"

namespace skein::app::driven {

// What a turn took.
struct Spent {
  std::int64_t began = now_ms();
  screen::TurnSummary turn{};  // its cost is known only to the catalog
  double all_turns_usd = 0;    // of this process so far, with their sub-agents

  void hear(const model::Event& event);
};

// "/name …" is a command of the project or the user, if there is one; else it is plain text. There
// is no user to ask: what the rules do not allow ends it.
project::RenderedCommand rendered_prompt(Application& application, const std::string& prompt,
                                         const permission::Rules& rules,
                                         const std::atomic<bool>& stop);

// Only files named in `words` are attached. There is no user to ask, so what needs permission is
// left out; `remarks` then says why.
model::PromptWithFiles with_named_files(Application& application, const std::string& prompt,
                                        const std::string& words, const permission::Rules& rules,
                                        const std::atomic<bool>& stop,
                                        std::vector<std::string>& remarks);

// What went wrong; empty: nothing did. `advice` is added where it makes sense to continue.
std::string trouble_with(const agent::TurnEnd& end, const std::string& advice);

// The error of a turn that ended without an answer in the form that was asked for.
inline constexpr std::string_view no_structured_answer =
    "the model gave no answer in the form of the JSON schema";

class HeadlessSession {
 public:
  // `chosen` is entered. The application must outlive this.
  HeadlessSession(Application& application, const ChosenSession& chosen);

  Application& application() { return application_; }
  agent::Conversation& conversation() { return conversation_; }
  agent::Settings& settings() { return settings_; }
  Id id() const { return chosen_.session; }

  // A command may name a model and its thinking. A model that cannot be used becomes a remark.
  void take_wishes(const project::RenderedCommand& said, std::vector<std::string>& remarks);
  // What the user should know, as notices to the sink.
  void show_notices(const model::Ports& ports, const std::vector<std::string>& warnings,
                    const std::vector<std::string>& infos);
  // Repairs what a crash left; to be called before the first turn.
  void recover(const model::Ports& ports);
  // One turn, or the rest of one if the prompt is blank.
  agent::TurnEnd take_turn(const agent::Agent::Prompt& prompt, const model::Ports& ports);
  // Ends background work, and says so; empty: there was none.
  std::string leave(const model::Ports& ports);

 private:
  agent::TurnEnd run(const agent::Agent::Prompt& prompt, const model::Ports& ports);

  Application& application_;
  ChosenSession chosen_;
  agent::Conversation conversation_;
  agent::Settings settings_{};
};

}  // namespace skein::app::driven
