// A service that does not take back what its model signed: one more request, a word, and a mark in
// the session so that it never comes to that again.
#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "core/agent/agent.h"
#include "core/agent/model_caller.h"
#include "core/model/payloads.h"
#include "core/store/home/file_backend.h"
#include "tests/support/homes.h"
#include "tests/support/parts.h"

using namespace skein;
using namespace skein::agent;
using namespace skein::test;

namespace {

// Thinks in every answer, and refuses thoughts older than `refuses_before` answers.
class Forgetful : public model::Provider {
 public:
  model::Message stream(const model::Context& context, const model::ModelRef& model,
                        const model::Ports& ports) override {
    asked.push_back(context);
    model::Message reply{
        .role = model::Role::assistant, .provider = model.provider, .model = model.model};
    if (always || holds_old_thought(context)) {
      ports.sink(model::Streaming{
          model::delta::Failed{.text = "Invalid `signature` in `thinking` block", .seals = true}});
      reply.stop = model::Stop::error;
      reply.error = "refused";
      return reply;
    }
    reply.content = {model::Thinking{"thought " + std::to_string(++said), "c2ln"},
                     model::Text{"an answer"}};
    reply.stop = model::Stop::stop;
    reply.transformed = transformed;
    return reply;
  }

  bool holds_old_thought(const model::Context& context) const {
    return std::ranges::any_of(context.messages, [&](const model::Message& message) {
      return message.seals == model::Seals::good &&
             std::ranges::any_of(message.content, [&](const model::Block& block) {
               const auto* thought = std::get_if<model::Thinking>(&block);
               return thought && std::stoi(thought->thinking.substr(8)) <= refuses_until;
             });
    });
  }

  std::vector<model::Context> asked{};
  std::vector<model::Transformation> transformed{};
  int said = 0, refuses_until = 0;
  bool always = false;
};

struct Scene {
  Forgetful model{};
  store::SessionStore store{
      std::make_unique<store::home::FileBackend>(store::files::memory_files())};
  model::Tools tools{};
  Parts parts = agent_parts(store, tools, model);
  std::unique_ptr<Agent> agent = std::make_unique<Agent>(parts);
  Agent::Settings settings{.model = {"anthropic", "claude"}};
  std::vector<std::string> notices{};

  TurnEnd say(Id session) {
    model::Ports ports;
    ports.sink = [this](const model::Event& event) {
      if (const auto* notice = std::get_if<model::Notice>(&event)) notices.push_back(notice->text);
    };
    Conversation conversation(store, session);
    return agent->run_turn(conversation, model::user_message("and?"), settings, ports);
  }
  void restart() { agent = std::make_unique<Agent>(parts); }
};

std::vector<Id> marks_in(store::SessionStore& store, Id session) {
  std::vector<Id> out;
  for (const model::Entry& entry : entries_of(store, session))
    if (const auto off = model::read_as<model::payload::ThinkingOffBefore>(entry))
      out.push_back(off->entry);
  return out;
}

}  // namespace

TEST_CASE("refused thinking costs one more request, now and never again") {
  Scene scene;
  const Id session = session_called(scene.store, "main:cli:user");
  for (int i = 0; i < 3; ++i) CHECK(scene.say(session).stop == model::Stop::stop);
  CHECK(marks_in(scene.store, session).empty());

  scene.model.refuses_until = 3;
  CHECK(scene.say(session).text == "an answer");
  CHECK(scene.model.asked.size() == 5);
  CHECK(scene.notices ==
        std::vector<std::string>{
            "the model rejected its own earlier thinking; asking again without it"});
  REQUIRE(marks_in(scene.store, session).size() == 1);
  // What it thought since is its own again.
  scene.restart();
  CHECK(scene.say(session).text == "an answer");
  CHECK(scene.model.asked.size() == 6);
  const std::vector<model::Message>& sent = scene.model.asked.back().messages;
  REQUIRE(sent.size() == 9);
  CHECK(sent[5].seals == model::Seals::refused);
  CHECK(sent[7].seals == model::Seals::good);

  // A branch of it knows as well.
  const Id branch =
      value_of(scene.store.branch_from_entry(session, *scene.store.open(session).state.head))
          .session_id;
  CHECK(scene.say(branch).text == "an answer");
  CHECK(scene.model.asked.size() == 7);
  CHECK(scene.notices.size() == 1);
}

TEST_CASE("what is refused without thinking too is not tried a third time, and leaves no mark") {
  Scene scene;
  const Id session = session_called(scene.store, "main:cli:user");
  scene.say(session);
  scene.model.always = true;
  CHECK(scene.say(session).stop == model::Stop::error);
  CHECK(scene.model.asked.size() == 3);
  CHECK(marks_in(scene.store, session).empty());
}

TEST_CASE("thoughts that the service leaves out are told once, and again only if there are more") {
  Scene scene;
  const Id session = session_called(scene.store, "main:cli:user");
  scene.model.transformed = {{"thinking_dropped", "prefix_binding_mismatch", 2}};
  const std::string told =
      "the provider left out 2 earlier thoughts: earlier messages have changed since";
  scene.say(session);
  scene.say(session);
  scene.restart();
  scene.say(session);
  CHECK(scene.notices == std::vector<std::string>{told});
  scene.model.transformed[0].count = 3;
  scene.say(session);
  CHECK(scene.notices.size() == 2);
  for (const model::Entry& entry : entries_of(scene.store, session))
    if (const auto message = model::message_from_json(entry.payload);
        message && message->role == model::Role::assistant)
      CHECK(message->transformed.size() == 1);
}

TEST_CASE("what the service lets pass, and what it says again, is no news") {
  const std::vector<model::Transformation> one{{"thinking_dropped", "model_binding_mismatch", 1}};
  CHECK(news_of_dropped({}, one) ==
        "the provider left out 1 earlier thought: made by a model whose thinking this one cannot "
        "read");
  CHECK(news_of_dropped(one, one).empty());
  CHECK(news_of_dropped({}, {{"thinking_mismatch_allowed", "prefix_binding_mismatch", 4}}).empty());
  CHECK(news_of_dropped(one, {{"thinking_dropped", "something_else", 2}}) ==
        "the provider left out 2 earlier thoughts: the provider says something_else");
}
