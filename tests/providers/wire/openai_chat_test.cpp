#include <doctest/doctest.h>

#include "core/text/json.h"
#include "providers/wire/codecs.h"
#include "tests/support/replay.h"

using namespace skein;
using namespace skein::wire;

namespace {

const model::ModelRef test_model{"openai-chat", "gpt"};

Json body_of(const model::Context& context, const model::ModelRef& ref = test_model,
             const ModelFacts& facts = {}) {
  return *parse_json(openai_chat.encode(context, ref, facts).body);
}

Json json(const char* text) { return *parse_json(text); }

std::string delta_of(const std::string& members) {
  return R"({"choices":[{"index":0,"delta":{)" + members + R"(},"finish_reason":null}]})";
}
std::string call(const std::string& members) {
  return delta_of("\"tool_calls\":[{" + members + "}]");
}
std::string finish(const std::string& reason) {
  return R"({"choices":[{"index":0,"delta":{},"finish_reason":")" + reason + "\"}]}";
}

std::string outcome(const std::vector<std::string>& data) {
  return outline(replay(openai_chat, sse(data)));
}

}  // namespace

TEST_CASE("chat: reasoning, text, parallel calls and usage are decoded") {
  const model::Message message = replay(
      openai_chat,
      sse({delta_of(R"("reasoning_content":"two ")"), delta_of(R"("reasoning_content":"calls")"),
           delta_of(R"("role":"assistant","content":null)"), delta_of(R"("content":"Now.")"),
           call(
               R"("index":0,"id":"c1","type":"function","function":{"name":"read","arguments":""})"),
           call(R"("index":0,"function":{"arguments":"{\"path\":"})"),
           call(R"("index":1,"id":"c2","function":{"name":"list","arguments":"{"})"),
           call(R"("index":0,"function":{"arguments":"\"a\"}"})"),
           call(R"("index":1,"function":{"arguments":"}"})"), finish("tool_calls"),
           R"({"choices":[],"usage":{"prompt_tokens":100,"completion_tokens":20,"prompt_tokens_details":{"cached_tokens":60,"cache_write_tokens":10},"completion_tokens_details":{"reasoning_tokens":7}}})",
           "[DONE]"}));

  CHECK(message.content ==
        std::vector<model::Block>{model::Thinking{"two calls"}, model::Text{"Now."},
                                  model::ToolUse{"c1", "read", R"({"path":"a"})"},
                                  model::ToolUse{"c2", "list", "{}"}});
  CHECK(message.stop == model::Stop::tool_use);
  CHECK(message.usage == model::Usage{30, 20, 60, 10, 7});
}

TEST_CASE("chat: dialects of calls all come out as calls") {
  const std::string two = R"(bash({"a":1}) read({}) -> tool_use)";
  const std::string a = R"("function":{"name":"bash","arguments":"{\"a\":1}"})";
  const std::string b = R"("function":{"name":"read","arguments":"{}"})";
  // without an index
  CHECK(outcome({call(R"("id":"x",)" + a), call(R"("id":"y",)" + b), finish("tool_calls")}) == two);
  // all under one index
  CHECK(outcome({call(R"("index":0,"id":"x",)" + a), call(R"("index":0,"id":"y",)" + b),
                 finish("tool_calls")}) == two);
  // a plain "stop" at the end
  CHECK(outcome({call(R"("index":0,"id":"x",)" + a), call(R"("index":1,"id":"y",)" + b),
                 finish("stop"), "[DONE]"}) == two);
  // id and name repeated, and no [DONE]
  CHECK(outcome({call(R"("index":0,"id":"x","function":{"name":"bash","arguments":"{\"a\":"})"),
                 call(R"("index":0,"id":"x","function":{"name":"bash","arguments":"1}"})"),
                 call(R"("index":1,"id":"y",)" + b), finish("tool_calls")}) == two);
  // no ids at all
  CHECK(outcome({call(R"("index":0,)" + a), call(R"("index":1,)" + b), finish("tool_calls")}) ==
        two);
  // arguments as an object, pieces without index and id
  CHECK(outcome({call(R"("id":"x","function":{"name":"bash","arguments":{"a":1}})"),
                 call(R"("id":"y","function":{"name":"read","arguments":"{"})"),
                 call(R"("function":{"arguments":"}"})"), finish("tool_calls")}) == two);
}

