#include <doctest/doctest.h>

#include <algorithm>
#include <utility>

#include "core/text/json.h"
#include "providers/wire/codecs.h"
#include "tests/support/replay.h"

using namespace skein;
using namespace skein::wire;

namespace {

const model::ModelRef test_model{"anthropic-messages", "claude"};

Json body_of(const model::Context& context, const model::ModelRef& ref = test_model,
             const ModelFacts& facts = {}) {
  return *parse_json(anthropic_messages.encode(context, ref, facts).body);
}

Json json(const char* text) { return *parse_json(text); }

// An answer with everything a model can say.
const std::string answer = sse({
    R"({"type":"message_start","message":{"id":"m1","usage":{"input_tokens":10,"output_tokens":1,"cache_creation_input_tokens":20,"cache_read_input_tokens":30}}})",
    R"({"type":"ping"})",
    R"({"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}})",
    R"({"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"two and "}})",
    R"({"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"two"}})",
    R"({"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"Zm91cg=="}})",
    R"({"type":"content_block_stop","index":0})",
    R"({"type":"content_block_start","index":1,"content_block":{"type":"redacted_thinking","data":"c2VjcmV0"}})",
    R"({"type":"content_block_stop","index":1})",
    R"({"type":"content_block_start","index":2,"content_block":{"type":"text","text":""}})",
    R"({"type":"content_block_delta","index":2,"delta":{"type":"text_delta","text":"Look"}})",
    R"({"type":"content_block_delta","index":2,"delta":{"type":"citations_delta","citation":{}}})",
    R"({"type":"content_block_delta","index":2,"delta":{"type":"text_delta","text":"ing."}})",
    R"({"type":"content_block_start","index":3,"content_block":{"type":"tool_use","id":"t1","name":"read","input":{}}})",
    R"({"type":"content_block_start","index":4,"content_block":{"type":"tool_use","id":"t2","name":"list"}})",
    R"({"type":"content_block_delta","index":3,"delta":{"type":"input_json_delta","partial_json":"{\"path\": \"a"}})",
    R"({"type":"content_block_delta","index":3,"delta":{"type":"input_json_delta","partial_json":".txt\"}"}})",
    R"({"type":"content_block_stop","index":2})",
    R"({"type":"content_block_stop","index":3})",
    R"({"type":"content_block_stop","index":4})",
    R"({"type":"content_block_start","index":5,"content_block":{"type":"server_tool_use","id":"s1","name":"web_search","input":{}}})",
    R"({"type":"content_block_delta","index":5,"delta":{"type":"input_json_delta","partial_json":"{\"query\":\"x\"}"}})",
    R"({"type":"content_block_delta","index":5,"delta":{"type":"aura_delta","colour":"blue"}})",
    R"({"type":"content_block_stop","index":5})",
    R"({"type":"hologram_start","index":9})",
    R"({"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":40,"input_tokens":null,"output_tokens_details":{"thinking_tokens":6}}})",
    R"({"type":"message_stop"})",
});

std::string stopped_with(const std::string& reason) {
  return outline(
      replay(anthropic_messages,
             sse({R"({"type":"message_delta","delta":{"stop_reason":")" + reason + "\"}}",
                  R"({"type":"message_stop"})"})));
}

}  // namespace

TEST_CASE("anthropic: everything an answer can hold is decoded, in order and signed") {
  const model::Message message = replay(anthropic_messages, answer);

  CHECK(
      message.content ==
      std::vector<model::Block>{
          model::Thinking{"two and two", "Zm91cg=="}, model::Thinking{"", "c2VjcmV0", true},
          model::Text{"Looking."}, model::ToolUse{"t1", "read", R"({"path":"a.txt"})"},
          model::ToolUse{"t2", "list", "{}"},
          model::Opaque{
              "anthropic-messages",
              R"({"type":"server_tool_use","id":"s1","name":"web_search","input":{"query":"x"}})"}});
  CHECK(message.stop == model::Stop::tool_use);
  CHECK(message.usage == model::Usage{10, 40, 30, 20, 6});
}

