// A result that the user drops is no longer sent, and is sent again where the step is not on the
// path.
#include <doctest/doctest.h>

#include <algorithm>

#include "core/context/beginning.h"
#include "core/model/payloads.h"
#include "tests/support/homes.h"
#include "tests/support/stage.h"

using namespace skein;
using namespace skein::agent;
using namespace skein::test;

namespace {

constexpr const char* line = "[result of look, 3 tokens, dropped by the user]";

constexpr const char* script = R"([
  [{"call": {"id": "c1", "name": "look"}}, {"call": {"id": "c2", "name": "look"}}], "seen",
  "1", "2", "3", "4"])";

// What was sent as the results of calls, in order.
std::vector<std::string> results_in(const model::Context& context) {
  std::vector<std::string> out;
  for (const model::Message& message : context.messages)
    for (const model::Block& block : message.content)
      if (const auto* result = std::get_if<model::ToolResult>(&block))
        out.push_back(result->tool_use_id + " " + model::plain_text(*result));
  return out;
}

Id first_result(const Conversation& conversation) {
  const auto found = std::ranges::find_if(conversation.path(), [](const model::Entry& entry) {
    const auto message = model::message_of(entry);
    return message && message->role == model::Role::tool;
  });
  REQUIRE(found != conversation.path().end());
  return found->id;
}

using Lines = std::vector<std::string>;
const Lines whole{"c1 done", "c2 done"};
const Lines dropped{"c1 " + std::string(line), "c2 done"};

struct Dropped : Stage {
  Conversation talk;
  Id before{};  // the head, before the result was dropped

  Dropped() : Stage(script), talk(conversation()) {
    turn(talk, "look around");
    before = *talk.head();
    agent.drop_result(talk, first_result(talk), line, settings, ports());
  }
};

}  // namespace

TEST_CASE("a dropped result is sent as one line, with its call, and stays in the log") {
  Dropped scene;
  CHECK(results_in(scene.contexts.back()) == whole);
  scene.turn(scene.talk, "and now?");
  CHECK(results_in(scene.contexts.back()) == dropped);
  CHECK(std::ranges::count(lines_of(scene.stored(scene.talk)), "result c1: done") == 1);

  Conversation again(scene.store, scene.talk.session());
  scene.turn(again, "after a restart?");
  CHECK(results_in(scene.contexts.back()) == dropped);
}

TEST_CASE("before the step, a dropped result is sent again") {
  Dropped scene;
  scene.talk.move_head(scene.before);
  scene.turn(scene.talk, "and now?");
  CHECK(results_in(scene.contexts.back()) == whole);
}

TEST_CASE("a fork behind the step keeps it") {
  Dropped scene;
  const auto made =
      value_of(scene.store.branch_from_entry(scene.talk.session(), *scene.talk.head()));
  Conversation copy(scene.store, made.session_id);
  scene.turn(copy, "and now?");
  CHECK(results_in(scene.contexts.back()) == dropped);
}

TEST_CASE("another beginning keeps what was dropped, and a second drop adds to it") {
  Dropped scene;
  scene.settings.model.provider = "other";
  scene.settings.system = "be long";
  scene.turn(scene.talk, "and now?");
  CHECK(scene.contexts.back().system == "be long");
  CHECK(results_in(scene.contexts.back()) == dropped);

  const std::vector<model::Entry>& path = scene.talk.path();
  const auto second = std::ranges::find(path, first_result(scene.talk), &model::Entry::id) + 1;
  REQUIRE(line_of(*second) == "result c2: done");
  scene.agent.drop_result(scene.talk, second->id, "[gone]", scene.settings, scene.ports());
  scene.turn(scene.talk, "and now?");
  CHECK(results_in(scene.contexts.back()) == Lines{dropped[0], "c2 [gone]"});
}

TEST_CASE("the step is a beginning that is marked, and an ordinary one is not") {
  Dropped scene;
  const std::vector<model::Entry>& path = scene.talk.path();
  CHECK(std::ranges::count_if(path, context::drops_result) == 1);
  REQUIRE(context::last_beginning(path) != nullptr);
  CHECK(context::drops_result(*context::last_beginning(path)));
  CHECK(context::dropped_on(path).size() == 1);
  CHECK(context::dropped_on({}).empty());
}
