// Tools that the model has to look for: not in the list it is given, but called, judged and shown
// as all others are.
#include <doctest/doctest.h>

#include <algorithm>

#include "core/mcp/tool_search.h"
#include "tests/support/stage.h"

using namespace skein;
using namespace skein::agent;
using namespace skein::test;

namespace {

constexpr const char* through =
    R"([[{"call": {"name": "tool_call", "input": {"name": "poke", "arguments": {"hard": true}}}}], "done", "done"])";

// `poke` has to be looked for.
void defer_poke(Stage& stage) {
  model::Tools deferred;
  for (model::Tool& tool : stage.tools) {
    tool.deferred = tool.name == "poke";
    if (tool.deferred) deferred.push_back(tool);
  }
  for (model::Tool& tool : mcp::searching_tools(deferred)) stage.tools.push_back(std::move(tool));
}

bool is_given(const model::Context& context, const std::string& name) {
  return std::ranges::find(context.tools, name, &model::ToolSpec::name) != context.tools.end();
}

}  // namespace

TEST_CASE("a tool that has to be looked for is asked about and run as itself") {
  Stage stage(through);
  defer_poke(stage);
  stage.answer = model::Answer{model::Answer::Choice::yes};
  Conversation conversation = stage.conversation();
  stage.turn(conversation, "go");
  CHECK_FALSE(is_given(stage.contexts.front(), "poke"));
  CHECK(is_given(stage.contexts.front(), "tool_search"));
  REQUIRE(stage.questions.size() == 1);
  CHECK(stage.questions[0].text.find("poke") != std::string::npos);
  CHECK(stage.runs == std::vector<std::string>{R"(poke {"hard":true})"});
}

TEST_CASE("a rule against such a tool holds, however it is called") {
  Stage stage(through);
  defer_poke(stage);
  stage.settings.rules.mode = permission::Mode::bypass;
  stage.settings.rules.deny = permission::parse_rules("poke", stage.tools);
  Conversation conversation = stage.conversation();
  stage.turn(conversation, "go");
  CHECK(stage.runs.empty());
}

TEST_CASE("a tool that was given and now has to be looked for is not said to be gone") {
  Stage stage(R"(["1", "2", "3"])");
  Conversation conversation = stage.conversation();
  stage.turn(conversation, "one");
  defer_poke(stage);
  stage.turn(conversation, "two");
  for (const std::string& line : lines_of(conversation.path()))
    CHECK(line.find("no longer available") == std::string::npos);
  CHECK(is_given(stage.contexts.back(), "poke"));  // the list it was first given stays
}
