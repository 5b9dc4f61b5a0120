#include "providers/grammar/validator.h"

#include <doctest/doctest.h>

#include "tests/support/known_target.h"

using namespace skein;
using namespace skein::grammar;

namespace {

// A good body is spoilt at one place; exactly the named rule must be seen to be broken.
struct Case {
  const char* from;
  const char* to;
  std::vector<std::string> broken;
};

std::string spoilt(std::string body, const Case& spoil) {
  const std::size_t place = body.find(spoil.from);
  REQUIRE_MESSAGE(place != body.npos, spoil.from);
  return body.replace(place, std::string_view(spoil.from).size(), spoil.to);
}

std::string joined(const std::vector<std::string>& lines) {  // to be legible when a check fails
  std::string out;
  for (const std::string& line : lines) out += line + "\n";
  return out;
}

void check_cases(const handover::Target& target, const std::string& good,
                 const std::vector<Case>& cases) {
  CHECK(violations(target, good) == std::vector<std::string>{});
  for (const Case& each : cases) {
    CHECK(joined(violations(target, spoilt(good, each))) == joined(each.broken));
  }
}

const std::string anthropic_body = R"({
"model":"m","max_tokens":4096,"system":[{"type":"text","text":"be kind","cache_control":{"type":"ephemeral"}}],
"thinking":{"type":"enabled","budget_tokens":2048},
"tools":[{"name":"bash","input_schema":{"type":"object"}},{"name":"read","input_schema":{"type":"object"}}],
"messages":[
{"role":"user","content":"hi"},
{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"c2ln"},{"type":"redacted_thinking","data":"ZW5j"},
 {"type":"text","text":"ok"},{"type":"tool_use","id":"a","name":"bash","input":{}},{"type":"tool_use","id":"b","name":"read","input":{"x":1}}]},
{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"out","is_error":true},
 {"type":"tool_result","tool_use_id":"b","content":[{"type":"text","text":"see"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"aGk="}}]},
 {"type":"text","text":"and?"}]},
{"role":"assistant","content":[{"type":"server_tool_use","id":"s"},{"type":"text","text":"fine"}]},
{"role":"user","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"aGk="}},{"type":"text","text":"bye"}]}
]})";

const std::string chat_body = R"({
"model":"m","tools":[{"type":"function","function":{"name":"bash","parameters":{"type":"object"}}}],
"messages":[
{"role":"system","content":"be kind"},
{"role":"user","content":[{"type":"text","text":"hi"},{"type":"image_url","image_url":{"url":"data:image/png;base64,aGk="}}]},
{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"bash","arguments":"{}"}},
 {"id":"b","type":"function","function":{"name":"bash","arguments":"{\"x\":1}"}}]},
{"role":"tool","tool_call_id":"b","content":"two"},
{"role":"tool","tool_call_id":"a","content":"one"},
{"role":"assistant","content":"fine"},
{"role":"user","content":"bye"}
]})";

const std::string responses_body = R"({
"model":"m","store":false,"instructions":"be kind","tools":[{"type":"function","name":"bash","parameters":{"type":"object"}}],
"input":[
{"role":"user","content":[{"type":"input_text","text":"hi"},{"type":"input_image","image_url":"data:image/png;base64,aGk="}]},
{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"ZW5j"},
{"type":"message","role":"assistant","id":"msg_1","status":"completed","content":[{"type":"output_text","text":"ok"}]},
{"type":"function_call","id":"fc_1","call_id":"a","name":"bash","arguments":"{}"},
{"type":"function_call","call_id":"b","name":"bash","arguments":"{\"x\":1}"},
{"type":"function_call_output","call_id":"a","output":"one"},
{"type":"function_call_output","call_id":"b","output":[{"type":"input_text","text":"two"}]},
{"type":"web_search_call","id":"ws_1"},
{"type":"message","role":"assistant","content":[{"type":"output_text","text":"fine"}]},
{"role":"user","content":"bye"}
]})";

