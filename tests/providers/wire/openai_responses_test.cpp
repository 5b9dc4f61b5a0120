#include <doctest/doctest.h>

#include "core/text/json.h"
#include "providers/wire/codecs.h"
#include "tests/support/replay.h"

using namespace skein;
using namespace skein::wire;

namespace {

const model::ModelRef test_model{"openai-responses", "gpt"};

Json body_of(const model::Context& context, const model::ModelRef& ref = test_model,
             const ModelFacts& facts = {}) {
  return *parse_json(openai_responses.encode(context, ref, facts).body);
}

Json json(const char* text) { return *parse_json(text); }

std::string outcome(const std::vector<std::string>& data) {
  return outline(replay(openai_responses, sse(data)));
}

// An answer with everything a model can say.
const std::vector<std::string> answer{
    R"({"type":"response.created","response":{"id":"r","status":"in_progress"}})",
    R"({"type":"response.output_item.added","output_index":0,"item":{"type":"reasoning","id":"rs_1","summary":[]}})",
    R"({"type":"response.reasoning_summary_part.added","output_index":0,"item_id":"rs_1","summary_index":0})",
    R"({"type":"response.reasoning_summary_text.delta","output_index":0,"item_id":"rs_1","summary_index":0,"delta":"One."})",
    R"({"type":"response.reasoning_summary_part.added","output_index":0,"item_id":"rs_1","summary_index":1})",
    R"({"type":"response.reasoning_summary_text.delta","output_index":0,"item_id":"rs_1","summary_index":1,"delta":"Two."})",
    R"({"type":"response.output_item.done","output_index":0,"item":{"type":"reasoning","id":"rs_1","status":"completed","summary":[{"type":"summary_text","text":"One."},{"type":"summary_text","text":"Two."}],"encrypted_content":"ZW5j+/="}})",
    R"({"type":"response.output_item.added","output_index":1,"item":{"type":"message","id":"msg_1","role":"assistant","content":[]}})",
    R"({"type":"response.output_text.delta","output_index":1,"item_id":"msg_1","content_index":0,"delta":"Look"})",
    R"({"type":"response.output_item.added","output_index":2,"item":{"type":"function_call","id":"fc_1","call_id":"c1","name":"read","arguments":""}})",
    R"({"type":"response.function_call_arguments.delta","output_index":2,"item_id":"fc_1","delta":"{\"p\""})",
    R"({"type":"response.output_text.delta","output_index":1,"item_id":"msg_1","content_index":0,"delta":"ing."})",
    R"({"type":"response.output_text.delta","output_index":1,"item_id":"msg_1","content_index":1,"delta":"More."})",
    R"({"type":"response.output_item.done","output_index":1,"item":{"type":"message","id":"msg_1","phase":"commentary","content":[{"type":"output_text","text":"Looking."},{"type":"output_text","text":"More."}]}})",
    R"({"type":"response.function_call_arguments.delta","output_index":2,"item_id":"fc_1","delta":": 1}"})",
    R"({"type":"response.function_call_arguments.done","output_index":2,"item_id":"fc_1","arguments":"{\"p\": 1}"})",
    R"({"type":"response.output_item.done","output_index":2,"item":{"type":"function_call","id":"fc_1","call_id":"c1","name":"read","arguments":"{\"p\": 1}","status":"completed"}})",
    R"({"type":"response.output_item.done","output_index":3,"item":{"type":"web_search_call","id":"ws_1","status":"completed"}})",
    R"({"type":"response.something_new","output_index":4})",
    R"({"type":"response.completed","response":{"status":"completed","output":[],"usage":{"input_tokens":100,"input_tokens_details":{"cached_tokens":60},"output_tokens":20,"output_tokens_details":{"reasoning_tokens":7}}}})",
};

}  // namespace

TEST_CASE("responses: everything an answer can hold is decoded, with ids and encrypted reasoning") {
  const model::Message message = replay(openai_responses, sse(answer));

  CHECK(message.content ==
        std::vector<model::Block>{
            model::Thinking{"One.\n\nTwo.", "ZW5j+/=", false,
                            R"({"id":"rs_1","summary":[{"type":"summary_text","text":"One."},)"
                            R"({"type":"summary_text","text":"Two."}]})"},
            model::Text{"Looking.", R"({"id":"msg_1","phase":"commentary"})"},
            model::ToolUse{"c1", "read", R"({"p":1})", R"({"id":"fc_1"})"},
            model::Text{"More.", R"({"id":"msg_1","phase":"commentary"})"},
            model::Opaque{"openai-responses",
                          R"({"type":"web_search_call","id":"ws_1","status":"completed"})"}});
  CHECK(message.stop == model::Stop::tool_use);
  CHECK(message.usage == model::Usage{40, 20, 60, 0, 7});
}