TEST_CASE("anthropic: what the model signed goes back byte for byte") {
  model::Context context{
      .messages = {model::user_message("sum?"), replay(anthropic_messages, answer)}};
  context.messages.push_back({.role = model::Role::tool,
                              .content = {model::ToolResult{"t1", {model::Text{"four"}}},
                                          model::ToolResult{"t2", {model::Text{"no"}}, true}}});
  context.messages.push_back(model::user_message("go on"));

  const ModelFacts thinks{.thinking = ThinkingStyle::effort};
  CHECK(body_of(context, test_model, thinks)["messages"] == json(R"([
    {"role":"user","content":[
      {"type":"text","text":"sum?","cache_control":{"type":"ephemeral"}}]},
    {"role":"assistant","content":[
      {"type":"thinking","thinking":"two and two","signature":"Zm91cg=="},
      {"type":"redacted_thinking","data":"c2VjcmV0"},
      {"type":"text","text":"Looking."},
      {"type":"tool_use","id":"t1","name":"read","input":{"path":"a.txt"}},
      {"type":"tool_use","id":"t2","name":"list","input":{}},
      {"type":"server_tool_use","id":"s1","name":"web_search","input":{"query":"x"}}]},
    {"role":"user","content":[
      {"type":"tool_result","tool_use_id":"t1","content":"four"},
      {"type":"tool_result","tool_use_id":"t2","content":"no","is_error":true},
      {"type":"text","text":"go on","cache_control":{"type":"ephemeral"}}]}])"));
}

TEST_CASE("anthropic: system, tools and the last words end cached prefixes") {
  const model::Context context{.system = "be brief",
                               .messages = {model::user_message("hi")},
                               .tools = {{"a", "first", R"({"type":"object"})"},
                                         {"b", "second", R"({"type":"object","x":1})"}}};
  const WireRequest request =
      anthropic_messages.encode(context, test_model, ModelFacts{.max_output = 4000});

  CHECK(request.path == "/messages");
  CHECK(request.headers == http::HttpHeaders{{"content-type", "application/json"},
                                             {"anthropic-version", "2023-06-01"}});
  CHECK(*parse_json(request.body) == json(R"({
    "model":"claude","max_tokens":4000,"stream":true,
    "system":[{"type":"text","text":"be brief","cache_control":{"type":"ephemeral"}}],
    "tools":[{"name":"a","description":"first","input_schema":{"type":"object"}},
             {"name":"b","description":"second","input_schema":{"type":"object","x":1},
              "cache_control":{"type":"ephemeral"}}],
    "messages":[{"role":"user","content":[
      {"type":"text","text":"hi","cache_control":{"type":"ephemeral"}}]}]})"));
}

TEST_CASE("anthropic: images go as base64, in results too, or as words where they cannot") {
  const model::Image image{"image/png", "", "\x01\x02\x03\x04"};
  const model::Context context{
      .messages = {{.role = model::Role::user, .content = {model::Text{"see"}, image}},
                   {.role = model::Role::assistant, .content = {model::ToolUse{"t", "shot"}}},
                   {.role = model::Role::tool, .content = {model::ToolResult{"t", {image}}}}}};
  const Json sent = json(R"({"type":"image","source":
    {"type":"base64","media_type":"image/png","data":"AQIDBA=="}})");
  const char* left_out = "(image left out: this model takes no images)";

  Json seen = body_of(context)["messages"];
  CHECK(seen[0]["content"][1].erase("cache_control") == 1);
  CHECK(seen[0]["content"][1] == sent);
  CHECK(seen[2]["content"][0]["content"][0]["text"] == "(see the image)");
  CHECK(seen[2]["content"][0]["content"][1] == sent);
  const Json blind = body_of(context, test_model, ModelFacts{.images = false})["messages"];
  CHECK(blind[0]["content"][1]["text"] == left_out);
  CHECK(blind[2]["content"][0]["content"] == left_out);
}