const std::string google_body = R"({
"systemInstruction":{"parts":[{"text":"be kind"}]},
"tools":[{"functionDeclarations":[{"name":"bash","parameters":{"type":"OBJECT"}}]}],
"contents":[
{"role":"user","parts":[{"text":"hi"}]},
{"role":"model","parts":[{"text":"hm","thought":true},{"functionCall":{"name":"bash","args":{}},"thoughtSignature":"c2ln"},
 {"functionCall":{"name":"read","args":{"x":1}}}]},
{"role":"user","parts":[{"functionResponse":{"name":"bash","response":{"output":"1"}}},
 {"functionResponse":{"name":"read","response":{"output":"2"}}},{"inlineData":{"mimeType":"image/png","data":"aGk="}}]},
{"role":"model","parts":[{"text":"ok"},{"text":"","thoughtSignature":"c2ln"}]},
{"role":"user","parts":[{"text":"bye"}]}
]})";

handover::Target plain(handover::WireFormat wire) { return handover::target_for(wire, "p", "m"); }

}  // namespace

TEST_CASE("a body that is no clean JSON object is refused whatever the format") {
  for (const handover::WireFormat wire :
       {handover::WireFormat::anthropic, handover::WireFormat::openai_chat,
        handover::WireFormat::openai_responses, handover::WireFormat::google}) {
    CHECK(violations(plain(wire), "{\"a\":\"\xff\"}") ==
          std::vector<std::string>{"body: not valid UTF-8"});
    CHECK(violations(plain(wire), "[]") == std::vector<std::string>{"body: not a JSON object"});
    CHECK(violations(plain(wire), "{\"a\":\"\\ud800\"}") ==
          std::vector<std::string>{"body: not a JSON object"});
    CHECK(violations(plain(wire), "{\"a\":\"\\u0000\"}")[0] == "body: holds a NUL");
    CHECK(violations(plain(wire), "{\"\\u0000\":1}")[0] == "body: holds a NUL");
  }
}

TEST_CASE("members of the wrong type are refused, not fallen over") {
  for (const char* body :
       {R"({"messages":{},"contents":{},"input":{},"tools":{"a":1},"system":3})",
        R"({"messages":[1,null,[]],"contents":[1,null,[]],"input":[1,null,[]],"tools":[1]})",
        R"({"messages":[{"role":1,"content":{}}],"contents":[{"parts":{}}],"input":[{"type":3}]})",
        R"({"messages":[{"role":"user","content":[1,[]]}],"contents":[{"parts":[1,[],{"text":1}]}],
            "input":[{"role":"user","content":[1,[]]}],"tools":[{"functionDeclarations":3}]})"})
    for (const handover::WireFormat wire :
         {handover::WireFormat::anthropic, handover::WireFormat::openai_chat,
          handover::WireFormat::openai_responses, handover::WireFormat::google})
      CHECK_FALSE(violations(plain(wire), body).empty());
}

