#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/support/collected_import.h"
#include "tests/support/import_growth.h"

using namespace skein;
using namespace skein::test;
using importers::ForeignContext;

namespace {

std::string line(const std::string& uuid, const std::string& parent, const std::string& more) {
  return R"({"uuid":")" + uuid + R"(","parentUuid":)" +
         (parent.empty() ? "null" : "\"" + parent + "\"") +
         R"(,"sessionId":"q-1","timestamp":"2026-04-01T09:00:00.000Z","cwd":"/w",)" + more + "}\n";
}
std::string user(const std::string& uuid, const std::string& parent, const std::string& text) {
  return line(uuid, parent,
              R"("type":"user","message":{"role":"user","parts":[{"text":")" + text + R"("}]})");
}
std::string answer(const std::string& uuid, const std::string& parent, const std::string& parts,
                   const std::string& more = "") {
  return line(uuid, parent,
              R"("type":"assistant","model":"qwen3-coder","message":{"role":"model","parts":[)" +
                  parts + "]}" + more);
}

const std::string turn =
    user("u1", "", "look") +
    line("t1", "u1", R"("type":"system","subtype":"ui_telemetry","systemPayload":{})") +
    answer(
        "a1", "t1",
        R"({"text":"hm","thought":true},{"text":"I look."},{"functionCall":{"id":"c1","name":"ls","args":{}}})",
        R"(,"usageMetadata":{"promptTokenCount":90,"candidatesTokenCount":12,"thoughtsTokenCount":5,"totalTokenCount":102,"cachedContentTokenCount":30})") +
    line(
        "r1", "a1",
        R"("type":"tool_result","message":{"role":"user","parts":[{"functionResponse":{"id":"c1","name":"ls","response":{"output":"a.txt"}}}]},"toolCallResult":{"callId":"c1","status":"success"})") +
    answer("a2", "r1", R"({"text":"One file."})");

CollectedImport collect(const std::string& bytes) {
  CollectedImport out = collect_bytes("chats/q-1.jsonl", bytes, "qwen");
  CHECK(out.faults.empty());
  REQUIRE(out.sessions.size() == 1);
  return out;
}

}  // namespace

TEST_CASE("the chain leads through lines that are no messages") {
  const auto session = collect(turn).sessions[0];
  CHECK(session.path() ==
        "user: look\nassistant: I look. [ls]\ntool: a.txt\nassistant: One file.\n");
  CHECK(session.session.id == "q-1");
  CHECK(session.session.cwd == "/w");
  CHECK(session.session.created_at == "2026-04-01T09:00:00.000Z");
  const auto& said = std::get<model::Message>(session.entries[1].content);
  CHECK(said.provider == "qwen");
  // The total says that thoughts are part of the output here.
  CHECK(*said.usage == model::Usage{.input = 60, .output = 12, .cache_read = 30, .reasoning = 5});
}

TEST_CASE("pieces of one answer are joined, and its tools answer it") {
  const std::string bytes = user("u1", "", "go") +
                            answer("a1", "u1", R"({"text":"hm","thought":true})") +
                            answer("a1", "u1", R"({"text":"Yes."})") + user("u2", "a1", "thanks");
  const auto session = collect(bytes).sessions[0];
  CHECK(session.path() == "user: go\nassistant: Yes.\nuser: thanks\n");
  CHECK(session.entries[1].id == "a1+2");
  check_growth("qwen", bytes, {"a1"});
}

TEST_CASE("a rewound turn of Qwen's is a branch, and where it was rewound to is where one stands") {
  const std::string back =
      turn + line("w1", "u1", R"("type":"system","subtype":"rewind","systemPayload":{})");
  CHECK(collect(back).sessions[0].path() == "user: look\n");
  const auto session = collect(back + user("u2", "w1", "again")).sessions[0];
  CHECK(session.path() == "user: look\nuser: again\n");
  CHECK(session.answers() == 2);
}

TEST_CASE("what hooks and notices add is no prompt of the user's") {
  const auto read = collect(
      line(
          "u1", "",
          R"("type":"user","systemPayload":{"displayText":"go"},"message":{"parts":[{"text":"go"},{"text":"hook says hi"}]})") +
      line("u2", "u1",
           R"("type":"user","subtype":"notification","message":{"parts":[{"text":"done"}]})") +
      line(
          "u3", "u2",
          R"("type":"user","provenance":"system","message":{"parts":[{"text":"mind the date"}]})") +
      line(
          "u4", "u3",
          R"("type":"user","subtype":"mid_turn_user_message","message":{"parts":[{"text":"faster"}]})"));
  CHECK(read.sessions[0].path() == "user: go\nuser: faster\n");
  CHECK(read.sessions[0].contexts() == 3);
}

