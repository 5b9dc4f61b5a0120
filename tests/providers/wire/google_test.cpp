#include <doctest/doctest.h>

#include "core/text/json.h"
#include "providers/wire/codecs.h"
#include "tests/support/replay.h"

using namespace skein;
using namespace skein::wire;

namespace {

const model::ModelRef test_model{"google-gemini", "gemini"};

Json body_of(const model::Context& context, const model::ModelRef& ref = test_model,
             const ModelFacts& facts = {}) {
  return *parse_json(google_gemini.encode(context, ref, facts).body);
}

Json json(const char* text) { return *parse_json(text); }

std::string parts(const std::string& list) {
  return R"({"candidates":[{"content":{"role":"model","parts":[)" + list + R"(]},"index":0}]})";
}
std::string finish(const std::string& reason) {
  return R"({"candidates":[{"finishReason":")" + reason + R"(","index":0}]})";
}

std::string outcome(const std::vector<std::string>& data) {
  return outline(replay(google_gemini, sse(data)));
}

const std::string answer = sse({
    parts(R"({"text":"two ","thought":true})"),
    parts(R"({"text":"calls","thought":true})"),
    parts(R"({"text":"I "})"),
    parts(
        R"({"text":"look."},{"functionCall":{"name":"read","args":{"p":1}},"thoughtSignature":"c2lnMQ=="})"),
    parts(R"({"functionCall":{"name":"list","id":"own"}},{"executableCode":{"code":"x"}})"),
    parts(R"({"text":"Signed.","thoughtSignature":"c2lnMg=="},{"text":"Not."})"),
    parts(R"({"text":"","thoughtSignature":"c2lnMw=="})"),
    R"({"candidates":[{"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":100,"cachedContentTokenCount":60,"candidatesTokenCount":20,"thoughtsTokenCount":7,"toolUsePromptTokenCount":3}})",
});

}  // namespace

TEST_CASE("gemini: parts are decoded, each signature on the very part it came with") {
  const model::Message message = replay(google_gemini, answer);

  CHECK(
      message.content ==
      std::vector<model::Block>{
          model::Thinking{"two calls"}, model::Text{"I look."},
          model::ToolUse{"call_stem_3", "read", R"({"p":1})", R"({"thoughtSignature":"c2lnMQ=="})"},
          model::ToolUse{"own", "list", "{}", R"({"id":"own"})"},
          model::Opaque{"google-gemini", R"({"executableCode":{"code":"x"}})"},
          model::Text{"Signed.", R"({"thoughtSignature":"c2lnMg=="})"}, model::Text{"Not."},
          model::Text{"", R"({"thoughtSignature":"c2lnMw=="})"}});
  CHECK(message.stop == model::Stop::tool_use);
  CHECK(message.usage == model::Usage{43, 27, 60, 0, 7});
}

TEST_CASE("gemini: signed parts go back as they came, results with the names of their calls") {
  const model::Context context{
      .messages = {model::user_message("hi"),
                   replay(google_gemini, answer),
                   {.role = model::Role::tool,
                    .content = {model::ToolResult{"call_stem_3", {model::Text{"a"}}},
                                model::ToolResult{"own", {model::Text{"no"}}, true}}}}};

  CHECK(body_of(context)["contents"] == json(R"([
    {"role":"user","parts":[{"text":"hi"}]},
    {"role":"model","parts":[
      {"text":"two calls","thought":true},{"text":"I look."},
      {"functionCall":{"name":"read","args":{"p":1}},"thoughtSignature":"c2lnMQ=="},
      {"functionCall":{"name":"list","args":{},"id":"own"}},
      {"executableCode":{"code":"x"}},
      {"text":"Signed.","thoughtSignature":"c2lnMg=="},{"text":"Not."},
      {"text":"","thoughtSignature":"c2lnMw=="}]},
    {"role":"user","parts":[
      {"functionResponse":{"name":"read","response":{"output":"a"}}},
      {"functionResponse":{"name":"list","response":{"error":"no"},"id":"own"}}]}])"));
}

TEST_CASE("gemini: a request has its system words, tools and settings") {
  model::ModelRef low = test_model;
  low.model = "models/x y";
  low.thinking = model::ThinkingLevel::low;
  const model::Context context{.system = "be brief",
                               .messages = {model::user_message("hi")},
                               .tools = {{"read", "reads", R"({"type":"object"})"}}};
  const WireRequest request = google_gemini.encode(
      context, low, ModelFacts{.max_output = 9, .thinking = ThinkingStyle::effort});

  CHECK(request.path == "/models/models%2Fx%20y:streamGenerateContent?alt=sse");
  CHECK(*parse_json(request.body) == json(R"({
    "systemInstruction":{"parts":[{"text":"be brief"}]},
    "tools":[{"functionDeclarations":[
      {"name":"read","description":"reads","parametersJsonSchema":{"type":"object"}}]}],
    "generationConfig":{"maxOutputTokens":9,
      "thinkingConfig":{"includeThoughts":true,"thinkingLevel":"LOW"}},
    "contents":[{"role":"user","parts":[{"text":"hi"}]}]})"));

  const ModelFacts budget{.thinking = ThinkingStyle::budget, .thinking_off = "0"};
  CHECK(body_of(context, low, budget)["generationConfig"] ==
        json(R"({"thinkingConfig":{"includeThoughts":true,"thinkingBudget":2048}})"));
  CHECK(body_of(context, test_model, budget)["generationConfig"] ==
        json(R"({"thinkingConfig":{"includeThoughts":false,"thinkingBudget":0}})"));
  CHECK(!body_of(context, low).contains("generationConfig"));
}