TEST_CASE("every rule of the Anthropic format is seen when it alone is broken") {
  const std::string m = "messages", id = "the id has a refused length or character";
  const std::string unmatched = ": results do not match the calls before";
  check_cases(
      plain(handover::WireFormat::anthropic), anthropic_body,
      {
          {R"("model":"m")", R"("model":"")", {"model: no model"}},
          {R"("max_tokens":4096,)", R"("top_p":1,"max_tokens":4096,)", {"top_p: no longer taken"}},
          {R"("max_tokens":4096)",
           R"("max_tokens":2000)",
           {"thinking.budget_tokens: not from 1024 to max_tokens"}},
          {"be kind", " ", {"system[0]: blank text"}},
          {R"("name":"read","input_schema")",
           R"("name":"bash","input_schema")",
           {"tools[1]: two tools share a name"}},
          {R"("input_schema":{"type":"object"})",
           R"("input_schema":{})",
           {"tools[0]: the schema is not an object's"}},
          {R"("content":"hi")", R"("content":"")", {"messages[0].content: blank text"}},
          {R"("content":"hi")",
           R"("content":[])",
           {"messages[0].content: not a list with something in it"}},
          {R"({"role":"user","content":"hi"},)",
           R"({"role":"user","content":"hi"},{"role":"user","content":"again"},{"role":"assistant","content":"x"},{"role":"user","content":"y"},)",
           {"messages[1]: user and assistant do not take turns",
            "messages[2]: user and assistant do not take turns",
            "messages[3]: user and assistant do not take turns",
            "messages[4]: user and assistant do not take turns",
            "messages[5]: user and assistant do not take turns",
            "messages[6]: user and assistant do not take turns",
            "messages[7]: user and assistant do not take turns"}},
          {R"("signature":"c2ln")",
           R"("signature":"")",
           {"messages[1].content[0]: thinking without a signature"}},
          {R"("data":"ZW5j")",
           R"("x":1)",
           {"messages[1].content[1]: redacted thinking without data"}},
          {R"("text":"ok")", R"("text":"\n")", {"messages[1].content[2]: blank text"}},
          {R"("id":"a")",
           R"("id":"")",
           {"messages[1].content[3].id: no id", "messages[2]" + unmatched}},
          {R"("id":"a")",
           R"("id":"a.b")",
           {"messages[1].content[3].id: " + id, "messages[2]" + unmatched}},
          {R"("id":"a")",
           R"("id":"b")",
           {"messages[1].content[4].id: the id was used before", "messages[2]" + unmatched}},
          {R"("name":"bash","input":)",
           R"("name":"a b","input":)",
           {"messages[1].content[3].name: not the name of a tool"}},
          {R"("input":{})", R"("input":"{}")", {"messages[1].content[3].input: not an object"}},
          {R"({"type":"text","text":"ok"})",
           R"({"text":"ok"})",
           {"messages[1].content[2]: a block without a type"}},
          {R"({"type":"text","text":"ok"})",
           R"({"type":"image"})",
           {"messages[1].content[2]: 'image' is refused in this role"}},
          {R"({"type":"text","text":"and?"})",
           R"({"type":"thinking","signature":"x"})",
           {"messages[2].content[2]: 'thinking' is refused in this role",
            "messages[2].content: ends in thinking"}},
          {R"({"type":"text","text":"fine"})",
           R"({"type":"thinking","thinking":"","signature":"x"})",
           {"messages[3].content: ends in thinking",
            "messages[3].content: thinking that is not first"}},
          {R"("content":"out")", R"("content":"")", {"messages[2].content[0].content: blank text"}},
          {R"("is_error":true)",
           R"("is_error":"yes")",
           {"messages[2].content[0].is_error: not true or false"}},
          {R"("tool_use_id":"b")", R"("tool_use_id":"a")", {"messages[2]" + unmatched}},
          {R"({"type":"text","text":"and?"})",
           R"({"type":"text","text":"x"},{"type":"tool_result","tool_use_id":"c","content":"y"})",
           {"messages[2].content[3]: results come first", "messages[2]" + unmatched}},
          {R"("media_type":"image/png")",
           R"("media_type":"image/tiff")",
           {"messages[2].content[1].content[1].source.media_type: refused: 'image/tiff'"}},
          {R"("data":"aGk=")",
           R"("data":"aGk")",
           {"messages[2].content[1].content[1].source.data: not base64"}},
          {R"("text":"see")", R"("text":" ")", {"messages[2].content[1].content[0]: blank text"}},
          {R"({"type":"text","text":"bye"}]})",
           R"({"type":"text","text":"bye"}]},{"role":"assistant","content":"so "})",
           {"messages: the last is the assistant's"}},
          {R"({"type":"text","text":"bye"}]})",
           R"({"type":"text","text":"bye"}]},{"role":"assistant","content":[{"type":"tool_use","id":"z","name":"x","input":{}}]})",
           {"messages: the last calls have no results", "messages: the last is the assistant's"}},
          {R"("input":{"x":1})",
           R"("cache_control":{},"input":[{"cache_control":1},{"cache_control":1},{"cache_control":1}])",
           {"cache_control: more than four marks", "messages[1].content[4].input: not an object"}},
      });
}