TEST_CASE("chat: a limit leaves the last call unfinished, even if its input looks whole") {
  CHECK(outcome({call(R"("index":0,"id":"x","function":{"name":"bash","arguments":"{}"})"),
                 call(R"("index":1,"id":"y","function":{"name":"bash","arguments":"{}"})"),
                 finish("length"), "[DONE]"}) == R"(bash({}) bash({"_raw":"{}"}) -> length)");
}

TEST_CASE("chat: the end of the stream without finish_reason and [DONE] is an interruption") {
  CHECK(outcome({delta_of(R"("content":"a")")}) == "text(a) -> interrupted");
  CHECK(outcome({delta_of(R"("content":"a")"), "[DONE]"}) == "text(a) -> stop");
  CHECK(outcome({delta_of(R"("content":"a")"), finish("stop")}) == "text(a) -> stop");
}

TEST_CASE("chat: refusals and errors in the stream are told apart from answers") {
  CHECK(outcome({delta_of(R"("refusal":"I will not.")"), finish("stop")}) ==
        "text(I will not.) -> refusal");
  CHECK(outcome({delta_of(R"("content":"a")"), finish("content_filter")}) == "text(a) -> refusal");
  Replay failed(openai_chat);
  failed.feed(sse({R"({"error":{"message":"no slot","type":"server_error","code":503}})"}));
  CHECK(failed.assembler.failure() ==
        model::delta::Failed{"the provider is not available (503): no slot", false, true});
  CHECK(
      outcome(
          {R"({"choices":[{"index":0,"delta":{},"finish_reason":"error","error":{"message":"x"}}]})"}) ==
      "-> error");
}

TEST_CASE("chat: only the first of several choices is taken, and odd shapes do no harm") {
  CHECK(
      outcome(
          {R"({"choices":[{"index":1,"delta":{"content":"other"}},{"index":0,"delta":{"content":"a"}}]})",
           R"({"choices":[null,7,"x",{}],"usage":null})", R"({"choices":{}})", "[]", "7",
           call(R"("index":"x","function":7)"), finish("stop")}) == "text(a) -> stop");
}

TEST_CASE("chat: a conversation is encoded with one message per result, images after them") {
  const model::Image image{"image/png", "", "\x01\x02\x03"};
  const model::Context context{
      .system = "be brief",
      .messages = {model::user_message("hi"),
                   {.role = model::Role::assistant,
                    .content = {model::Thinking{"hm"}, model::Text{"I "},
                                model::ToolUse{"c1", "read", R"({"p":1})"}, model::Text{"look."},
                                model::ToolUse{"c2", "shot"}}},
                   {.role = model::Role::tool,
                    .content = {model::ToolResult{
                        "c1", {model::Text{"a"}, model::Text{"b"}}, true}}},
                   {.role = model::Role::tool, .content = {model::ToolResult{"c2", {image}}}},
                   {.role = model::Role::user, .content = {model::Text{"and this?"}, image}}},
      .tools = {{"read", "reads", R"({"type":"object"})"}}};
  const WireRequest request = openai_chat.encode(context, test_model, ModelFacts{.max_output = 99});

  CHECK(request.path == "/chat/completions");
  CHECK(*parse_json(request.body) == json(R"({
    "model":"gpt","stream":true,"stream_options":{"include_usage":true},"max_tokens":99,
    "tools":[{"type":"function","function":
      {"name":"read","description":"reads","parameters":{"type":"object"}}}],
    "messages":[
      {"role":"system","content":"be brief"},
      {"role":"user","content":"hi"},
      {"role":"assistant","content":"I look.","tool_calls":[
        {"id":"c1","type":"function","function":{"name":"read","arguments":"{\"p\":1}"}},
        {"id":"c2","type":"function","function":{"name":"shot","arguments":"{}"}}],"reasoning_content":"hm"},
      {"role":"tool","tool_call_id":"c1","content":"a\nb"},
      {"role":"tool","tool_call_id":"c2","content":"(see the image\u0029"},
      {"role":"user","content":[
        {"type":"text","text":"The images of the tool results:"},
        {"type":"image_url","image_url":{"url":"data:image/png;base64,AQID"}}]},
      {"role":"user","content":[
        {"type":"text","text":"and this?"},
        {"type":"image_url","image_url":{"url":"data:image/png;base64,AQID"}}]}]})"));
}

