#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/collected_import.h"
#include "tests/support/import_growth.h"
#include "tests/support/temp_dir.h"

using namespace skein;
using namespace skein::test;
using importers::ForeignContext;
using importers::ForeignEntry;

namespace {

const std::string meta =
    R"({"sessionId":"s-1","projectHash":"ab","startTime":"2026-03-01T10:00:00.000Z","kind":"main"})"
    "\n";

std::string context(const std::string& id, const std::string& day) {
  return R"({"id":")" + id + R"(","type":"user","content":[{"text":"<session_context>)" + day +
         R"(</session_context>"}]})";
}
std::string user(const std::string& id, const std::string& text) {
  return R"({"id":")" + id +
         R"(","timestamp":"2026-03-01T10:00:01.000Z","type":"user","content":[{"text":")" + text +
         R"("}]})";
}
std::string said(const std::string& id, const std::string& text, const std::string& more = "") {
  return R"({"id":")" + id +
         R"(","timestamp":"2026-03-01T10:00:02.000Z","type":"gemini","content":")" + text +
         R"(","model":"gemini-3-pro")" + more + "}";
}
std::string checkpoint(const std::vector<std::string>& messages) {
  std::string out = R"({"$set":{"messages":[)";
  for (const std::string& each : messages) out += (out.ends_with('[') ? "" : ",") + each;
  return out + "]}}\n";
}

const std::string called =
    R"(,"tokens":{"input":100,"output":7,"cached":40,"thoughts":5,"tool":2,"total":114},"thoughts":[{"subject":"Plan","description":"look first"}],"toolCalls":[{"id":"c1","name":"ls","args":{"path":"."},"status":"success","result":[{"functionResponse":{"id":"c1","name":"ls","response":{"output":"a.txt"}}}]}])";
const std::string response =
    R"({"id":"r1","type":"user","content":[{"functionResponse":{"id":"c1","name":"ls","response":{"output":"a.txt"}}}]})";

// A turn with a call, as it is written while it happens.
const std::string turn = meta + checkpoint({context("ctx", "Monday")}) + user("u1", "look") + "\n" +
                         said("g1", "I look.") + "\n" + said("g1", "I look.", called) + "\n" +
                         response + "\n" + said("g2", "One file.") + "\n";

CollectedImport collect(const std::string& bytes) {
  CollectedImport out = collect_bytes("x/chats/session-1.jsonl", bytes, "gemini");
  CHECK(out.faults.empty());
  return out;
}

const ForeignEntry& entry(const CollectedSession& session, std::size_t at) {
  REQUIRE(at < session.entries.size());
  return session.entries[at];
}

}  // namespace

TEST_CASE("a call kept with its answer is given once, with its result, tokens and thoughts") {
  const CollectedImport read = collect(turn);
  REQUIRE(read.sessions.size() == 1);
  const CollectedSession& session = read.sessions[0];
  CHECK(session.session.id == "s-1");
  CHECK(session.session.created_at == "2026-03-01T10:00:00.000Z");
  CHECK(session.path() ==
        "user: look\nassistant: I look. [ls]\ntool: a.txt\nassistant: One file.\n");
  CHECK(session.contexts() == 1);
  const auto& answer = std::get<model::Message>(entry(session, 2).content);
  CHECK(answer.provider == "google");
  CHECK(answer.model == "gemini-3-pro");
  CHECK(answer.stop == model::Stop::tool_use);
  CHECK(std::get<model::Thinking>(answer.content[0]).thinking == "Plan\nlook first");
  REQUIRE(answer.usage);
  CHECK(*answer.usage == model::Usage{.input = 62, .output = 12, .cache_read = 40, .reasoning = 5});
}

TEST_CASE("an answer is another entry once its calls are known") {
  const std::string before = meta + user("u1", "look") + "\n" + said("g1", "I look.") + "\n";
  const auto early = collect(before), late = collect(before + said("g1", "I look.", called));
  CHECK(early.sessions[0].leaf == "g1");
  CHECK(late.sessions[0].leaf == "g1+2/c1");
  CollectedImport growing;
  importers::format_named("gemini")->read(importers::SourceFile::of_bytes("x", before),
                                          {.growing = true}, growing);
  CHECK(growing.sessions[0].answers() == 0);
  CHECK(growing.sessions[0].leaf == "u1");
}