TEST_CASE("gemini: images of results stand in them or after all of them") {
  const model::Image image{"image/png", "", "\x01\x02\x03"};
  const model::Context context{
      .messages = {{.role = model::Role::assistant,
                    .content = {model::ToolUse{"a", "shot"}, model::ToolUse{"b", "shot"}}},
                   {.role = model::Role::tool,
                    .content = {model::ToolResult{"a", {model::Text{"1"}, image}}}},
                   {.role = model::Role::tool,
                    .content = {model::ToolResult{"b", {model::Text{"2"}, image}}}}}};

  CHECK(body_of(context, test_model, ModelFacts{.images_in_results = true})["contents"][1] ==
        json(R"(
    {"role":"user","parts":[
      {"functionResponse":{"name":"shot","response":{"output":"1"},
        "parts":[{"inlineData":{"mimeType":"image/png","data":"AQID"}}]}},
      {"functionResponse":{"name":"shot","response":{"output":"2"},
        "parts":[{"inlineData":{"mimeType":"image/png","data":"AQID"}}]}}]})"));
  CHECK(body_of(context)["contents"][1] == json(R"(
    {"role":"user","parts":[
      {"functionResponse":{"name":"shot","response":{"output":"1"}}},
      {"functionResponse":{"name":"shot","response":{"output":"2"}}},
      {"inlineData":{"mimeType":"image/png","data":"AQID"}},
      {"inlineData":{"mimeType":"image/png","data":"AQID"}}]})"));
}

TEST_CASE("gemini: calls and responses carry ids where the model wants them, whoever called") {
  const ModelFacts strict{.call_ids = true};
  const model::Context foreign{
      .messages = {{.role = model::Role::assistant,
                    .content = {model::ToolUse{"a", "x"}, model::ToolUse{"b", "y"}}},
                   {.role = model::Role::tool,
                    .content = {model::ToolResult{"a", {model::Text{"1"}}},
                                model::ToolResult{"b", {model::Text{"2"}}}}}}};
  const model::Context own{
      .messages = {
          {.role = model::Role::assistant,
           .content = {model::ToolUse{"a", "x", "{}", R"({"id":"its-own","thoughtSignature":"s"})"},
                       model::ToolUse{"b", "y"}}}}};

  CHECK(body_of(foreign, test_model, strict)["contents"][0]["parts"] == json(R"([
    {"functionCall":{"name":"x","args":{},"id":"a"}},
    {"functionCall":{"name":"y","args":{},"id":"b"}}])"));
  CHECK(body_of(foreign, test_model, strict)["contents"][1]["parts"] == json(R"([
    {"functionResponse":{"name":"x","response":{"output":"1"},"id":"a"}},
    {"functionResponse":{"name":"y","response":{"output":"2"},"id":"b"}}])"));
  CHECK(!body_of(foreign)["contents"][0]["parts"][0]["functionCall"].contains("id"));
  CHECK(body_of(own, test_model, strict)["contents"][0]["parts"] == json(R"([
    {"functionCall":{"name":"x","args":{},"id":"its-own"},"thoughtSignature":"s"},
    {"functionCall":{"name":"y","args":{},"id":"b"}}])"));
}

TEST_CASE("gemini: each end has its meaning") {
  const std::string text = parts(R"({"text":"a"})");
  CHECK(outcome({text, finish("STOP")}) == "text(a) -> stop");
  CHECK(outcome({text, finish("MAX_TOKENS")}) == "text(a) -> length");
  CHECK(outcome({text, finish("SAFETY")}) == "text(a) -> refusal");
  CHECK(outcome({text, finish("MALFORMED_FUNCTION_CALL")}) == "text(a) -> error");
  CHECK(outcome({text, finish("A_NEW_REASON")}) == "text(a) -> stop");
  CHECK(outcome({text}) == "text(a) -> interrupted");
  CHECK(outcome({parts(R"({"functionCall":{"name":"x"}})"), finish("FUNCTION_CALL")}) ==
        "x({}) -> tool_use");

  const model::Message blocked =
      replay(google_gemini, sse({R"({"promptFeedback":{"blockReason":"SAFETY"}})"}));
  CHECK(blocked.stop == model::Stop::refusal);
  CHECK(blocked.error == "SAFETY");
  Replay failed(google_gemini);
  failed.feed(sse({R"({"error":{"code":429,"message":"wait","status":"RESOURCE_EXHAUSTED"}})"}));
  CHECK(failed.assembler.failure() ==
        model::delta::Failed{"too many requests (429): wait", false, true});
}

TEST_CASE("gemini: odd shapes do no harm") {
  CHECK(
      outcome(
          {"[]",
           R"({"candidates":[null,{"content":{}},{"index":1,"content":{"parts":[{"text":"other"}]}}]})",
           R"({"candidates":[{"content":{"parts":[null,7,{"text":5},{"text":"a"}]},"finishReason":"STOP"}]})"}) ==
      "text(a) -> stop");
}