TEST_CASE("responses: what the model signed goes back byte for byte, nothing is stored there") {
  std::vector<std::string> in_order = answer;
  std::erase_if(in_order, [](const std::string& event) {
    return event.find("\"content_index\":1") != std::string::npos;
  });
  model::ModelRef medium = test_model;
  medium.thinking = model::ThinkingLevel::medium;
  const model::Context context{
      .system = "be brief",
      .messages = {model::user_message("sum?"),
                   replay(openai_responses, sse(in_order)),
                   {.role = model::Role::tool,
                    .content = {model::ToolResult{"c1", {model::Text{"four"}}}}}},
      .tools = {{"read", "reads", R"({"type":"object"})"}},
      .session = "0123456789abcdef"};
  const WireRequest request = openai_responses.encode(
      context, medium, ModelFacts{.max_output = 9, .thinking = ThinkingStyle::effort});

  CHECK(request.path == "/responses");
  CHECK(*parse_json(request.body) == json(R"({
    "model":"gpt","stream":true,"store":false,"instructions":"be brief","max_output_tokens":16,
    "prompt_cache_key":"0123456789abcdef",
    "include":["reasoning.encrypted_content"],"reasoning":{"effort":"medium","summary":"auto"},
    "tools":[{"type":"function","name":"read","description":"reads",
              "parameters":{"type":"object"},"strict":false}],
    "input":[
      {"type":"message","role":"user","content":[{"type":"input_text","text":"sum?"}]},
      {"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"One."},
        {"type":"summary_text","text":"Two."}],"encrypted_content":"ZW5j+/="},
      {"type":"message","role":"assistant","status":"completed","id":"msg_1","phase":"commentary",
       "content":[{"type":"output_text","text":"Looking.","annotations":[]}]},
      {"type":"function_call","id":"fc_1","call_id":"c1","name":"read","arguments":"{\"p\":1}"},
      {"type":"web_search_call","id":"ws_1","status":"completed"},
      {"type":"function_call_output","call_id":"c1","output":"four"}]})"));
}

TEST_CASE("responses: servers without indexes are followed by item ids") {
  CHECK(
      outcome(
          {R"({"type":"response.output_item.added","item":{"type":"function_call","id":"a","call_id":"c1","name":"read"}})",
           R"({"type":"response.output_item.added","item":{"type":"function_call","id":"b","call_id":"c2","name":"list"}})",
           R"({"type":"response.function_call_arguments.delta","item_id":"a","delta":"{\"x\":1}"})",
           R"({"type":"response.function_call_arguments.delta","item_id":"b","delta":"{}"})",
           R"({"type":"response.output_item.done","item":{"type":"function_call","id":"b","call_id":"c2","name":"list","arguments":"{}"}})",
           R"({"type":"response.output_item.done","item":{"type":"function_call","id":"a","call_id":"c1","name":"read","arguments":"{\"x\":1}"}})",
           R"({"type":"response.completed","response":{}})"}) ==
      R"(read({"x":1}) list({}) -> tool_use)");
}

TEST_CASE("responses: a call that comes whole, and one that was cut, are told apart") {
  CHECK(
      outcome(
          {R"({"type":"response.output_item.done","output_index":0,"item":{"type":"function_call","call_id":"c1","name":"read","arguments":"{}"}})",
           R"({"type":"response.output_item.done","output_index":1,"item":{"type":"function_call","call_id":"c2","name":"read","arguments":"{}","status":"incomplete"}})",
           R"({"type":"response.incomplete","response":{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"}}})"}) ==
      R"x(read({}) read({"_raw":"{}"}) -> length)x");
}

TEST_CASE("responses: each end has its meaning") {
  CHECK(outcome({R"({"type":"response.completed"})"}) == "-> stop");
  CHECK(
      outcome(
          {R"({"type":"response.incomplete","response":{"incomplete_details":{"reason":"content_filter"}}})"}) ==
      "-> refusal");
  CHECK(
      outcome(
          {R"({"type":"response.refusal.delta","output_index":0,"delta":"No."})",
           R"({"type":"response.completed","response":{"status":"completed","output":[{"type":"message","content":[{"type":"refusal","refusal":"No."}]}]}})"}) ==
      "text(No.) -> refusal");
  CHECK(outcome({R"({"type":"response.created","response":{}})"}) == "-> interrupted");

  Replay failed(openai_responses);
  failed.feed(sse(
      {R"({"type":"response.failed","response":{"status":"failed","error":{"code":"rate_limit_exceeded","message":"slow down"}}})"}));
  CHECK(failed.assembler.failure() ==
        model::delta::Failed{"too many requests (429): slow down", false, true});
  Replay error(openai_responses);
  error.feed(sse({R"({"type":"error","code":"context_length_exceeded","message":"m"})"}));
  CHECK(error.assembler.failure() ==
        model::delta::Failed{"the conversation is too long for this model: m", true, false});
}

TEST_CASE("responses: unsigned and trailing reasoning is not sent, images are") {
  const model::Image image{"image/png", "", "\x01\x02\x03"};
  const model::Context context{
      .messages = {{.role = model::Role::user, .content = {model::Text{"see"}, image}},
                   {.role = model::Role::assistant,
                    .content = {model::Thinking{"unsigned"}, model::Text{"a"},
                                model::Thinking{"last", "c2ln"}}},
                   {.role = model::Role::assistant, .content = {model::ToolUse{"c", "shot"}}},
                   {.role = model::Role::tool,
                    .content = {model::ToolResult{"c", {model::Text{"x"}, image}, true}}}}};

  CHECK(body_of(context)["input"] == json(R"([
    {"type":"message","role":"user","content":[{"type":"input_text","text":"see"},
      {"type":"input_image","image_url":"data:image/png;base64,AQID","detail":"auto"}]},
    {"type":"message","role":"assistant","content":"a"},
    {"type":"function_call","call_id":"c","name":"shot","arguments":"{}"},
    {"type":"function_call_output","call_id":"c","output":[{"type":"input_text","text":"x"},
      {"type":"input_image","image_url":"data:image/png;base64,AQID","detail":"auto"}]}])"));
}
