#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/support/collected_import.h"
#include "tests/support/import_growth.h"

using namespace skein;
using namespace skein::test;

namespace {

std::string event(const std::string& id, const std::string& parent, const std::string& type,
                  const std::string& data) {
  return R"({"type":")" + type + R"(","data":)" + data + R"(,"id":")" + id +
         R"(","timestamp":"2026-05-06T07:08:09.000Z","parentId":)" +
         (parent.empty() ? "null" : "\"" + parent + "\"") + "}\n";
}

const std::string start = event(
    "e1", "", "session.start",
    R"({"sessionId":"c-1","startTime":"2026-05-06T07:08:00.000Z","selectedModel":"gpt-5","context":{"cwd":"/w"}})");
const std::string turn =
    start + event("e2", "e1", "system.message", R"({"content":"Be brief."})") +
    event("e3", "e2", "user.message",
          R"({"content":"look","transformedContent":"look","attachments":[]})") +
    event("e4", "e3", "assistant.reasoning", R"({"content":"hm"})") +
    event(
        "e5", "e4", "assistant.message",
        R"({"content":"I look.","toolRequests":[{"toolCallId":"t1","name":"bash","arguments":"{\"command\":\"ls\"}"},{"toolCallId":"t2","name":"bash","arguments":{"command":"pwd"}}],"outputTokens":12,"reasoningOpaque":"c2Vhb"})") +
    event("e6", "e5", "tool.execution_start", R"({"toolCallId":"t1"})") +
    event("e7", "e6", "tool.execution_complete",
          R"({"toolCallId":"t1","success":true,"result":{"content":"a.txt"}})") +
    event("e8", "e7", "tool.execution_complete",
          R"({"toolCallId":"t2","success":false,"error":{"message":"denied"}})") +
    event("e9", "e8", "assistant.message",
          R"({"content":"One file.","model":"claude-sonnet-5","toolRequests":[]})");

CollectedImport collect(const std::string& bytes) {
  CollectedImport out = collect_bytes("session-state/c-1/events.jsonl", bytes, "");
  CHECK(out.faults.empty());
  REQUIRE(!out.sessions.empty());
  return out;
}

const model::Message& message(const CollectedSession& session, std::size_t at) {
  return std::get<model::Message>(session.entries.at(at).content);
}

}  // namespace

TEST_CASE("events of Copilot's become a conversation") {
  const auto read = collect(turn);
  REQUIRE(read.sessions.size() == 1);
  const CollectedSession& session = read.sessions[0];
  CHECK(session.path() ==
        "user: look\nassistant: I look. [bash] [bash]\ntool: a.txt\ntool: denied\n"
        "assistant: One file.\n");
  CHECK(session.session.id == "c-1");
  CHECK(session.session.cwd == "/w");
  CHECK(session.session.created_at == "2026-05-06T07:08:00.000Z");
  CHECK(session.contexts() == 1);
  CHECK(session.failures() == 1);
  const model::Message& answer = message(session, 2);
  CHECK(std::get<model::Thinking>(answer.content[0]).thinking == "hm");
  CHECK(answer.model == "gpt-5");
  CHECK(answer.provider == "openai");
  CHECK(answer.usage->output == 12);
  CHECK(model::tool_uses(answer)[0]->input == R"({"command":"ls"})");
  CHECK(session.entries[2].raw.find("c2Vhb") != std::string::npos);
  CHECK(message(session, 5).provider == "anthropic");
  CHECK(session.entries[5].raw.empty());
}

TEST_CASE("a sub-agent of Copilot's is a session beside the one whose call it answers") {
  const auto read = collect(
      turn +
      event("s1", "e9", "subagent.started",
            R"({"toolCallId":"t9","agentDisplayName":"Explorer"})") +
      event(
          "s2", "s1", "assistant.message",
          R"({"parentToolCallId":"t9","content":"Searching.","toolRequests":[{"toolCallId":"x","name":"grep","arguments":{}}]})") +
      event(
          "s3", "s2", "tool.execution_complete",
          R"({"parentToolCallId":"t9","toolCallId":"x","success":true,"result":{"content":"found"}})") +
      event("e10", "s3", "user.message", R"({"content":"thanks"})"));
  REQUIRE(read.sessions.size() == 2);
  CHECK(read.sessions[0].path().ends_with("assistant: One file.\nuser: thanks\n"));
  const CollectedSession& sub = read.sessions[1];
  CHECK(sub.session.id == "c-1/t9");
  CHECK(sub.session.parent == "c-1");
  CHECK(sub.session.spawned);
  CHECK(sub.session.title == "Explorer");
  CHECK(sub.path() == "assistant: Searching. [grep]\ntool: found\n");
}

TEST_CASE("what Copilot made of the words is kept beside the words") {
  const auto session =
      collect(start + event("e2", "e1", "user.message",
                            R"({"content":"see @a","transformedContent":"see <file>plan</file>"})"))
          .sessions[0];
  CHECK(session.path() == "user: see @a\n");
  CHECK(session.contexts() == 1);
}

TEST_CASE("thoughts of Copilot's without an answer stand alone, unless it may still come") {
  const std::string bytes =
      turn + event("e10", "e9", "assistant.reasoning", R"({"content":"wait"})");
  CHECK(collect(bytes).sessions[0].answers() == 3);
  CollectedImport growing;
  importers::format_named("copilot")->read(importers::SourceFile::of_bytes("x", bytes),
                                           {.growing = true}, growing);
  CHECK(growing.sessions[0].answers() == 2);
  check_growth("copilot", turn, {"e4"});
}

TEST_CASE("an older file of Copilot's names its session itself") {
  const auto read = collect_bytes("session-state/flat.jsonl", turn.substr(start.size()), "");
  CHECK(read.faults.empty());
  CHECK(read.sessions[0].session.id == "flat");
  CHECK(read.sessions[0].answers() == 2);
}

TEST_CASE("repeated ids, circles and wrong types among Copilot's events do no harm") {
  const auto read =
      collect(start + event("x", "x", "user.message", R"({"content":"a"})") +
              event("x", "y", "user.message", R"({"content":5})") +
              event("x", "x", "assistant.message",
                    R"({"content":"b","toolRequests":[7,{"name":3}],"outputTokens":-1})") +
              "{\"type\":\"user.me\n" + event("y", "x", "tool.execution_complete", R"([])"));
  CHECK(read.losses.at("damaged lines") == 1);
  CHECK(read.sessions[0].calls() == 2);
}
