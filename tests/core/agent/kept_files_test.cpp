#include "core/agent/turn.h"

#include <doctest/doctest.h>

#include <atomic>
#include <functional>

#include "core/agent/agent.h"
#include "core/model/payloads.h"
#include "tests/support/parts.h"
#include "tests/support/stage.h"

using namespace skein;
using namespace skein::agent;
using namespace skein::test;
using Lines = std::vector<std::string>;

namespace {

// Answers with an entry for each question, or with a refusal.
struct NotingKeeper : model::FileKeeper {
  Kept noted(const std::string& what, const Moment& moment) {
    asked.push_back(what);
    prompts.push_back(moment.prompt.value_or(Id{}));
    if (!refusal.empty()) return {.refusal = refusal};
    return {.entries = {model::make_entry(model::payload::Title{what})}, .notices = {}};
  }
  Kept before_command(const Moment& moment) override { return noted("command", moment); }
  Kept before_write(const Moment& moment, const model::FileBefore& file) override {
    return noted("write " + std::string(file.below), moment);
  }
  Kept after_turn(const Moment& moment) override {
    during_last_look(moment);
    return noted("after", moment);
  }

  std::function<void(const Moment&)> during_last_look = [](const Moment&) {};
  Lines asked{};
  std::vector<Id> prompts{};
  std::string refusal{};
};

Agent agent_with(Stage& stage, model::FileKeeper& keeper) {
  return Agent(agent_parts(stage.store, stage.tools, stage.model,
                           [&](agent::Parts& with) { with.files = &keeper; }));
}

constexpr const char* look_and_poke = R"([
  [{"call": {"id": "c1", "name": "look"}}, {"call": {"id": "c2", "name": "poke"}}], "done"])";

}  // namespace

TEST_CASE("files are noted before a call that changes something, and after the turn") {
  Stage stage(look_and_poke);
  stage.settings.rules.mode = permission::Mode::bypass;
  NotingKeeper keeper;
  Agent agent = agent_with(stage, keeper);
  Conversation conversation = stage.conversation();
  Lines noted_at_start;
  std::size_t runs_when_noted = 99;
  stage.listener = [&](const model::Event& event) {
    if (const auto* saved = std::get_if<model::Committed>(&event))
      if (const auto title = model::read_as<model::payload::Title>(saved->entry);
          title && title->text == "command")
        runs_when_noted = stage.runs.size();
  };

  agent.run_turn(conversation, model::user_message("go"), stage.settings, stage.ports());

  CHECK(keeper.asked == Lines{"command", "after"});
  CHECK(runs_when_noted == 1);  // `look` only
  CHECK(stage.runs == Lines{"look {}", "poke {}"});
  const Id prompt = keeper.prompts.front();
  CHECK(line_of(stage.store.load_entry(conversation.session(), prompt).value()) == "user: go");
}

TEST_CASE("a call whose files could not be kept is not run, and the user is told") {
  Stage stage(look_and_poke);
  stage.settings.rules.mode = permission::Mode::bypass;
  NotingKeeper keeper;
  keeper.refusal = "the disk is full";
  Agent agent = agent_with(stage, keeper);
  Conversation conversation = stage.conversation();

  agent.run_turn(conversation, model::user_message("go"), stage.settings, stage.ports());

  CHECK(stage.runs == Lines{"look {}"});
  CHECK(lines_of(stage.stored(conversation))[5] == "result c2 failed: the disk is full");
  CHECK(stage.notices().front().find("the disk is full") != std::string::npos);
}

TEST_CASE("after a turn that was stopped the files are looked at too, until the next stop") {
  for (const bool stopped : {true, false}) {
    Stage stage(look_and_poke);
    stage.settings.rules.mode = permission::Mode::bypass;
    std::atomic<unsigned> stops{7};  // of earlier turns
    const auto stop = [&] {
      stage.stop = true;
      ++stops;
    };
    NotingKeeper keeper;
    keeper.during_last_look = [&](const model::FileKeeper::Moment& moment) {
      CHECK(stage.stop == stopped);
      CHECK_FALSE(moment.stopped());
      stop();
      CHECK(moment.stopped());
    };
    if (stopped)
      stage.listener = [&](const model::Event& event) {
        if (std::holds_alternative<model::ToolStarted>(event)) stop();
      };
    Agent agent = agent_with(stage, keeper);
    Conversation conversation = stage.conversation();
    model::Ports ports = stage.ports();
    ports.stops = &stops;
    agent.run_turn(conversation, model::user_message("go"), stage.settings, ports);
    CHECK(keeper.asked.back() == "after");
  }
}