TEST_CASE("a checkpoint after a resume changes nothing of what was recorded before") {
  const std::string rewritten =
      R"({"id":"g1","type":"gemini","content":[{"text":"I look."},{"functionCall":{"id":"c1","name":"ls","args":{"path":"."}}}]})";
  const std::string resumed =
      turn + meta + checkpoint({context("ctx2", "Tuesday")}) +
      checkpoint(
          {context("ctx2", "Tuesday"), user("u1", "look"), rewritten, response,
           R"({"id":"g1_response","type":"user","content":[{"functionResponse":{"id":"c1","name":"ls","response":{"output":"a.txt"}}}]})",
           R"({"id":"other","type":"gemini","content":[{"text":"One file."}]})"}) +
      user("u2", "and now?") + "\n";
  const auto once = collect(turn), again = collect(resumed);
  CHECK(again.sessions[0].path() == once.sessions[0].path() + "user: and now?\n");
  CHECK(again.sessions[0].calls() == 1);
  CHECK(again.sessions[0].results() == 1);
  CHECK(again.sessions[0].usage() == once.sessions[0].usage());
  CHECK(again.sessions[0].contexts() == 2);
}

TEST_CASE("what a checkpoint alone tells is read, too") {
  const auto read = collect(
      meta +
      checkpoint(
          {user("u1", "look"),
           R"({"id":"g1","type":"gemini","content":[{"text":"hm","thought":true},{"functionCall":{"name":"ls","args":{}}}]})",
           R"({"id":"r","type":"user","content":[{"functionResponse":{"name":"ls","response":{"error":"no"}}}]})",
           said("g2", "It failed.")}));
  CHECK(read.sessions[0].calls() == 1);
  CHECK(read.sessions[0].path().find("assistant:  [ls]\n") != std::string::npos);
}

TEST_CASE("what was rewound stays as a branch") {
  const std::string bytes = turn + R"({"$rewindTo":"u1"})" + "\n" + user("u2", "look elsewhere") +
                            "\n" + said("g3", "Nothing.") + "\n";
  const auto read = collect(bytes);
  CHECK(read.sessions[0].path() == "user: look elsewhere\nassistant: Nothing.\n");
  CHECK(read.sessions[0].prompts() == 2);
  CHECK(read.sessions[0].answers() == 3);
  CHECK(
      collect(turn + R"({"$rewindTo":"nobody"})" + "\n" + user("u2", "anew")).sessions[0].path() ==
      "user: anew\n");
}

TEST_CASE("a checkpoint that puts a message behind another one gives it a second place") {
  const auto read = collect(turn + checkpoint({user("sum", "so far: one file"), said("g2", "x")}));
  const CollectedSession& session = read.sessions[0];
  CHECK(session.path() == "user: so far: one file\nassistant: One file.\n");
  CHECK(session.leaf.starts_with("g2@"));
  CHECK(session.answers() == 3);
}

TEST_CASE("checkpoints that only name messages do not multiply them without end") {
  std::string bytes = meta + said("big", std::string(1000, 'x')) + "\n";
  for (int i = 0; i < 200; ++i)
    bytes += checkpoint({user("u" + std::to_string(i), std::to_string(i)), R"({"id":"big"})"});
  CHECK(collect(bytes).sessions[0].answers() == 16);
}

TEST_CASE("the words that were typed are the prompt, not what was put beside them") {
  const auto read = collect(
      meta +
      R"({"id":"u1","type":"user","content":[{"text":"see @a"},{"text":"\n--- Content from referenced files ---"},{"text":"secret plan"}]})"
      "\n"
      R"({"id":"u2","type":"user","content":[{"text":"a long command"}],"displayContent":[{"text":"/cmd"}]})"
      "\n"
      R"({"id":"i1","type":"info","content":"Update available"})");
  CHECK(read.sessions[0].path() == "user: see @a\nuser: /cmd\n");
  CHECK(read.sessions[0].contexts() == 3);
  CHECK(std::get<ForeignContext>(read.sessions[0].entries[0].content).text.find("secret plan") !=
        std::string::npos);
}

TEST_CASE("seals are kept with the line and never in the message") {
  const auto read = collect(
      meta +
      R"({"id":"g1","type":"gemini","content":[{"text":"hm","thought":true,"thoughtSignature":"c2VhbA=="},{"text":"Yes."}]})");
  const ForeignEntry& answer = entry(read.sessions[0], 0);
  CHECK(answer.raw.find("c2VhbA==") != std::string::npos);
  const auto& thinking =
      std::get<model::Thinking>(std::get<model::Message>(answer.content).content[0]);
  CHECK(thinking.signature.empty());
  CHECK(thinking.provider_data.empty());
  CHECK(collect(turn).sessions[0].entries[2].raw.empty());
}

