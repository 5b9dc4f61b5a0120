#include <doctest/doctest.h>

#include <set>
#include <string>
#include <variant>

#include "core/import/formats.h"
#include "tests/support/collected_import.h"

using namespace skein;

namespace {

test::CollectedImport read(const std::string& bytes) {
  const auto file = importers::SourceFile::of_bytes("/x/talk.json", bytes);
  REQUIRE(importers::format_of(file) != nullptr);
  CHECK(importers::format_of(file)->name == "anthropic");
  test::CollectedImport import = test::collect_bytes("/x/talk.json", bytes, "anthropic");
  for (const std::string& fault : import.faults) FAIL_CHECK(fault);
  return import;
}

const std::string first = R"({"role":"user","content":"list them"})";
const std::string calls =
    R"({"role":"assistant","id":"msg_1","model":"claude-x","stop_reason":"tool_use",)"
    R"("usage":{"input_tokens":4,"output_tokens":5},"content":[)"
    R"({"type":"thinking","thinking":"hm","signature":"SEALED"},{"type":"text","text":"so"},)"
    R"({"type":"tool_use","id":"c1","name":"ls","input":{"path":"."}},)"
    R"({"type":"tool_use","id":"c2","name":"ls","input":{}}]})";
const std::string results =
    R"({"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"a"},)"
    R"({"type":"tool_result","tool_use_id":"c2","content":[{"type":"text","text":"b"}],)"
    R"("is_error":true},{"type":"text","text":"and now?"}]})";
const std::string last = R"({"role":"assistant","content":"done"})";

}  // namespace

TEST_CASE("messages as Anthropic takes them") {
  for (const std::string& bytes : {"[" + first + "," + calls + "," + results + "," + last + "]",
                                   "{\"model\":\"x\",\n \"messages\": [\n" + first + ",\n" + calls +
                                       "," + results + "," + last + "]}"}) {
    const test::CollectedImport import = read(bytes);
    REQUIRE(import.sessions.size() == 1);
    const test::CollectedSession& only = import.sessions[0];
    CHECK(only.path() ==
          "user: list them\nassistant: so [ls] [ls]\ntool: ab\n"
          "user: and now?\nassistant: done\n");
    CHECK(only.failures() == 1);
    CHECK(only.usage() == model::Usage{.input = 4, .output = 5});
    CHECK(only.entries[1].id == "msg_1");
    CHECK(only.entries[1].raw.find("SEALED") != std::string::npos);
    CHECK(only.session.id.starts_with("talk-"));
    CHECK(import.losses.empty());
  }
}

TEST_CASE("calls that lie beside the content are calls") {
  const test::CollectedImport import =
      read("[" + first +
           R"(,{"role":"assistant","content":"so","thinking":"hm","tool_calls":[)"
           R"({"id":"c1","name":"ls","params":{"path":"."}}]},)"
           R"({"role":"tool","toolCallId":"c1","content":"a"},)" +
           last + "]");
  const test::CollectedSession& only = import.sessions[0];
  CHECK(only.path() == "user: list them\nassistant: so [ls]\ntool: a\nassistant: done\n");
  const auto& said = std::get<model::Message>(only.entries[1].content);
  CHECK(std::get<model::Thinking>(said.content[0]).thinking == "hm");
  CHECK(std::get<model::ToolUse>(said.content[2]).input == R"({"path":"."})");
}

TEST_CASE("more messages leave the session and the ids of those before as they were") {
  const test::CollectedImport before = read("[" + first + "," + calls + "]");
  const test::CollectedImport after = read("[" + first + "," + calls + "," + results + "]");
  CHECK(before.sessions[0].session.id == after.sessions[0].session.id);
  for (const std::string& id : test::ids_of(before)) CHECK(test::ids_of(after).contains(id));
}

TEST_CASE("what is another's is not taken for Anthropic's") {
  const importers::ImportFormat* const format = importers::format_named("anthropic");
  for (const char* bytes :
       {"", "[]", "[1]", "{}", R"({"role":"user"})",
        R"([{"role":"user","parts":[{"text":"x"}],"content":1}])",
        R"([{"role":"assistant","content":null,"tool_calls":[{"id":"1","type":"function",)"
        R"("function":{"name":"x","arguments":"{}"}}]}])",
        R"([{"role":"system","content":"x"},{"role":"user","content":"y"}])"})
    CHECK_MESSAGE(!format->recognizes(importers::SourceFile::of_bytes("x.json", bytes)), bytes);
}

TEST_CASE("a file of messages that is not one gives nothing") {
  CHECK(test::collect_bytes("x.json", "[{\"role\":\"user\",", "anthropic").sessions.empty());
  const test::CollectedImport odd = test::collect_bytes(
      "x.json", R"([1,{"role":7},{"role":"user","content":{"type":"text","text":"a"}},null])",
      "anthropic");
  CHECK(odd.sessions[0].prompts() == 1);
  CHECK(odd.losses.at("messages of an unknown kind") == 3);
}