TEST_CASE("every rule of the chat format is seen when it alone is broken") {
  check_cases(
      plain(handover::WireFormat::openai_chat), chat_body,
      {
          {R"({"role":"user","content":"bye"})",
           R"({"role":"user","content":"bye"},{"role":"assistant","content":"so"})",
           {"messages: the last is the assistant's"}},
          {R"("model":"m")", R"("model":3)", {"model: no model"}},
          {R"("name":"bash","parameters")",
           R"("name":"a b","parameters")",
           {"tools[0]: not the name of a tool"}},
          {R"("parameters":{"type":"object"})", R"("x":1)", {"tools[0]: not an object"}},
          {"be kind", "", {"messages[0].content: blank text"}},
          {R"("text":"hi")", R"("text":"")", {"messages[1].content[0]: blank text"}},
          {"data:image/png", "file:/x", {"messages[1].content[1]: an image without an address"}},
          {R"("type":"image_url")",
           R"("type":"image")",
           {"messages[1].content[1]: refused: 'image'"}},
          {R"("content":null)",
           R"("content":[])",
           {"messages[2].content: neither a text nor null"}},
          {R"("id":"a")",
           R"("id":"b")",
           {"messages[2].tool_calls[1].id: the id was used before",
            "messages[4]: a result without a call before it",
            "messages[5]: the calls before have no results"}},
          {R"("id":"a")",
           R"("id":"0123456789012345678901234567890123456789x")",
           {"messages[2].tool_calls[0].id: the id has a refused length or character",
            "messages[4]: a result without a call before it",
            "messages[5]: the calls before have no results"}},
          {R"("type":"function","function":{"name":"bash","arguments":"{}"})",
           R"("type":"custom","function":{"name":"bash","arguments":"{}"})",
           {"messages[2].tool_calls[0].type: refused: 'custom'"}},
          {R"("name":"bash","arguments":"{}")",
           R"("name":"","arguments":"{}")",
           {"messages[2].tool_calls[0].function.name: not the name of a tool"}},
          {R"("arguments":"{}")",
           R"("arguments":{})",
           {"messages[2].tool_calls[0].function.arguments: not the text of a JSON object"}},
          {R"("arguments":"{}")",
           R"("arguments":"[]")",
           {"messages[2].tool_calls[0].function.arguments: not the text of a JSON object"}},
          {R"("content":"two")", R"("content":"")", {"messages[3].content: blank text"}},
          {R"({"role":"tool","tool_call_id":"b","content":"two"},)",
           "",
           {"messages[4]: the calls before have no results"}},
          {R"("tool_call_id":"b")",
           R"("tool_call_id":"c")",
           {"messages[3]: a result without a call before it",
            "messages[5]: the calls before have no results"}},
          {R"("content":"fine")", R"("content":null)", {"messages[5].content: not a text"}},
          {R"({"role":"assistant","content":"fine"},)",
           R"({"role":"assistant","content":"fine"},{"role":"assistant","content":"er"},)",
           {"messages[6]: a role speaks twice in a row"}},
          {R"({"role":"user","content":"bye"})",
           R"({"role":"system","content":"bye"})",
           {"messages[6]: the system prompt is not at the beginning",
            "messages: the last is the assistant's"}},
          {R"({"role":"user","content":"bye"})",
           R"({"role":"user","content":"bye"},{"role":"user","content":"now"})",
           {"messages[7]: a role speaks twice in a row"}},
          {R"({"role":"system","content":"be kind"},)",
           R"({"role":"assistant","content":"x"},)",
           {"messages[0]: the first is not the user's"}},
          {R"({"role":"user","content":"bye"})",
           R"({"role":"model","content":"bye"})",
           {"messages[6]: refused: 'model'"}},
      });
  CHECK(violations(plain(handover::WireFormat::openai_chat),
                   R"({"model":"m","messages":[{"role":"system","content":"x"}]})") ==
        std::vector<std::string>{"messages: nothing but a system prompt"});
  CHECK(violations(test::known_target("mistral", "m"),
                   R"({"model":"m","messages":[
        {"role":"user","content":"a"},{"role":"assistant","tool_calls":[{"id":"a","type":"function",
        "function":{"name":"x","arguments":"{}"}}]},{"role":"tool","tool_call_id":"a","content":"b"},
        {"role":"user","content":"c"}]})") ==
        std::vector<std::string>{
            "messages[1].tool_calls[0].id: the id has a refused length or character",
            "messages[3]: the user speaks directly after results"});
}

