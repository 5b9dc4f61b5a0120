// The loop on a stage: a store in memory, a model that follows a script, two tools that note when
// they are run, a user whose answers are known, and a record of everything that was told.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/agent.h"
#include "providers/scripted.h"

namespace skein::test {

// An entry in one line: "user: hi", "assistant: hm [poke c1] -> tool_use", "result c1: done",
// "result c1 failed: no", "model_change", "custom permissions".
std::string line_of(const Entry& entry);
std::vector<std::string> lines_of(const std::vector<Entry>& entries);

class Stage {
 public:
  explicit Stage(JsonText script);
  Stage(JsonText script, SessionStore on);

  Conversation conversation(const std::string& key = "main:test:one");
  Ports ports();
  TurnEnd turn(Conversation& conversation, const std::string& prompt) {
    return agent.run_turn(conversation, user_message(prompt), settings, ports());
  }
  std::vector<Entry> stored(const Conversation& conversation);
  std::vector<std::string> committed() const;  // as it was told, in lines
  std::vector<std::string> notices() const;

  SessionStore store;
  ScriptedProvider model;
  std::vector<Context> contexts{};  // what the model was given, call by call
  std::vector<std::string> runs{};  // "poke {}": every run of a tool
  std::vector<Event> events{};
  std::function<void(const Event&)> listener{};
  std::vector<Question> questions{};
  std::optional<Answer> answer{};  // none: there is nobody to ask
  std::atomic<bool> stop{false};
  // `look` reads, `poke` changes, `fail` reads and throws what no tool should.
  Tools tools;
  Agent agent;
  Agent::Settings settings{.model = {"scripted", "x"}, .system = "be brief"};

 private:
  // The script, with an ear at the door.
  struct Overheard : Provider {
    explicit Overheard(Stage& on) : stage(on) {}
    Message stream(const Context& context, const ModelRef& model, const Ports& ports) override {
      stage.contexts.push_back(context);
      return stage.model.stream(context, model, ports);
    }
    Stage& stage;
  };
  Tool noting(const std::string& name, Effect effect);

  Overheard provider_{*this};
};

}  // namespace skein::test
