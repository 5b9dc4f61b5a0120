// The loop on a stage: a store in memory, a model that follows a script, two tools that note when
// they are run, a user whose answers are known, and a record of everything that was told.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/agent/agent.h"
#include "providers/offline/scripted.h"

namespace skein::test {

// An entry in one line: "user: hi", "assistant: hm [poke c1] -> tool_use", "result c1: done",
// "result c1 failed: no", "model_change", "custom permissions".
std::string line_of(const model::Entry& entry);
std::vector<std::string> lines_of(const std::vector<model::Entry>& entries);

// As if skein had just been started: with no settings but the rules. Returns how many calls were
// answered.
inline std::size_t recover(agent::Agent& agent, agent::Conversation& conversation,
                           const model::Ports& ports, const permission::Rules& rules = {}) {
  agent::Settings settings{.rules = rules};
  return agent.recovery().recover(conversation, settings, ports).calls;
}

class Stage {
 public:
  explicit Stage(JsonText script);
  // `sub_agent`: as which one it works, in the budget of another stage. A call costs a cent for
  // each token of its input, and 10 cents are reserved for it.
  Stage(JsonText script, store::SessionStore on, budget::Budget* budget = nullptr,
        const std::string& sub_agent = {});

  agent::Conversation conversation(const std::string& key = "main:test:one");
  model::Ports ports();
  agent::TurnEnd turn(agent::Conversation& conversation, const std::string& prompt) {
    return agent.run_turn(conversation, model::user_message(prompt), settings, ports());
  }
  std::vector<model::Entry> stored(const agent::Conversation& conversation);
  std::vector<std::string> committed() const;  // as it was told, in lines
  std::vector<std::string> notices() const;

  store::SessionStore store;
  offline::ScriptedProvider model;
  std::vector<model::Context> contexts{};  // what the model was given, call by call
  std::vector<std::string> runs{};         // "poke {}": every run of a tool
  std::vector<model::Event> events{};
  std::function<void(const model::Event&)> listener{};
  std::vector<model::Question> questions{};
  std::optional<model::Answer> answer{};  // none: there is nobody to ask
  std::atomic<bool> stop{false};
  // `look` reads, `poke` changes, `fail` reads and throws what no tool should.
  model::Tools tools;
  agent::Inbox inbox{};
  agent::Delegates* delegates = nullptr;  // may be set later than the agent is made
  agent::Agent agent;
  agent::Agent::Settings settings{.model = {"scripted", "x"}, .system = "be brief"};

 private:
  // The script, with an ear at the door.
  struct Overheard : model::Provider {
    explicit Overheard(Stage& on) : stage(on) {}
    model::Message stream(const model::Context& context, const model::ModelRef& model,
                          const model::Ports& ports) override {
      stage.contexts.push_back(context);
      return stage.model.stream(context, model, ports);
    }
    Stage& stage;
  };
  struct LateDelegates : agent::Delegates {
    explicit LateDelegates(Stage& on) : stage(on) {}
    void bind(const agent::Turn& turn) override {
      if (stage.delegates != nullptr) stage.delegates->bind(turn);
    }
    std::string left_behind(Id session, const model::ToolUse& call) const override {
      return stage.delegates != nullptr ? stage.delegates->left_behind(session, call) : "";
    }
    Stage& stage;
  };
  model::Tool noting(const std::string& name, model::Effect effect);

  Overheard provider_{*this};
  LateDelegates late_{*this};
};

}  // namespace skein::test
