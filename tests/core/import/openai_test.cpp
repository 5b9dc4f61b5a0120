#include <doctest/doctest.h>

#include <string>

#include "tests/support/collected_import.h"
#include "tests/support/import_growth.h"

using namespace skein;
using namespace skein::test;

namespace {

const std::string chat =
    R"({"role":"system","content":"Be brief."},
{"role":"user","content":[{"type":"text","text":"look"},{"type":"image_url","image_url":{"url":"data:image/png;base64,aGk="}}]},
{"role":"assistant","content":null,"reasoning_content":"hm","tool_calls":[{"id":"c1","type":"function","function":{"name":"ls","arguments":"{\"path\":\".\"}"}},{"id":"c2","type":"function","function":{"name":"cat","arguments":"{\"pa"}}]},
{"role":"tool","tool_call_id":"c1","content":"a.txt"},
{"role":"tool","tool_call_id":"c2","content":[{"type":"text","text":"no"}]},
{"role":"assistant","content":"One file."})";

CollectedImport collect(const std::string& bytes, const std::string& path = "dir/chat.json") {
  CollectedImport out = collect_bytes(path, bytes, "");
  CHECK(out.faults.empty());
  return out;
}

const model::Message& message(const CollectedSession& session, std::size_t at) {
  return std::get<model::Message>(session.entries.at(at).content);
}

}  // namespace

TEST_CASE("an array of chat messages is a session") {
  const auto read = collect("[" + chat + "]");
  REQUIRE(read.sessions.size() == 1);
  const CollectedSession& session = read.sessions[0];
  CHECK(session.path() ==
        "user: look\nassistant:  [ls] [cat]\ntool: a.txt\ntool: no\nassistant: One file.\n");
  CHECK(session.contexts() == 1);
  CHECK(read.blobs == std::vector<std::string>{"hi"});
  const auto calls = model::tool_uses(message(session, 2));
  CHECK(calls[0]->input == R"({"path":"."})");
  CHECK(calls[1]->input == R"({"_raw":"{\"pa"})");
  CHECK(message(session, 2).stop == model::Stop::tool_use);
  CHECK(std::get<model::Thinking>(message(session, 2).content[0]).thinking == "hm");
}

TEST_CASE("a request's messages know its model, and a name of its own names the session") {
  const auto read = collect(R"({"model":"gpt-5","session_id":"mine","messages":[)" + chat + "]}");
  CHECK(read.sessions[0].session.id == "mine");
  CHECK(message(read.sessions[0], 2).model == "gpt-5");
  CHECK(message(read.sessions[0], 2).provider == "openai");
  const auto other = collect(R"({"model":"llama","messages":[)" + chat + "]}");
  CHECK(message(other.sessions[0], 2).provider.empty());
}

TEST_CASE("calls as documents show them are read like those of the service") {
  const auto read = collect(
      R"([{"role":"user","content":"look"},{"role":"assistant","content":"","tool_calls":[{"id":"c1","name":"ls","params":{"a":1}},{"name":"ls","params":{"a":2}}]},{"role":"tool","toolCallId":"c1","content":"a.txt"}])");
  const auto calls = model::tool_uses(message(read.sessions[0], 1));
  REQUIRE(calls.size() == 2);
  CHECK(calls[0]->input == R"({"a":1})");
  CHECK(!calls[1]->id.empty());
  CHECK(read.sessions[0].path() == "user: look\nassistant:  [ls] [ls]\ntool: a.txt\n");
}

TEST_CASE("items of the newer interface are read, sealed thinking kept beside") {
  const auto read = collect(
      R"({"input":[{"role":"user","content":[{"type":"input_text","text":"look"}]},{"type":"reasoning","summary":[{"type":"summary_text","text":"hm"}],"encrypted_content":"gAAA"},{"type":"function_call","call_id":"c1","name":"ls","arguments":"{}"},{"type":"function_call_output","call_id":"c1","output":"a.txt"},{"role":"assistant","content":[{"type":"output_text","text":"One."}]}]})");
  CHECK(read.sessions[0].path() ==
        "user: look\nassistant: \nassistant:  [ls]\ntool: a.txt\nassistant: One.\n");
  CHECK(read.sessions[0].entries[1].raw.find("gAAA") != std::string::npos);
  CHECK(read.sessions[0].entries[2].raw.empty());
}