TEST_CASE("chat: the dialect of a service comes from the catalog's facts") {
  const model::Context context{
      .system = "s",
      .messages = {model::user_message("q"),
                   {.role = model::Role::assistant,
                    .content = {model::Thinking{"hm"}, model::ToolUse{"c", "read"}}},
                   {.role = model::Role::tool, .content = {model::ToolResult{"c"}}}}};
  model::ModelRef low = test_model;
  low.thinking = model::ThinkingLevel::low;
  const Json body = body_of(context, low,
                            ModelFacts{.max_output = 5,
                                       .thinking = ThinkingStyle::effort,
                                       .system_role = "developer",
                                       .max_tokens_field = "max_completion_tokens",
                                       .stream_usage = false});

  CHECK(body == json(R"({
    "model":"gpt","stream":true,"max_completion_tokens":5,"reasoning_effort":"low",
    "messages":[
      {"role":"developer","content":"s"},{"role":"user","content":"q"},
      {"role":"assistant","content":null,"tool_calls":[
        {"id":"c","type":"function","function":{"name":"read","arguments":"{}"}}],
        "reasoning_content":"hm"},
      {"role":"tool","tool_call_id":"c","content":"(no output\u0029"}]})"));
}

TEST_CASE("chat: reasoning goes back in the field it came in") {
  for (const std::string field : {"reasoning_content", "reasoning", "reasoning_text"}) {
    CAPTURE(field);
    const model::Message message =
        replay(openai_chat,
               sse({delta_of("\"" + field + R"(":"st")"), delta_of("\"" + field + R"(":"ep")"),
                    delta_of(R"("content":"done")"), finish("stop")}));
    CHECK(outline(message) == "think(step) text(done) -> stop");
    CHECK(body_of({.messages = {message}})["messages"] ==
          Json::array({{{"role", "assistant"}, {"content", "done"}, {field, "step"}}}));
  }
}

TEST_CASE("chat: a service that wants reasoning in every reply gets it, if empty, with tools") {
  const ModelFacts facts{.reasoning_always = true};
  model::Context context{
      .messages = {
          model::user_message("hi"),
          {.role = model::Role::assistant, .content = {model::Thinking{"hm"}, model::Text{"a"}}},
          model::user_message("and?"),
          {.role = model::Role::assistant, .content = {model::Text{"b"}}}}};
  const auto sent = [&](const ModelFacts& with) {
    return (*parse_json(openai_chat.encode(context, test_model, with).body))["messages"];
  };
  CHECK_FALSE(sent(facts)[3].contains("reasoning_content"));
  context.tools = {{"read", "reads", R"({"type":"object"})"}};
  CHECK(sent(facts)[1]["reasoning_content"] == "hm");
  CHECK(sent(facts)[3]["reasoning_content"] == "");
  CHECK_FALSE(sent({})[3].contains("reasoning_content"));
}

TEST_CASE("chat: reasoning details go back as they came") {
  const model::Message message = replay(
      openai_chat,
      sse({delta_of(
               R"("reasoning":"st","reasoning_details":[{"type":"reasoning.text","text":"st","format":"f","index":0}])"),
           delta_of(
               R"("reasoning_details":[{"type":"reasoning.text","text":"ep","signature":"c2ln","format":"f","index":0}])"),
           delta_of(
               R"("reasoning_details":[{"type":"reasoning.encrypted","data":"ZW5j","id":"r1","index":1}])"),
           delta_of(R"("content":"done")"), finish("stop")}));
  CHECK(outline(message) == "think(step) redacted(ZW5j) text(done) -> stop");

  CHECK(body_of({.messages = {message}})["messages"] == json(R"([
    {"role":"assistant","content":"done","reasoning_details":[
      {"type":"reasoning.text","format":"f","index":0,"text":"step","signature":"c2ln"},
      {"type":"reasoning.encrypted","id":"r1","index":1,"data":"ZW5j"}]}])"));
}

TEST_CASE("chat: counts that cannot be are taken as not given, and nothing is reckoned with them") {
  const model::Message message = replay(
      openai_chat, sse({delta_of(R"("content":"x")"), finish("stop"),
                        R"({"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":-5,)"
                        R"("prompt_tokens_details":{"cached_tokens":-9223372036854775808}}})",
                        "[DONE]"}));
  CHECK(message.usage == model::Usage{.input = 7});
}

TEST_CASE("chat: a prompt that got no answer is a paragraph before the next one") {
  const model::Context context{
      .messages = {{.role = model::Role::user,
                    .content = {model::Text{"a question"}, model::Text{"another one"}}}}};
  const WireRequest request = openai_chat.encode(context, test_model, {});
  CHECK(parse_json(request.body)->at("messages") ==
        json(R"([{"role":"user","content":"a question\n\nanother one"}])"));
}