TEST_CASE("anthropic: the thinking level becomes a budget or an effort") {
  const model::Context context{.messages = {model::user_message("hi")}};
  model::ModelRef high = test_model;
  high.thinking = model::ThinkingLevel::high;
  const ModelFacts budget{.max_output = 64'000, .thinking = ThinkingStyle::budget};
  const ModelFacts effort{
      .max_output = 64'000, .thinking = ThinkingStyle::effort, .thinking_off = "disabled"};

  CHECK(body_of(context, high, budget)["thinking"] ==
        json(R"({"type":"enabled","budget_tokens":24576})"));
  CHECK(body_of(context, high, effort)["thinking"] ==
        json(R"({"type":"adaptive","display":"summarized"})"));
  CHECK(body_of(context, high, effort)["output_config"] == json(R"({"effort":"high"})"));
  CHECK(body_of(context, test_model, effort)["thinking"] == json(R"({"type":"disabled"})"));
  CHECK(!body_of(context, test_model, budget).contains("thinking"));
  CHECK(!body_of(context, high, ModelFacts{}).contains("thinking"));
  // The answer keeps its room, and a budget below the least allowed is none.
  high.max_output = 4096;
  CHECK(body_of(context, high, budget)["thinking"]["budget_tokens"] == 3072);
  high.max_output = 2000;
  CHECK(!body_of(context, high, budget).contains("thinking"));
}

TEST_CASE("anthropic: thoughts whose past has changed are to be dropped, where that is known") {
  const model::Context context{.messages = {model::user_message("hi")}};
  const std::pair<std::string, std::string> header{"anthropic-beta",
                                                   "thinking-binding-controls-2026-08-01"};
  const auto has_header = [&](const WireRequest& request) {
    return std::ranges::find(request.headers, header) != request.headers.end();
  };
  const Json loose = json(
      R"({"type":"adaptive","display":"summarized","block_binding":{"prefix_mismatch_behavior":"drop_block"}})");
  ModelFacts facts{
      .max_output = 64'000, .thinking = ThinkingStyle::effort, .betas = true, .prefix_bound = true};
  model::ModelRef ref = test_model;
  // Such a model thinks by itself, so its thoughts are bound also where nobody asked for them.
  for (const model::ThinkingLevel level : {model::ThinkingLevel::off, model::ThinkingLevel::high}) {
    ref.thinking = level;
    const WireRequest request = anthropic_messages.encode(context, ref, facts);
    CHECK(has_header(request));
    CHECK(at(*parse_json(request.body), "thinking") == loose);
    CHECK(parse_json(request.body)->contains("output_config") ==
          (level == model::ThinkingLevel::high));
  }
  // Never the object without the header, and neither for those who do not know it.
  for (const auto& [betas, bound] : {std::pair(false, true), {true, false}}) {
    facts.betas = betas;
    facts.prefix_bound = bound;
    const WireRequest request = anthropic_messages.encode(context, ref, facts);
    CHECK_FALSE(has_header(request));
    CHECK(at(*parse_json(request.body), "thinking") ==
          json(R"({"type":"adaptive","display":"summarized"})"));
  }
  facts.betas = facts.prefix_bound = true;
  facts.thinking_off = "disabled";
  ref.thinking = model::ThinkingLevel::off;
  const WireRequest silent = anthropic_messages.encode(context, ref, facts);
  CHECK_FALSE(has_header(silent));
  CHECK(at(*parse_json(silent.body), "thinking") == json(R"({"type":"disabled"})"));
}

TEST_CASE("anthropic: a budget is given only to a loop that began with thinking") {
  model::Context context{
      .messages = {
          model::user_message("hi"),
          {.role = model::Role::assistant, .content = {model::ToolUse{"a", "x"}}},
          {.role = model::Role::tool, .content = {model::ToolResult{"a", {model::Text{"1"}}}}}}};
  model::ModelRef high = test_model;
  high.thinking = model::ThinkingLevel::high;
  const ModelFacts budget{.max_output = 64'000, .thinking = ThinkingStyle::budget};
  CHECK_FALSE(body_of(context, high, budget).contains("thinking"));
  const ModelFacts effort{.max_output = 64'000, .thinking = ThinkingStyle::effort};
  CHECK(body_of(context, high, effort).contains("thinking"));

  std::vector<model::Block>& reply = context.messages[1].content;
  reply.insert(reply.begin(), model::Thinking{"hm", "c2ln"});
  CHECK(body_of(context, high, budget)["thinking"]["type"] == "enabled");
  // And where it is not to think, the loop has no thoughts.
  const Json off = body_of(context, test_model, budget);
  CHECK_FALSE(off.contains("thinking"));
  CHECK(off["messages"][1]["content"].size() == 1);
}

TEST_CASE("anthropic: who wants thinking in every reply gets it, sealed or not, with tools") {
  model::Context context{
      .messages = {model::user_message("hi"),
                   {.role = model::Role::assistant,
                    .content = {model::Thinking{"hm"}, model::Text{"a"}}},
                   model::user_message("and?"),
                   {.role = model::Role::assistant, .content = {model::Text{"b"}}}},
      .tools = {{"read", "reads", R"({"type":"object"})"}}};
  const ModelFacts facts{.thinking = ThinkingStyle::effort, .reasoning_always = true};
  const Json messages = body_of(context, test_model, facts)["messages"];
  CHECK(messages[1]["content"][0] == json(R"({"type":"thinking","thinking":"hm","signature":""})"));
  CHECK(messages[3]["content"][0] == json(R"({"type":"thinking","thinking":"","signature":""})"));
  context.tools.clear();
  CHECK(body_of(context, test_model, facts)["messages"][3]["content"].size() == 1);
}

TEST_CASE("anthropic: what the service did to the request is counted, kind by kind") {
  const auto start = [](const std::string& list) {
    return R"({"type":"message_start","message":{"usage":{"input_tokens":1},"input_transformations":)" +
           list + "}}";
  };
  const std::string dropped =
      R"({"type":"thinking_dropped","path":"messages.1.content.0","reason":"prefix_binding_mismatch"})";
  const std::string end = R"({"type":"message_stop"})";
  const model::Message message =
      replay(anthropic_messages,
             sse({start("[" + dropped + R"(,{"type":"something_new"},)" + dropped +
                        R"(,{"type":"thinking_dropped","reason":"model_binding_mismatch"}])"),
                  R"({"type":"message_delta","delta":{"stop_reason":"end_turn"}})", end}));
  using All = std::vector<model::Transformation>;
  CHECK(message.transformed == All{{"thinking_dropped", "prefix_binding_mismatch", 2},
                                   {"thinking_dropped", "model_binding_mismatch", 1}});
  CHECK(model::message_from_json(model::to_json(message)) == message);
  // A fallback inside the service asks another model, and says so at the end.
  CHECK(
      replay(
          anthropic_messages,
          sse({start("[" + dropped + "]"),
               R"({"type":"message_delta","input_transformations":[],"delta":{"stop_reason":"end_turn"}})",
               end}))
          .transformed.empty());
}

TEST_CASE("anthropic: blocks of other providers are not sent") {
  const model::Context context{
      .messages = {{.role = model::Role::assistant,
                    .content = {model::Opaque{"google", R"({"x":1})"}, model::Text{"a"}}}}};
  CHECK(body_of(context)["messages"] ==
        json(R"([{"role":"assistant","content":[{"type":"text","text":"a"}]}])"));
}

TEST_CASE("anthropic: every reason to stop has its meaning") {
  CHECK(stopped_with("end_turn") == "-> stop");
  CHECK(stopped_with("stop_sequence") == "-> stop");
  CHECK(stopped_with("pause_turn") == "-> stop");
  CHECK(stopped_with("max_tokens") == "-> length");
  CHECK(stopped_with("model_context_window_exceeded") == "-> length");
  CHECK(stopped_with("refusal") == "-> refusal");
  CHECK(stopped_with("a_new_reason") == "-> stop");
}

TEST_CASE("anthropic: a refusal's explanation and an error in the stream reach the user") {
  const model::Message refused = replay(
      anthropic_messages,
      sse({R"({"type":"message_delta","delta":{"stop_reason":"refusal","stop_details":{"explanation":"why"}}})",
           R"({"type":"message_stop"})"}));
  CHECK(refused.stop == model::Stop::refusal);
  CHECK(refused.error == "why");

  Replay failed(anthropic_messages);
  failed.feed(
      "event: error\n" +
      sse({R"({"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}})"}));
  CHECK(failed.assembler.failure() ==
        model::delta::Failed{"the provider is overloaded (529): Overloaded", false, true});
}

TEST_CASE("an event called error is one, whatever its data calls itself") {
  const SseEvent bare{.name = "error",
                      .data = R"({"code":500,"message":"no such format","type":"server_error"})"};
  const model::Deltas deltas = anthropic_messages.decode(bare);
  REQUIRE(deltas.size() == 1);
  const auto& failed = std::get<model::delta::Failed>(deltas[0]);
  CHECK(failed.text == "the provider has an internal error (500): no such format");
  CHECK(failed.retryable);
}
