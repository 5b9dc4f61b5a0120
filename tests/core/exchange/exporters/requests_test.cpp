// The path as requests of the three vendors have it.
#include <doctest/doctest.h>

#include "core/exchange/exporters/anthropic.h"
#include "core/exchange/exporters/google.h"
#include "core/exchange/exporters/openai.h"
#include "core/text/base64.h"
#include "core/text/json.h"
#include "tests/support/exported_sample.h"

using namespace skein;
using namespace skein::exchange::exporters;
using skein::test::sample_talk;
using skein::test::SampleSession;
using skein::test::written;

namespace {

Json parsed(const std::string& text) {
  const auto json = parse_json(text);
  REQUIRE(json);
  return *json;
}

}  // namespace

TEST_CASE("OpenAI gets arguments as text, results as messages, and no thinking") {
  const SampleSession talk = sample_talk();
  const Json messages = parsed(written(write_openai, talk.exported()))["messages"];
  REQUIRE(messages.size() == 6);
  CHECK(messages[0] == Json{{"role", "system"}, {"content", "be brief"}});
  CHECK(messages[1]["content"][1]["image_url"]["url"] ==
        "data:image/png;base64," + base64(test::tiny_png));
  CHECK(messages[2]["content"] == "I look.");
  CHECK(messages[2]["tool_calls"][0]["function"] ==
        Json{{"name", "read"}, {"arguments", R"({"path":"a"})"}});
  CHECK(messages[3] == Json{{"role", "tool"}, {"tool_call_id", "c1"}, {"content", "x ``` y"}});
  CHECK(messages[4]["tool_call_id"] == "c2");
  CHECK(messages[5] == Json{{"role", "assistant"}, {"content", "Nothing."}});
}

TEST_CASE("Anthropic gets its own signed thinking, and all results in one message") {
  const SampleSession talk = sample_talk();
  const Json request = parsed(written(write_anthropic, talk.exported()));
  CHECK(request["system"] == "be brief");
  const Json& messages = request["messages"];
  REQUIRE(messages.size() == 4);
  CHECK(messages[0]["content"][1]["source"]["media_type"] == "image/png");
  const Json& answer = messages[1]["content"];
  REQUIRE(answer.size() == 4);
  CHECK(answer[0] == Json{{"type", "thinking"}, {"thinking", "hm"}, {"signature", "signed"}});
  CHECK(answer[2]["input"] == Json{{"path", "a"}});
  const Json& results = messages[2]["content"];
  REQUIRE(results.size() == 2);
  CHECK(results[1]["is_error"] == true);
  CHECK(results[1]["content"][0]["text"] == "cut …");
  CHECK_FALSE(results[0].contains("is_error"));
}

TEST_CASE("Google gets calls and responses with the tool's name") {
  const SampleSession talk = sample_talk();
  const Json request = parsed(written(write_google, talk.exported()));
  CHECK(request["systemInstruction"]["parts"][0]["text"] == "be brief");
  const Json& contents = request["contents"];
  REQUIRE(contents.size() == 4);
  CHECK(contents[0]["parts"][1]["inlineData"]["mimeType"] == "image/png");
  CHECK(contents[1]["role"] == "model");
  CHECK(contents[1]["parts"][1]["functionCall"]["args"] == Json{{"path", "a"}});
  CHECK(contents[2]["parts"][0]["functionResponse"]["name"] == "read");
  CHECK(contents[2]["parts"][1]["functionResponse"]["response"] == Json{{"error", "cut …"}});
}

TEST_CASE("a call nobody answered is answered, an answer nobody asked for is left out") {
  SampleSession session;
  session.add(model::user_message("go"));
  session.add({.role = model::Role::assistant,
               .content = {model::ToolUse{"c1", "bash", "{}"}, model::ToolUse{"c2", "bash", "{}"}},
               .provider = "p",
               .model = "m"});
  session.add({.role = model::Role::tool,
               .content = {model::ToolResult{.tool_use_id = "c2", .content = {model::Text{"two"}}},
                           model::ToolResult{.tool_use_id = "cx"}}});
  session.add(model::user_message("and now?"));
  const Json messages = parsed(written(write_openai, session.exported()))["messages"];
  REQUIRE(messages.size() == 5);
  CHECK(messages[2]["tool_call_id"] == "c2");
  CHECK(messages[3]["tool_call_id"] == "c1");
  CHECK(messages[4]["content"] == "and now?");
  const Json turns = parsed(written(write_anthropic, session.exported()))["messages"];
  REQUIRE(turns.size() == 3);
  REQUIRE(turns[2]["content"].size() == 3);
  CHECK(turns[2]["content"][1]["is_error"] == true);
  CHECK(turns[2]["content"][2]["text"] == "and now?");
}

TEST_CASE("nothing at all is still a request") {
  const SampleSession empty;
  CHECK(parsed(written(write_openai, empty.exported()))["messages"].empty());
  CHECK(parsed(written(write_anthropic, empty.exported()))["messages"].empty());
  CHECK(parsed(written(write_google, empty.exported()))["contents"].empty());
}