TEST_CASE("one message a line grows without changing what was read") {
  std::string lines;
  for (std::size_t at = 0; at < chat.size();) {
    const std::size_t end = std::min(chat.find(",\n", at), chat.size());
    lines += chat.substr(at, end - at) + "\n";
    at = end + 2;
  }
  check_growth("openai", lines);
  CHECK(collect(lines).sessions[0].path() == collect("[" + chat + "]").sessions[0].path());
  check_growth("openai", R"({"role":"user","content":"hi"})"
                         "\n"
                         R"({"role":"assistant","content":"hi"})"
                         "\n"
                         R"({"role":"user","content":"hi"})"
                         "\n"
                         R"({"role":"user","content":"hi"})"
                         "\n");
}

TEST_CASE("one conversation a line is one session a line") {
  const std::string line = R"({"messages":[{"role":"user","content":"hi"}]})"
                           "\n";
  const auto read = collect(line + line, "dir/tuning.jsonl");
  REQUIRE(read.sessions.size() == 2);
  CHECK(read.sessions[0].session.id != read.sessions[1].session.id);
  CHECK(collect(line, "dir/tuning.jsonl").sessions[0].session.id == read.sessions[0].session.id);
}

TEST_CASE("equal beginnings in different files are different sessions") {
  const std::string bytes = R"([{"role":"user","content":"hi"}])";
  CHECK(collect(bytes, "a/x.json").sessions[0].session.id !=
        collect(bytes, "b/x.json").sessions[0].session.id);
  CHECK(collect(bytes, "a/../b/x.json").sessions[0].session.id ==
        collect(bytes, "b/x.json").sessions[0].session.id);
}

TEST_CASE("what is no array of chat messages is nobody's") {
  for (
      const char* bytes :
      {R"([{"role":"user","content":[{"type":"tool_result","tool_use_id":"a"}]}])",
       R"([{"role":"user","content":"x"},{"role":"assistant","content":[{"type":"thinking","thinking":"y"}]}])",
       R"({"role":"admin"})", R"([1,2])", R"({"messages":[]})", "", "{", R"([{"role":5}])"}) {
    CAPTURE(bytes);
    CHECK(importers::format_of(importers::SourceFile::of_bytes("x", bytes)) !=
          importers::format_named("openai"));
  }
}

TEST_CASE("a refusal and a cut answer of a chat say so") {
  const auto read = collect(
      R"([{"role":"assistant","content":null,"refusal":"No."},{"role":"assistant","content":"And th","finish_reason":"length","usage":{"prompt_tokens":50,"completion_tokens":9,"prompt_tokens_details":{"cached_tokens":20},"completion_tokens_details":{"reasoning_tokens":4}}}])");
  CHECK(message(read.sessions[0], 0).stop == model::Stop::refusal);
  CHECK(message(read.sessions[0], 1).stop == model::Stop::length);
  CHECK(*message(read.sessions[0], 1).usage ==
        model::Usage{.input = 30, .output = 9, .cache_read = 20, .reasoning = 4});
}

TEST_CASE("members of the wrong type in a chat do no harm") {
  collect(
      R"([{"role":"user","content":"x"},{"role":"assistant","content":[5,null,{"type":"image_url","image_url":7},{"type":"file"}],"tool_calls":[1,{"function":{"name":4,"arguments":[1]}}],"function_call":{"name":"f"},"usage":{"prompt_tokens":-5}},{"type":"function_call_output","call_id":"q","output":{"a":1}}])");
}