TEST_CASE("the last title counts") {
  const auto titled = [](const std::string& text) {
    return line("x" + text, "a2",
                R"("type":"system","subtype":"custom_title","systemPayload":{"customTitle":")" +
                    text + R"("})");
  };
  CHECK(collect(turn + titled("one") + titled("two")).sessions[0].session.title == "two");
}

TEST_CASE("a compression becomes a summary that keeps the turns it kept") {
  const auto session =
      collect(
          user("u0", "", "old") + answer("a0", "u0", R"({"text":"old too"})") +
          user("u1", "a0", "kept") +
          line(
              "k1", "u1",
              R"("type":"system","subtype":"chat_compression","systemPayload":{"info":{"originalTokenCount":900},"compressedHistory":[{"role":"user","parts":[{"text":"summary"}]},{"role":"model","parts":[{"text":"Got it."}]},{"role":"user","parts":[{"text":"kept"}]}]})"))
          .sessions[0];
  REQUIRE(session.entries.size() == 4);
  const auto* summary = std::get_if<model::payload::CompactionSummary>(
      &std::get<model::Payload>(session.entries[3].content));
  REQUIRE(summary != nullptr);
  CHECK(summary->summary == "summary");
  CHECK(summary->tokens_before == 900);
  CHECK(summary->first_kept == importers::entry_id("qwen", "q-1", "u1"));
}

TEST_CASE("a sub-agent of Qwen's is a session of its own") {
  const auto session =
      collect(
          line(
              "u1", "",
              R"("agentId":"explore-1","isSidechain":true,"type":"user","message":{"parts":[{"text":"find"}]})"))
          .sessions[0];
  CHECK(session.session.id == "q-1/explore-1");
  CHECK(session.session.parent == "q-1");
  CHECK(session.session.spawned);
}

TEST_CASE("circles, repeated ids, glued and damaged lines of Qwen's do no harm") {
  std::string glued = turn;
  std::erase(glued, '\n');
  CHECK(collect(glued).sessions[0].path() == collect(turn).sessions[0].path());
  const auto odd =
      collect(user("x", "x", "a") + user("x", "y", "b") + answer("x", "x", R"({"text":"c"})") +
              "{\"uuid\":\n" + line("x", "x", R"("type":"tool_result","message":5)") +
              line("y", "x", R"("type":7,"message":{"parts":{"a":[]}})"));
  CHECK(odd.losses.at("damaged lines") == 1);
  CHECK(odd.sessions[0].prompts() == 2);
  CHECK(odd.sessions[0].answers() == 1);
}

TEST_CASE("several results in one line of Qwen's are a message each") {
  const auto session =
      collect(
          answer(
              "a1", "",
              R"({"functionCall":{"name":"ls","args":{"p":1}}},{"functionCall":{"name":"ls","args":{"p":2}}})") +
          line(
              "r1", "a1",
              R"("type":"tool_result","message":{"parts":[{"functionResponse":{"name":"ls","response":{"output":"one"}}},{"functionResponse":{"name":"ls","response":{"error":"two"}}}]})") +
          user("u1", "r1", "ok"))
          .sessions[0];
  CHECK(session.path() == "assistant:  [ls] [ls]\ntool: one\ntool: two\nuser: ok\n");
  CHECK(session.failures() == 1);
  const auto calls = model::tool_uses(std::get<model::Message>(session.entries[0].content));
  CHECK(calls[0]->id != calls[1]->id);
  CHECK(std::get<model::ToolResult>(std::get<model::Message>(session.entries[1].content).content[0])
            .tool_use_id == calls[0]->id);
}

TEST_CASE("the answer at the end of a growing file of Qwen's waits") {
  CollectedImport growing;
  importers::format_named("qwen")->read(
      importers::SourceFile::of_bytes("x", turn + "{\"uuid\":\"to"), {.growing = true}, growing);
  CHECK(growing.losses.empty());
  CHECK(growing.sessions[0].answers() == 1);
  CHECK(growing.sessions[0].leaf == "r1");
  check_growth("qwen", turn);
}

TEST_CASE("a session that begins with a very long prompt is still told for what it is") {
  const std::string bytes = user("u1", "", std::string(400'000, 'x')) + turn;
  CHECK(collect_bytes("x.jsonl", bytes, "").sessions.at(0).session.id == "q-1");
}