TEST_CASE("every rule of the Responses format is seen when it alone is broken") {
  check_cases(
      plain(handover::WireFormat::openai_responses), responses_body,
      {
          {R"("model":"m")", R"("model":"")", {"model: no model"}},
          {"be kind", " ", {"instructions: blank text"}},
          {R"("name":"bash","parameters")",
           R"("name":"a b","parameters")",
           {"tools[0]: not the name of a tool"}},
          {R"("text":"hi")", R"("text":"")", {"input[0].content[0]: blank text"}},
          {R"("image_url":"data)",
           R"("url":"data)",
           {"input[0].content[1]: an image without an address"}},
          {R"("type":"input_text","text":"hi")",
           R"("type":"output_text","text":"hi")",
           {"input[0].content[0]: refused: 'output_text'"}},
          {R"("encrypted_content":"ZW5j")",
           R"("x":1)",
           {"input[1]: reasoning that the server has not kept and cannot read"}},
          {R"("summary":[],)", "", {"input[1]: reasoning without a summary"}},
          {R"({"type":"web_search_call","id":"ws_1"},
{"type":"message","role":"assistant","content":[{"type":"output_text","text":"fine"}]},)",
           R"({"type":"reasoning","id":"rs_2","summary":[],"encrypted_content":"x"},)",
           {"input[7]: reasoning that leads to nothing"}},
          {R"({"role":"user","content":"bye"})",
           R"({"role":"user","content":"bye"},{"type":"reasoning","id":"rs_2","summary":[],"encrypted_content":"x"})",
           {"input[10]: reasoning that leads to nothing"}},
          {R"("id":"fc_1")",
           R"("id":"call_1")",
           {"input[3]: the item's id has another kind's form"}},
          {R"("id":"ws_1")", R"("id":"fc_1")", {"input[7]: two items share an id"}},
          {R"("id":"ws_1")", R"("id":"")", {"input[7]: the item's id is refused"}},
          {R"("text":"ok")", R"("text":"")", {"input[2].content[0]: blank text"}},
          {R"("type":"output_text","text":"ok")",
           R"("type":"input_text","text":"ok")",
           {"input[2].content[0]: refused: 'input_text'"}},
          {R"("call_id":"a")",
           R"("call_id":"a b")",
           {"input[3].call_id: the id has a refused length or character",
            "input[5]: an output without a call before it",
            "input[9]: the calls before have no outputs"}},
          {R"("call_id":"b")",
           R"("call_id":"a")",
           {"input[4].call_id: the id was used before",
            "input[6]: an output without a call before it"}},
          {R"("name":"bash","arguments":"{}")",
           R"("name":"","arguments":"{}")",
           {"input[3].name: not the name of a tool"}},
          {R"("arguments":"{}")",
           R"("arguments":"")",
           {"input[3].arguments: not the text of a JSON object"}},
          {R"("output":"one")", R"("output":"")", {"input[5].output: blank text"}},
          {R"({"type":"function_call_output","call_id":"a","output":"one"},)",
           "",
           {"input[8]: the calls before have no outputs"}},
          {R"({"role":"user","content":"bye"})",
           R"({"role":"user","content":"bye"},{"role":"user","content":"now"})",
           {"input[10]: the user speaks twice in a row"}},
          {R"({"role":"user","content":"bye"})",
           R"({"role":"system","content":"bye"})",
           {"input[9]: the system prompt is not at the beginning"}},
          {R"({"role":"user","content":"bye"})",
           R"({"role":"tool","content":"bye"})",
           {"input[9].role: refused: 'tool'"}},
          {R"({"role":"user","content":"bye"})",
           R"({"type":"function_call","call_id":"z","name":"x","arguments":"{}"})",
           {"input: the last calls have no outputs"}},
          {R"({"role":"user","content":[{"type")",
           R"({"type":"message","role":"assistant","content":"x"},{"role":"user","content":[{"type")",
           {"input[0]: the first is not the user's"}},
          {R"({"type":"message","role":"assistant","content")",
           R"({"role":"assistant","content")",
           {"input[8]: an answer without a type"}},
      });
}

