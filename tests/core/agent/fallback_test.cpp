#include "core/agent/model_caller.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "core/agent/agent.h"
#include "core/store/home/file_backend.h"
#include "tests/support/homes.h"
#include "tests/support/parts.h"

using namespace skein;
using namespace skein::agent;
using namespace skein::test;

namespace {

// Models by name: those in `down` fail, all others answer with their name.
class Services : public model::Provider {
 public:
  model::Message stream(const model::Context&, const model::ModelRef& model,
                        const model::Ports& ports) override {
    asked.push_back(model::to_string(model));
    model::Message reply{
        .role = model::Role::assistant, .provider = model.provider, .model = model.model};
    if (std::ranges::find(down, asked.back()) != down.end()) {
      reply.stop = model::Stop::error;
      reply.error = asked.back() + " is overloaded";
      if (halfway) {
        reply.content = {model::Text{"half an ans"}};
        return reply;
      }
      model::delta::Failed failed{reply.error};
      failed.elsewhere = elsewhere;
      ports.sink(model::Streaming{failed});
      return reply;
    }
    reply.content = {model::Text{asked.back()}};
    reply.stop = model::Stop::stop;
    return reply;
  }

  std::vector<std::string> down{"a/one"}, asked{};
  bool elsewhere = true, halfway = false;
};

struct Scene {
  Services services{};
  store::SessionStore store{
      std::make_unique<store::home::FileBackend>(store::files::memory_files())};
  model::Tools tools{};
  std::vector<model::ModelRef> fallbacks{{"a", "two"}, {"b", "three"}};
  Agent agent{agent_parts(store, tools, services, [&](agent::Parts& with) {
    with.fallbacks = [this](const model::ModelRef&) { return fallbacks; };
  })};
  Conversation conversation{store, session_called(store, "main:cli:user")};
  Agent::Settings settings{.model = {"a", "one"}};
  std::vector<std::string> notices{}, questions{};
  model::Answer::Choice answer = model::Answer::Choice::yes;
  model::Ports ports{};

  Scene() {
    ports.sink = [this](const model::Event& event) {
      if (const auto* notice = std::get_if<model::Notice>(&event)) notices.push_back(notice->text);
    };
  }
  void at_terminal() {
    ports.ask = [this](const model::Question& question) {
      questions.push_back(question.text + "\n" + question.detail);
      return model::Answer{answer};
    };
  }
  TurnEnd turn() {
    services.asked.clear();
    notices.clear();
    return agent.run_turn(conversation, model::user_message("hi"), settings, ports);
  }
  std::vector<std::string> changes() {  // of model, as they were saved
    std::vector<std::string> out;
    (void)store.transcripts().load(conversation.session(), 0, [&](const store::StoredEntry& each) {
      if (each.entry.type == model::type::model_change) out.push_back(each.entry.payload);
      return true;
    });
    return out;
  }
};

}  // namespace

TEST_CASE("the next model answers for the rest of the turn, and the choice stays") {
  Scene scene;
  const TurnEnd end = scene.turn();
  CHECK(end.stop == model::Stop::stop);
  CHECK(end.text == "a/two");
  CHECK(scene.notices == std::vector<std::string>{"a/one is overloaded; using a/two instead"});
  CHECK(scene.settings.model == model::ModelRef{"a", "one"});
  CHECK(scene.conversation.state().model == "a/one");
  CHECK(scene.changes() ==
        std::vector<std::string>{R"({"provider":"a","model":"one"})",
                                 R"({"provider":"a","model":"two","reason":"fallback"})",
                                 R"({"provider":"a","model":"one"})"});
}

TEST_CASE("what failed a moment ago is not asked again in the next turn") {
  Scene scene;
  scene.turn();
  scene.services.down.clear();
  CHECK(scene.turn().text == "a/two");
  CHECK(scene.services.asked == std::vector<std::string>{"a/two"});
  CHECK(scene.notices ==
        std::vector<std::string>{"a/two answers, because a/one failed a few minutes ago"});
}

TEST_CASE("another provider sees the conversation only if the user agrees, once in a session") {
  Scene scene;
  scene.fallbacks = {{"b", "three"}};
  scene.at_terminal();
  SUBCASE("yes") {
    CHECK(scene.turn().text == "b/three");
    REQUIRE(scene.questions.size() == 1);
    CHECK(scene.questions[0] ==
          "use b/three instead?\na/one is overloaded\nThis sends the conversation to b.");
    scene.turn();
    CHECK(scene.questions.size() == 1);
  }
  SUBCASE("no") {
    scene.answer = model::Answer::Choice::no;
    const TurnEnd end = scene.turn();
    CHECK(end.error == "a/one is overloaded");
    CHECK(scene.services.asked == std::vector<std::string>{"a/one"});
  }
  SUBCASE("with no one to ask, the configuration decides, and it is said") {
    scene.ports.ask = nullptr;
    CHECK(scene.turn().text == "b/three");
    CHECK(scene.notices[0] ==
          "a/one is overloaded; using b/three instead, which sends this conversation to b");
  }
}

TEST_CASE("each model is asked once in a turn, and the last error is told") {
  Scene scene;
  scene.services.down = {"a/one", "a/two", "b/three"};
  const TurnEnd end = scene.turn();
  CHECK(end.error == "b/three is overloaded");
  CHECK(scene.services.asked == std::vector<std::string>{"a/one", "a/two", "b/three"});
  scene.turn();
  CHECK(scene.services.asked.front() == "a/one");
}

TEST_CASE("a request that is wrong, or was half answered, goes nowhere else") {
  Scene scene;
  SUBCASE("wrong") { scene.services.elsewhere = false; }
  SUBCASE("half answered") { scene.services.halfway = true; }
  CHECK(scene.turn().stop == model::Stop::error);
  CHECK(scene.services.asked == std::vector<std::string>{"a/one"});
}
