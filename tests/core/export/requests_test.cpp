// The path as requests of the three vendors have it.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "core/text/encoding.h"
#include "core/text/json.h"
#include "tests/support/exported_sample.h"

using namespace skein;
using namespace skein::exporters;
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
  const Json messages = parsed(written("openai", talk.exported()))["messages"];
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
  const Json request = parsed(written("anthropic", talk.exported()));
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
  const Json request = parsed(written("google", talk.exported()));
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
  const Json messages = parsed(written("openai", session.exported()))["messages"];
  REQUIRE(messages.size() == 5);
  CHECK(messages[2]["tool_call_id"] == "c2");
  CHECK(messages[3]["tool_call_id"] == "c1");
  CHECK(messages[4]["content"] == "and now?");
  const Json turns = parsed(written("anthropic", session.exported()))["messages"];
  REQUIRE(turns.size() == 3);
  REQUIRE(turns[2]["content"].size() == 3);
  CHECK(turns[2]["content"][1]["is_error"] == true);
  CHECK(turns[2]["content"][2]["text"] == "and now?");
}

TEST_CASE("nothing at all is still a request") {
  const SampleSession empty;
  CHECK(parsed(written("openai", empty.exported()))["messages"].empty());
  CHECK(parsed(written("anthropic", empty.exported()))["messages"].empty());
  CHECK(parsed(written("google", empty.exported()))["contents"].empty());
}

TEST_CASE("OpenTelemetry gets spans with the same ids every time, and no text") {
  const SampleSession talk = sample_talk();
  const std::string text = written("otlp", talk.exported());
  CHECK(text == written("otlp", talk.exported()));
  for (const char* said : {"I look.", "be brief", "x ``` y", "hm", "Nothing."})
    CHECK(text.find(said) == std::string::npos);
  const Json spans = parsed(text)["resourceSpans"][0]["scopeSpans"][0]["spans"];
  const std::string session = to_string(talk.exported().id);
  std::vector<std::string> names;
  std::set<std::string> ids;
  for (const Json& span : spans) {
    names.push_back(span["name"]);
    ids.insert(span["spanId"].get<std::string>());
    CHECK(span["traceId"] == session + session);
    CHECK(span["startTimeUnixNano"].get<std::string>().size() == 19);
    CHECK(span["endTimeUnixNano"] >= span["startTimeUnixNano"]);
    CHECK(string_at(span, "parentSpanId") == (span["spanId"] == session ? "" : session));
  }
  CHECK(ids.size() == spans.size());
  CHECK(names.back() == "invoke_agent skein");
  const auto failed =
      std::ranges::count_if(spans, [](const Json& span) { return span["status"]["code"] == 2; });
  CHECK(std::ranges::count(names, "execute_tool read") == 1);
  CHECK(std::ranges::count(names, "chat claude") == 1);
  CHECK(failed == 1);
}