TEST_CASE("every rule of the Gemini format is seen when it alone is broken") {
  const std::string unmatched = ": responses do not match the calls before";
  const std::vector<Case> cases{
      {"be kind", "", {"systemInstruction: blank text"}},
      {R"("name":"bash","parameters")",
       R"("name":"","parameters")",
       {"tools[0]: not the name of a tool"}},
      {R"("text":"hi")", R"("text":"")", {"contents[0].parts[0].text: blank text"}},
      {R"("parts":[{"text":"hi"}])",
       R"("parts":[])",
       {"contents[0].parts: not a list with something in it"}},
      {R"({"text":"hi"})",
       R"({"text":"hi","thought":true})",
       {"contents[0].parts[0]: a thought of the user's"}},
      {R"({"text":"hi"})",
       R"({"text":"hi","thoughtSignature":"c2ln"})",
       {"contents[0].parts[0]: a signature on the user's words"}},
      {R"({"text":"hi"})",
       R"({"text":"hi","fileData":{}})",
       {"contents[0].parts[0]: not exactly one kind of content"}},
      {R"("thoughtSignature":"c2ln")",
       R"("thoughtSignature":"c2l")",
       {"contents[1].parts[1].thoughtSignature: not base64"}},
      {R"("args":{})", R"("args":"{}")", {"contents[1].parts[1].functionCall.args: not an object"}},
      {R"("name":"bash","args")",
       R"("name":"a b","args")",
       {"contents[1].parts[1].functionCall.name: not the name of a tool",
        "contents[2]" + unmatched}},
      {R"("response":{"output":"1"})",
       R"("response":"1")",
       {"contents[2].parts[0].functionResponse.response: not an object"}},
      {R"({"functionResponse":{"name":"read","response":{"output":"2"}}},)",
       "",
       {"contents[2]" + unmatched}},
      {R"("name":"read","response")", R"("name":"grep","response")", {"contents[2]" + unmatched}},
      {R"({"text":"bye"})",
       R"({"functionResponse":{"name":"x","response":{}}})",
       {"contents[4]" + unmatched}},
      {R"({"text":"bye"})",
       R"({"functionCall":{"name":"x","args":{}}})",
       {"contents[4].parts[0]: a call of the user's",
        "contents: the last calls have no responses"}},
      {R"({"text":"ok"})",
       R"({"functionResponse":{"name":"x","response":{}}})",
       {"contents[3].parts[0]: a response of the model's", "contents[3]" + unmatched}},
      {R"("mimeType":"image/png")", R"("mimeType":"")", {"contents[2].parts[2]: no type"}},
      {R"("data":"aGk=")", R"("data":"!")", {"contents[2].parts[2].inlineData.data: not base64"}},
      {R"({"role":"user","parts":[{"text":"bye"}]})",
       R"({"role":"user","parts":[{"text":"bye"}]},{"role":"user","parts":[{"text":"now"}]})",
       {"contents[5]: user and model do not take turns"}},
      {R"({"role":"user","parts":[{"text":"bye"}]})",
       R"({"role":"tool","parts":[{"text":"bye"}]})",
       {"contents[4].role: refused: 'tool'", "contents[4]: user and model do not take turns"}},
  };
  check_cases(plain(handover::WireFormat::google), google_body, cases);

  const handover::Target gemini_3 = test::known_target("google", "gemini-3");
  // Only the running turn is checked.
  const std::string no_id = "contents[1]: a call without an id";
  CHECK(joined(violations(gemini_3, google_body)) == joined({no_id}));
  const std::string running = R"({"contents":[
    {"role":"user","parts":[{"text":"hi"}]},
    {"role":"model","parts":[{"functionCall":{"name":"old","args":{},"id":"1"}}]},
    {"role":"user","parts":[{"functionResponse":{"name":"old","response":{},"id":"1"}}]},
    {"role":"model","parts":[{"text":"ok"}]},
    {"role":"user","parts":[{"text":"more"}]},
    {"role":"model","parts":[{"functionCall":{"name":"new","args":{},"id":"2"},"thoughtSignature":"c2ln"},
      {"functionCall":{"name":"too","args":{},"id":"3"}}]},
    {"role":"user","parts":[{"functionResponse":{"name":"new","response":{},"id":"2","parts":[]}},
      {"functionResponse":{"name":"too","response":{},"id":"3"}}]}]})";
  check_cases(
      gemini_3, running,
      {{R"(,"thoughtSignature":"c2ln")", "", {"contents[5]: the first call has no signature"}},
       {R"("thoughtSignature":"c2ln")",
        R"("thoughtSignature":"skip_thought_signature_validator")",
        {}},
       {R"(,"id":"3"}})",
        R"(}})",
        {"contents[5]: a call without an id",
         "contents[6]: responses do not match the calls before"}},
       {R"("response":{},"id":"2")",
        R"("response":{},"id":"3")",
        {"contents[6]: responses do not match the calls before"}}});
  CHECK(joined(violations(plain(handover::WireFormat::google), running)) ==
        joined({"contents[6].parts[0]: an image inside a response"}));
}

