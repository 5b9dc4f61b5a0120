#include <doctest/doctest.h>

#include <set>
#include <string>
#include <variant>

#include "core/import/formats.h"
#include "tests/support/collected_import.h"
#include "tests/support/temp_dir.h"

using namespace skein;

namespace {

test::CollectedImport read(const std::string& bytes) {
  test::CollectedImport import = test::collect_bytes("/x/s1.jsonl", bytes, {});
  for (const std::string& fault : import.faults) FAIL_CHECK(fault);
  return import;
}
std::string line(const std::string& id, const std::string& parent, const std::string& role,
                 const std::string& content) {
  return R"({"type":"message","id":")" + id + R"(","parentId":")" + parent +
         R"(","timestamp":"2026-01-02T03:04:05.000Z","message":{"role":")" + role +
         R"(","content":[)" + content + "]}}\n";
}
const std::string start =
    R"({"type":"session_start","id":"s1","title":"old","sessionTitle":"named","cwd":"/work"})"
    "\n";
const std::string talk =
    start +
    line("m1", "s1", "user",
         R"({"type":"text","text":"<system-reminder>x</system-reminder>"},)"
         R"({"type":"text","text":"run"})") +
    line("m2", "m1", "assistant",
         R"({"type":"tool_use","id":"c1","name":"Execute","input":{"command":"ls"}},)"
         R"({"type":"tool_use","id":"c2","name":"Execute","input":{"command":"no"}})") +
    line("m3", "m2", "user", R"({"type":"tool_result","tool_use_id":"c1","content":"a"})") +
    line("m4", "m3", "user",
         R"-({"type":"tool_result","tool_use_id":"c2",)-"
         R"-("content":"Error: Command failed (exit code: 1)"})-") +
    line("m5", "m4", "assistant", R"({"type":"text","text":"done"})");

}  // namespace

TEST_CASE("a session of Droid's") {
  const test::CollectedImport import = read(talk);
  const test::CollectedSession& only = import.sessions[0];
  CHECK(only.session.id == "s1");
  CHECK(only.session.title == "named");
  CHECK(only.session.cwd == "/work");
  CHECK(only.path() ==
        "user: run\nassistant:  [Execute] [Execute]\n"
        "tool: aError: Command failed (exit code: 1)\nassistant: done\n");
  CHECK(only.failures() == 1);
  CHECK(only.contexts() == 1);
  CHECK(only.entries.size() == 5);
  CHECK(import.losses.empty());
  CHECK(test::ids_of(read(talk)) == test::ids_of(import));
}

TEST_CASE("Droid's messages are a tree") {
  const test::CollectedImport import =
      read(talk + line("m6", "m1", "assistant", R"({"type":"text","text":"otherwise"})"));
  CHECK(import.sessions[0].path() == "user: run\nassistant: otherwise\n");
}

TEST_CASE("what Droid streams is a session, too") {
  const std::string of = R"(,"session_id":"s2","timestamp":"2026-01-02T03:04:05.000Z")";
  const test::CollectedImport import =
      read(R"({"type":"message")" + of + R"(,"role":"user","text":"go"})" + "\n" +
           R"({"type":"tool_call")" + of +
           R"(,"toolCallId":"c1","toolName":"Shell","parameters":{"command":"x"}})" + "\n" +
           R"({"type":"tool_result")" + of +
           R"(,"toolCallId":"c1","value":{"stdout":"out","exitCode":2}})" + "\n" +
           R"({"type":"completion")" + of + R"(,"finalText":"did it","id":"end"})");
  CHECK(import.sessions[0].session.id == "s2");
  CHECK(import.sessions[0].path() ==
        "user: go\nassistant:  [Shell]\ntool: out\nassistant: did it\n");
  CHECK(import.sessions[0].failures() == 1);
}

TEST_CASE(
    "a stream of Droid's may begin with its settings, count milliseconds, and have one id a call") {
  for (const char* session : {"session_id", "sessionId"})
    for (const char* settings :
         {R"({"type":"system","subtype":"init","cwd":"/w",)", R"({"type":"system",)"}) {
      const std::string name = '"' + std::string(session) + R"(":"s3")";
      const std::string of = "," + name + R"(,"timestamp":1767812641000)";
      const test::CollectedImport import =
          read(settings + name + "}\n" + R"({"type":"message")" + of +
               R"(,"role":"user","text":"go","id":"m1"})" + "\n" + R"({"type":"tool_call")" + of +
               R"(,"id":"c1","toolName":"Shell","parameters":{"command":"x"}})" + "\n" +
               R"({"type":"tool_result")" + of + R"(,"id":"c1","isError":true,"value":"no"})" +
               "\n" + R"({"type":"completion")" + of + R"(,"finalText":"did it","id":"end"})");
      REQUIRE(import.sessions.size() == 1);
      CHECK(import.sessions[0].session.id == "s3");
      CHECK(import.sessions[0].path() ==
            "user: go\nassistant:  [Shell]\ntool: no\nassistant: did it\n");
      CHECK(import.sessions[0].failures() == 1);
      CHECK(import.sessions[0].entries[0].time == "2026-01-07T19:04:01.000Z");
      CHECK(import.losses.empty());
    }
}

TEST_CASE("the model of a session of Droid's stands beside it") {
  const test::TempDir folder;
  test::write_file(folder / "s1.jsonl", talk);
  test::write_file(folder / "s1.settings.json", R"({"model":"claude-opus-5"})");
  const test::CollectedImport import = test::collect_file((folder / "s1.jsonl").string());
  const auto& last = std::get<model::Message>(import.sessions[0].entries.back().content);
  CHECK(last.model == "claude-opus-5");
  CHECK(last.provider == "anthropic");
}

TEST_CASE("damage to a session of Droid's costs the damaged line") {
  std::string bytes = "\xEF\xBB\xBF" + talk;
  bytes.insert(bytes.find("{\"type\":\"message\",\"id\":\"m2\""), "{\"type\":\"mess\r\n");
  bytes.erase(bytes.find('\n', bytes.find("\"m3\"")), 1);
  bytes.pop_back();
  const test::CollectedImport import = read(bytes);
  CHECK(import.sessions[0].path() == read(talk).sessions[0].path());
  CHECK(import.losses.at("damaged lines") == 1);
}