TEST_CASE("a failed or cancelled call has a result that says so") {
  const auto read = collect(
      meta +
      said(
          "g1", "",
          R"(,"toolCalls":[{"id":"a","name":"ls","args":"x","status":"cancelled"},{"id":"b","name":"ls","status":"error","resultDisplay":"no such folder"},{"id":"c","name":"ls","status":"executing"}])"));
  CHECK(read.sessions[0].calls() == 3);
  CHECK(read.sessions[0].results() == 2);
  CHECK(read.sessions[0].failures() == 2);
  const auto& answer = std::get<model::Message>(entry(read.sessions[0], 0).content);
  CHECK(model::tool_uses(answer)[0]->input == R"({"_raw":"x"})");
}

TEST_CASE("the older one-object file reads like the log") {
  const std::string whole =
      "\xEF\xBB\xBF{\n \"sessionId\": \"old\", \"projectHash\": \"ab\",\n \"summary\": \"Files\", "
      "\"messages\": [\n" +
      user("u1", "look") + ",\n" + said("g1", "I look.", called) + ",\n" + said("g2", "One file.") +
      "\n]}";
  const auto read = collect_bytes("x/chats/session-old.json", whole, "");
  CHECK(read.faults.empty());
  CHECK(read.sessions[0].session.title == "Files");
  CHECK(read.sessions[0].path() ==
        "user: look\nassistant: I look. [ls]\ntool: a.txt\nassistant: One file.\n");
}

TEST_CASE("the project's folder is named beside the chats, a sub-agent's session by its folder") {
  TempDir dir;
  std::filesystem::create_directories(dir / "chats/parent-session");
  write_file(dir / ".project_root", "/home/me/work\n");
  write_file(dir / "chats/session-1.jsonl", turn);
  CHECK(collect_file((dir / "chats/session-1.jsonl").string()).sessions[0].session.cwd ==
        "/home/me/work");
  write_file(dir / "chats/parent-session/sub.jsonl",
             R"({"sessionId":"sub","projectHash":"ab","kind":"subagent"})"
             "\n" +
                 user("u1", "find it") + "\n");
  const auto sub = collect_file((dir / "chats/parent-session/sub.jsonl").string()).sessions[0];
  CHECK(sub.session.spawned);
  CHECK(sub.session.parent == "parent-session");
  CHECK(sub.session.cwd == "/home/me/work");
}

TEST_CASE("a damaged line of Gemini's costs that line") {
  std::string bytes = turn;
  bytes.insert(bytes.find("{\"id\":\"u1\""), "{\"id\":\"torn\n\xff\xfe\n");
  const auto read = collect(bytes);
  CHECK(read.losses.at("damaged lines") == 2);
  CHECK(read.sessions[0].answers() == 2);
  std::string crlf;
  for (const char c : turn) crlf += c == '\n' ? "\r\n" : std::string(1, c);
  CHECK(collect(crlf).sessions[0].path() == collect(turn).sessions[0].path());
  std::string glued = turn;
  std::erase(glued, '\n');
  CHECK(collect(glued).sessions[0].path() == collect(turn).sessions[0].path());
  collect(
      R"({"$set":{"messages":[[],{"id":5},{"id":"a","type":"user"},{"id":"a"},"x"]}})"
      "\n"
      R"({"id":"g","type":"gemini","content":{"text":5},"toolCalls":{"a":1},"thoughts":"x","tokens":[1]})"
      "\n"
      R"({"id":"g","type":"gemini","toolCalls":[1,null,{"id":3,"result":[[1]]}],"tokens":{"input":-99999999999999999999,"cached":9223372036854775807}})"
      "\n"
      R"({"$rewindTo":"g"})");
}

TEST_CASE("a log of Gemini's that grows keeps what was read of it") {
  const std::string bytes = turn + user("u2", "more") + "\n" + R"({"$rewindTo":"u2"})" + "\n" +
                            user("u3", "other") + "\n" + said("g3", "Fine.") + "\n";
  check_growth("gemini", bytes, {"g1"});
}
