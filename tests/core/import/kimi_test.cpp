#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/collected_import.h"
#include "tests/support/import_growth.h"
#include "tests/support/temp_dir.h"

using namespace skein;
using namespace skein::test;

namespace {

std::string user(const std::string& text, const std::string& origin = R"({"kind":"user"})") {
  return R"({"type":"context.append_message","message":{"role":"user","content":[{"type":"text","text":")" +
         text + R"("}],"toolCalls":[],"origin":)" + origin + R"(},"time":1790000000000})" + "\n";
}
std::string event(const std::string& json) {
  return R"({"type":"context.append_loop_event","event":)" + json + R"(,"time":1790000001000})" +
         "\n";
}

const std::string begin =
    R"({"type":"metadata","protocol_version":"1.4","created_at":1790000000000})"
    "\n"
    R"({"type":"llm.request","kind":"loop","provider":"kimi","model":"k2","time":1790000000000})"
    "\n";
const std::string open_step =
    event(R"({"type":"step.begin","uuid":"s1"})") +
    event(R"({"type":"content.part","stepUuid":"s1","part":{"type":"think","think":"hm"}})") +
    event(R"({"type":"content.part","stepUuid":"s1","part":{"type":"text","text":"I look."}})") +
    event(R"({"type":"tool.call","toolCallId":"c1","name":"Bash","args":{"command":"ls"}})") +
    event(R"({"type":"tool.call","toolCallId":"c2","name":"Bash","args":"x"})") +
    event(R"({"type":"tool.result","toolCallId":"c1","result":{"output":"a.txt"}})") +
    event(R"({"type":"tool.result","toolCallId":"c2","result":{"output":"no","isError":true}})");
const std::string step =
    open_step +
    event(
        R"({"type":"step.end","uuid":"s1","usage":{"inputOther":10,"output":7,"inputCacheRead":5,"inputCacheCreation":2},"finishReason":"tool_use"})");
const std::string last =
    event(R"({"type":"step.begin","uuid":"s2"})") +
    event(R"({"type":"content.part","part":{"type":"text","text":"One file."}})") +
    event(R"({"type":"step.end","uuid":"s2","finishReason":"end_turn"})");
const std::string turn =
    begin + user("look") +
    user("mind the list", R"({"kind":"injection","variant":"todo_list_reminder"})") + step + last;

CollectedImport collect(const std::string& bytes) {
  CollectedImport out = collect_bytes("x/session_k-1/agents/main/wire.jsonl", bytes, "");
  CHECK(out.faults.empty());
  REQUIRE(out.sessions.size() == 1);
  return out;
}

}  // namespace

TEST_CASE("a step of Kimi's is an answer with its results") {
  const CollectedSession session = collect(turn).sessions[0];
  CHECK(session.path() ==
        "user: look\nassistant: I look. [Bash] [Bash]\ntool: a.txt\ntool: no\n"
        "assistant: One file.\n");
  CHECK(session.session.id == "k-1");
  CHECK(session.contexts() == 1);
  CHECK(session.failures() == 1);
  const auto& answer = std::get<model::Message>(session.entries[2].content);
  CHECK(session.entries[2].id == "s1");
  CHECK(answer.model == "k2");
  CHECK(answer.stop == model::Stop::tool_use);
  CHECK(*answer.usage == model::Usage{.input = 10, .output = 7, .cache_read = 5, .cache_write = 2});
}

TEST_CASE("a step of Kimi's that has no end is not the entry it will be") {
  const std::string bytes = begin + user("look") + open_step;
  const CollectedSession whole = collect(bytes).sessions[0];
  CHECK(whole.entries[1].id == "s1+4");
  CHECK(std::get<model::Message>(whole.entries[1].content).stop == model::Stop::aborted);
  CollectedImport growing;
  importers::format_named("kimi")->read(importers::SourceFile::of_bytes("x", bytes),
                                        {.growing = true}, growing);
  CHECK(growing.sessions[0].answers() == 0);
  // One that the user broke off gets no more.
  CHECK(collect(bytes + user("stop")).sessions[0].entries[1].id == "s1");
}

TEST_CASE("a log of Kimi's that grows keeps what was read of it") {
  check_growth("kimi", turn,
               {"s1+1", "s1+2", "s1+3", "s1+4", "s2+1", "s1+4/c1", "s1+4/c2", "s1+3/c1"});
}

TEST_CASE("a compaction of Kimi's becomes a summary") {
  const CollectedSession session =
      collect(
          turn +
          R"({"type":"context.apply_compaction","summary":"so far","tokensBefore":900,"time":1})" +
          "\n")
          .sessions[0];
  const auto* summary = std::get_if<model::payload::CompactionSummary>(
      &std::get<model::Payload>(session.entries.back().content));
  REQUIRE(summary != nullptr);
  CHECK(summary->summary == "so far");
  CHECK(summary->tokens_before == 900);
  CHECK(session.leaf == session.entries.back().id);
}

TEST_CASE("the state of a session of Kimi's names it, and its sub-agents are sessions") {
  TempDir dir;
  std::filesystem::create_directories(dir / "session_k-2/agents/main");
  std::filesystem::create_directories(dir / "session_k-2/agents/agent-0");
  write_file(dir / "session_k-2/state.json", R"({"title":"files","workDir":"/w"})");
  write_file(dir / "session_k-2/agents/main/wire.jsonl", turn);
  write_file(dir / "session_k-2/agents/agent-0/wire.jsonl", turn);
  const auto main = collect_file((dir / "session_k-2/agents/main/wire.jsonl").string()).sessions[0];
  CHECK(main.session.id == "k-2");
  CHECK(main.session.title == "files");
  CHECK(main.session.cwd == "/w");
  CHECK(main.session.created_at == "2026-09-21T14:13:20.000Z");
  const auto sub =
      collect_file((dir / "session_k-2/agents/agent-0/wire.jsonl").string()).sessions[0];
  CHECK(sub.session.id == "k-2/agent-0");
  CHECK(sub.session.parent == "k-2");
  CHECK(sub.session.spawned);
}

TEST_CASE("damaged lines and wrong types in Kimi's log do no harm") {
  const auto read = collect(begin + "{\"type\":\"context\n" + user("a") + user("a") +
                            event(R"({"type":"tool.result","toolCallId":"gone","result":7})") +
                            event(R"({"type":"content.part","part":[]})") +
                            event(R"({"type":"step.end","usage":"x"})") +
                            R"({"type":"context.append_message","message":[]})");
  CHECK(read.losses.at("damaged lines") == 1);
  CHECK(read.sessions[0].prompts() == 2);
  CHECK(read.sessions[0].results() == 1);
}