TEST_CASE(
    "an error with an image, reasoning that is missing, and limits that are too small are seen") {
  CHECK(joined(violations(
            plain(handover::WireFormat::anthropic),
            spoilt(anthropic_body,
                   {R"("tool_use_id":"b",)", R"("tool_use_id":"b","is_error":true,)", {}}))) ==
        joined({"messages[2].content[1].content[1]: an error with something that is no text"}));

  const handover::Target deepseek = test::known_target("deepseek", "deepseek-v4-pro");
  CHECK(
      joined(violations(deepseek, chat_body)) ==
      joined({"messages[2]: a reply without reasoning", "messages[5]: a reply without reasoning"}));

  const handover::Target gpt =
      handover::target_for(handover::WireFormat::openai_chat, "openai", "gpt-5.6-sol");
  const auto with = [](const char* model, const char* effort) {
    return spoilt(chat_body, {R"("model":"m",)", "", {}})
        .insert(1, R"("model":")" + std::string(model) + "\"," + effort);
  };
  CHECK(violations(gpt, with("gpt-5.1", R"("reasoning_effort":"high",)")).empty());
  CHECK(violations(gpt, with("gpt-5.4", "")).empty());
  CHECK(violations(gpt, with("gpt-5.4", R"("reasoning_effort":"high",)")).size() == 1);
  CHECK(violations(gpt, with("gpt-5.6-sol", "")).size() == 1);
  CHECK(violations(gpt, with("gpt-6.1-sol", R"("reasoning_effort":"none",)")).empty());

  const auto limited = [](const char* settings) {
    return joined(violations(plain(handover::WireFormat::openai_responses),
                             spoilt(responses_body, {R"("store":false)", settings, {}})));
  };
  CHECK(limited(R"("store":false,"max_output_tokens":16,"prompt_cache_key":"k")") == "");
  CHECK(limited(R"("store":false,"max_output_tokens":15)") == "max_output_tokens: less than 16\n");
  CHECK(limited((R"("store":false,"prompt_cache_key":")" + std::string(65, 'k') + "\"").c_str()) ==
        "prompt_cache_key: more than 64 bytes\n");
}
