#include "core/import/pi/pi.h"

#include <doctest/doctest.h>

#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "tests/support/collected_import.h"

using namespace skein;
using namespace skein::importers;
using test::CollectedImport;
using test::CollectedSession;

namespace {

const std::string header =
    R"({"type":"session","version":3,"id":"s-1","timestamp":"2026-03-04T05:06:07.000Z","cwd":"/w"})"
    "\n";

// An entry of some type; `more` are its other members.
std::string line(const std::string& type, const std::string& id, const std::string& parent,
                 const std::string& more) {
  return R"({"type":")" + type + R"(","id":")" + id + R"(","parentId":)" +
         (parent.empty() ? "null" : "\"" + parent + "\"") +
         R"(,"timestamp":"2026-03-04T05:06:08.000Z",)" + more + "}\n";
}

std::string user(const std::string& id, const std::string& parent, const std::string& text) {
  return line("message", id, parent,
              R"("message":{"role":"user","content":[{"type":"text","text":")" + text + R"("}]})");
}

std::string assistant(const std::string& id, const std::string& parent, const std::string& blocks,
                      const std::string& stop = "stop") {
  return line("message", id, parent,
              R"("message":{"role":"assistant","content":[)" + blocks +
                  R"(],"api":"x","provider":"acme","model":"m1","usage":{"input":3,"output":4,)"
                  R"("cacheRead":5,"cacheWrite":6,"reasoning":2},"stopReason":")" +
                  stop + "\"}");
}

std::string says(const std::string& text) { return R"({"type":"text","text":")" + text + "\"}"; }

CollectedImport read_pi(const std::string& bytes, const std::string& name = "/x/t_s-1.jsonl") {
  CollectedImport read = test::collect_bytes(name, bytes, "pi");
  CHECK(read.faults == std::vector<std::string>{});
  REQUIRE(read.sessions.size() == 1);
  return read;
}

CollectedSession session_of(const std::string& bytes) {
  return std::move(read_pi(bytes).sessions.front());
}

const ForeignEntry& entry(const CollectedSession& session, const std::string& id) {
  for (const ForeignEntry& each : session.entries)
    if (each.id == id) return each;
  FAIL("no entry " << id);
  return session.entries.front();
}

const model::Message& message(const CollectedSession& session, const std::string& id) {
  const auto* found = std::get_if<model::Message>(&entry(session, id).content);
  REQUIRE(found != nullptr);
  return *found;
}

const ForeignContext& context(const CollectedSession& session, const std::string& id) {
  const auto* found = std::get_if<ForeignContext>(&entry(session, id).content);
  REQUIRE(found != nullptr);
  return *found;
}

template <class Kind>
const Kind& payload(const CollectedSession& session, const std::string& id) {
  const auto* found = std::get_if<model::Payload>(&entry(session, id).content);
  REQUIRE(found != nullptr);
  const auto* kind = std::get_if<Kind>(found);
  REQUIRE(kind != nullptr);
  return *kind;
}

std::vector<std::string> ids(const CollectedSession& session) {
  std::vector<std::string> out;
  for (const ForeignEntry& each : session.entries) out.push_back(each.id);
  return out;
}

}  // namespace

TEST_CASE("a pi session is recognized by its lines, even without a first one") {
  const auto is_pi = [](const std::string& bytes) {
    return has_pi_lines(SourceFile::of_bytes("/x/a.jsonl", bytes));
  };
  CHECK(is_pi(header));
  CHECK(is_pi("\xEF\xBB\xBF" + header));
  CHECK(is_pi("{torn\n" + user("a", "", "hi")));
  CHECK(is_pi(R"({"type":"session","id":"x","timestamp":"t","cwd":"/","provider":"p"})"));
  CHECK_FALSE(is_pi(R"({"type":"user","uuid":"a","parentUuid":null,"sessionId":"s"})"));
  CHECK_FALSE(is_pi(R"({"type":"message","role":"user"})"));
  CHECK_FALSE(is_pi("{\"a\":1}\n" + header));
  CHECK_FALSE(is_pi(""));
  CHECK_FALSE(is_pi("hello\n"));
}

TEST_CASE("a turn of pi comes over with its calls, results, tokens and reasons") {
  const CollectedSession session = session_of(
      header + user("a", "", "list it") +
      assistant("b", "a",
                says("Looking.") +
                    R"(,{"type":"toolCall","id":"c1","name":"bash","arguments":{"command":"ls"}})"
                    R"(,{"type":"toolCall","id":"c2","name":"odd","arguments":"{\"cut"})",
                "toolUse") +
      line("message", "c", "b",
           R"("message":{"role":"toolResult","toolCallId":"c1","toolName":"bash","content":)"
           R"([{"type":"text","text":"a.txt"}],"isError":false,"durationMs":31})") +
      line("message", "d", "c",
           R"("message":{"role":"toolResult","toolCallId":"c2","content":"no such tool",)"
           R"("isError":true})") +
      assistant("e", "d", says("Done.")));
  CHECK(session.session.id == "s-1");
  CHECK(session.session.cwd == "/w");
  CHECK(session.session.created_at == "2026-03-04T05:06:07.000Z");
  CHECK(session.path() ==
        "user: list it\nassistant: Looking. [bash] [odd]\ntool: a.txt\ntool: no such tool\n"
        "assistant: Done.\n");
  CHECK(session.leaf == "e");
  CHECK(session.failures() == 1);
  const model::Message& answer = message(session, "b");
  CHECK(answer.provider == "acme");
  CHECK(answer.model == "m1");
  CHECK(answer.stop == model::Stop::tool_use);
  CHECK(answer.usage ==
        model::Usage{.input = 3, .output = 4, .cache_read = 5, .cache_write = 6, .reasoning = 2});
  CHECK(std::get<model::ToolUse>(answer.content[1]).input == R"({"command":"ls"})");
  CHECK(std::get<model::ToolUse>(answer.content[2]).input == R"({"_raw":"{\"cut"})");
  CHECK(message(session, "c").role == model::Role::tool);
  CHECK(message(session, "c").duration_ms == 31);
  CHECK(entry(session, "b").raw.empty());
  CHECK(entry(session, "e").time == "2026-03-04T05:06:08.000Z");
}

TEST_CASE("reasons to stop are told apart") {
  const std::pair<const char*, model::Stop> stops[] = {{"stop", model::Stop::stop},
                                                       {"length", model::Stop::length},
                                                       {"error", model::Stop::error},
                                                       {"aborted", model::Stop::aborted},
                                                       {"deferred", model::Stop::interrupted},
                                                       {"new one", model::Stop::stop}};
  for (const auto& [name, stop] : stops)
    CHECK(message(session_of(header + assistant("a", "", says("x"), name)), "a").stop == stop);
  const std::string failed = line("message", "a", "",
                                  R"("message":{"role":"assistant","content":[],)"
                                  R"("stopReason":"error","errorMessage":"overloaded"})");
  CHECK(message(session_of(header + failed), "a").error == "overloaded");
}

TEST_CASE("what was sealed for another provider is kept and never sent") {
  const CollectedSession session = session_of(
      header +
      assistant("a", "",
                R"({"type":"thinking","thinking":"hm","thinkingSignature":"SEAL"},)"
                R"({"type":"thinking","thinking":"","thinkingSignature":"E","redacted":true},)" +
                    says("Hi")));
  const model::Message& answer = message(session, "a");
  REQUIRE(answer.content.size() == 2);
  CHECK(std::get<model::Thinking>(answer.content[0]) == model::Thinking{.thinking = "hm"});
  CHECK(entry(session, "a").raw.find("SEAL") != std::string::npos);
  CHECK(to_json(answer).find("SEAL") == std::string::npos);
}

TEST_CASE("images are kept as bytes") {
  const CollectedImport read =
      read_pi(header + line("message", "a", "",
                            R"("message":{"role":"user","content":[{"type":"text","text":"see"},)"
                            R"({"type":"image","data":"iVBORw0KGgo=","mimeType":"image/x"},)"
                            R"({"type":"image","data":"***","mimeType":"image/png"}]})"));
  REQUIRE(read.blobs == std::vector<std::string>{"\x89PNG\r\n\x1a\n"});
  const model::Message& prompt = message(read.sessions[0], "a");
  REQUIRE(prompt.content.size() == 2);
  CHECK(std::get<model::Image>(prompt.content[1]).mime_type == "image/png");
  CHECK(std::get<model::Image>(prompt.content[1]).blob == "blob-1");
  CHECK(read.losses.at("images that cannot be read") == 1);
}

TEST_CASE("the system prompt is context, and what an extension says is part of the conversation") {
  const CollectedSession session = session_of(
      header +
      line("message", "a", "",
           R"("message":{"role":"system","content":"Be brief.","sections":{"one":"First.",)"
           R"("gone":null,"two":"Second."},"toolsAdded":[{"name":"read"}]})") +
      line("custom_message", "b", "a",
           R"("customType":"ext","content":"Injected","display":true)") +
      line("message", "c", "b",
           R"("message":{"role":"hookMessage","customType":"old","content":[{"type":"text",)"
           R"("text":"Hooked"}]})") +
      user("d", "c", "hello"));
  CHECK(session.prompts() == 3);
  CHECK(session.contexts() == 1);
  CHECK(context(session, "a").label == "instructions");
  CHECK(context(session, "a").text == "Be brief.\n\nFirst.\n\nSecond.");
  CHECK(entry(session, "a").raw.find("toolsAdded") != std::string::npos);
  CHECK(session.path() == "user: Injected\nuser: Hooked\nuser: hello\n");
  CHECK(entry(session, "b").raw.find("customType") != std::string::npos);
  // Context is never a parent in our tree.
  CHECK(entry(session, "b").parent.empty());
}

TEST_CASE("a command the user ran is told as skein tells its own") {
  const auto ran = [](const std::string& id, const std::string& more) {
    return line(
        "message", id, "",
        R"("message":{"role":"bashExecution","command":"git st","output":"clean",)" + more + "}");
  };
  const CollectedSession session = session_of(
      header + ran("a", R"("exitCode":1,"cancelled":false)") + ran("b", R"("cancelled":true)") +
      ran("c", R"("exitCode":0,"excludeFromContext":true)"));
  CHECK(plain_text(message(session, "a")) == "I ran `git st`, exit status 1:\n\n```\nclean\n```");
  CHECK_FALSE(message(session, "a").continuation);
  CHECK(plain_text(message(session, "b")).starts_with("I ran `git st`, and stopped it:"));
  CHECK(context(session, "c").label == "command");
}

TEST_CASE("branches, labels, edits and changes keep what they are about") {
  const CollectedSession session = session_of(
      header + line("model_change", "m", "", R"("provider":"acme","modelId":"m1")") +
      line("thinking_level_change", "t", "m", R"("thinkingLevel":"high")") + user("a", "t", "one") +
      assistant("b", "a", says("first")) + user("c", "b", "two") +
      assistant("d", "c", says("second")) +
      line("label", "l", "d", R"("targetId":"a","label":"start")") +
      line("session_info", "n", "l", R"("name":"My tree")") +
      line("branch_summary", "s", "b",
           R"("fromId":"n","summary":"dead end","usage":{"input":7,"output":1})") +
      user("e", "s", "three") +
      line("context_edit", "x", "e", R"("targetId":"c","replacement":null)") +
      line("context_edit", "y", "x",
           R"("targetId":"b","replacement":{"content":[{"type":"text","text":"short"}]})") +
      line("label", "k", "y", R"("targetId":"a")"));
  const auto ours = [](const char* id) { return entry_id("pi", "s-1", id); };
  CHECK(session.session.title == "My tree");
  CHECK(payload<model::payload::ModelChange>(session, "m").model == "m1");
  CHECK(payload<model::payload::ThinkingLevelChange>(session, "t").level == "high");
  CHECK(payload<model::payload::Label>(session, "l").entry == ours("a"));
  CHECK(payload<model::payload::Label>(session, "l").text == "start");
  CHECK(payload<model::payload::Label>(session, "k").text.empty());
  CHECK(payload<model::payload::Redaction>(session, "x").target == ours("c"));
  CHECK(context(session, "y").text == "short");
  const auto& summary = payload<model::payload::BranchSummary>(session, "s");
  CHECK(summary.summary == "dead end");
  CHECK(summary.source_entry == ours("d"));  // the leaf that was left was a title
  CHECK(summary.source_session == session_id("pi", "s-1"));
  CHECK(entry(session, "s").parent == "b");
  CHECK(entry(session, "s/usage").parent == "s");
  CHECK(entry(session, "e").parent == "s/usage");
  CHECK(message(session, "s/usage").usage->input == 7);
  CHECK(message(session, "s/usage").model == "m1");
  CHECK(session.leaf == "e");
}

TEST_CASE("a compaction keeps what it kept") {
  const std::string talk =
      header + line("model_change", "m", "", R"("provider":"p","modelId":"q")") +
      user("a", "m", "one") + assistant("b", "a", says("first")) +
      line("model_change", "n", "b", R"("provider":"p","modelId":"r")") + user("c", "n", "two");
  const auto first_kept = [&](const std::string& named) {
    const CollectedSession session = session_of(
        talk + line("compaction", "z", "c",
                    R"("summary":"so far","tokensBefore":99,"firstKeptEntryId":")" + named +
                        R"(","usage":{"input":8,"output":2},"details":{"readFiles":["r"],)"
                        R"("modifiedFiles":["w",1]})"));
    const auto& made = payload<model::payload::CompactionSummary>(session, "z");
    CHECK(made.summary == "so far");
    CHECK(made.tokens_before == 99);
    CHECK(made.files_read == std::vector<std::string>{"r"});
    CHECK(made.files_changed == std::vector<std::string>{"w"});
    CHECK(made.usage == model::Usage{.input = 8, .output = 2});
    CHECK(made.model == "r");
    return made.first_kept;
  };
  const auto ours = [](const char* id) { return entry_id("pi", "s-1", id); };
  CHECK(first_kept("b") == ours("b"));
  CHECK(first_kept("n") == ours("c"));  // a change of model: what follows it
  CHECK(first_kept("m") == ours("a"));
  CHECK(first_kept("z") == std::nullopt);  // nothing
  CHECK(first_kept("unknown") == std::nullopt);
}

TEST_CASE("tokens that were paid for without an answer are counted") {
  const CollectedSession session = session_of(
      header + user("a", "", "x") +
      line("usage", "b", "a",
           R"("kind":"cache_warm","provider":"acme","model":"m9","usage":{"cacheRead":100})") +
      user("c", "b", "y"));
  CHECK(session.usage().cache_read == 100);
  CHECK(message(session, "b").model == "m9");
  CHECK(message(session, "b").content.empty());
  CHECK(entry(session, "c").parent == "b");
}

TEST_CASE("the first version has no ids, and counts lines") {
  const std::string old =
      R"({"type":"session","id":"v1","timestamp":"2025-01-02T03:04:05.000Z","cwd":"/w",)"
      R"("provider":"acme","modelId":"m1","thinkingLevel":"low","branchedFrom":"/x/2025_v0.jsonl"})"
      "\n"
      R"({"type":"message","timestamp":"2025-01-02T03:04:06.000Z","message":{"role":"user","content":"one"}})"
      "\n"
      R"({"type":"message","timestamp":"2025-01-02T03:04:07.000Z","message":{"role":"assistant","content":[{"type":"text","text":"first"}]}})"
      "\n"
      R"({"type":"compaction","timestamp":"2025-01-02T03:04:08.000Z","summary":"s","firstKeptEntryIndex":2,"tokensBefore":1})"
      "\n";
  const CollectedSession session = session_of(old);
  CHECK(session.session.parent == "v0");
  CHECK_FALSE(session.session.spawned);
  CHECK(ids(session) ==
        std::vector<std::string>{"header/model", "header/thinking", "line-1", "line-2", "line-3"});
  CHECK(entry(session, "line-2").parent == "line-1");
  CHECK(payload<model::payload::ModelChange>(session, "header/model").model == "m1");
  CHECK(payload<model::payload::CompactionSummary>(session, "line-3").first_kept ==
        entry_id("pi", "v1", "line-2"));
}

TEST_CASE("a damaged line costs that line") {
  const std::string talk =
      header + user("a", "", "one") + assistant("b", "a", says("first")) + user("c", "b", "two");
  SUBCASE("in the middle") {
    const CollectedImport read =
        read_pi(header + user("a", "", "one") + "{\"type\":\n" + user("c", "a", "two"));
    CHECK(read.sessions[0].path() == "user: one\nuser: two\n");
    CHECK(read.losses.at("damaged lines") == 1);
  }
  SUBCASE("the first") {
    const CollectedImport read = read_pi("{broken\n" + talk.substr(header.size()));
    CHECK(read.sessions[0].session.id == "s-1");  // from the name
    CHECK(read.sessions[0].prompts() == 2);
    CHECK(read.losses.at("damaged lines") == 1);
  }
  SUBCASE("a line that lost its parent follows the one before") {
    const CollectedImport read = read_pi(header + user("a", "", "one") + user("c", "lost", "two"));
    CHECK(read.sessions[0].path() == "user: one\nuser: two\n");
  }
  SUBCASE("glued, with carriage returns, a mark at the start and no end") {
    std::string odd = "\xEF\xBB\xBF";
    for (const char c : talk) odd += c == '\n' ? "\r\n" : std::string(1, c);
    odd.erase(odd.find("\r\n", 200), 2);
    odd.erase(odd.size() - 2);
    const CollectedImport read = read_pi(odd);
    CHECK(read.losses.empty());
    CHECK(read.sessions[0].path() == "user: one\nassistant: first\nuser: two\n");
  }
  SUBCASE("parents in a circle, and an id that comes twice") {
    const CollectedImport read = read_pi(header + user("a", "b", "one") + user("b", "a", "two") +
                                         user("a", "b", "again") + user("c", "c", "three"));
    CHECK(read.sessions[0].path() == "user: one\nuser: two\nuser: three\n");
    CHECK(read.losses.at("entries with an id that was used before") == 1);
  }
}

TEST_CASE("the last line of a file that grows is left for the next time") {
  const std::string torn = header + user("a", "", "one") + R"({"type":"message","id":"b","par)";
  CollectedImport read;
  format_named("pi")->read(SourceFile::of_bytes("/x/a.jsonl", torn), {.growing = true}, read);
  CHECK(read.losses.empty());
  CHECK(read_pi(torn).losses.at("damaged lines") == 1);
}

TEST_CASE("members of any type do no harm") {
  const char* values[] = {"null",     "1",  "-5e300",       "\"x\"", "[]",
                          "[[1],{}]", "{}", R"({"a":[1]})", "true"};
  for (const char* type : {"message", "compaction", "branch_summary", "context_edit", "label",
                           "usage", "model_change", "custom_message", "session_info", "session"})
    for (const char* value : values) {
      const std::string v = value;
      std::string bytes = header + user("a", "", "one");
      for (const char* role : {"user", "assistant", "toolResult", "bashExecution", "system"})
        bytes += R"({"type":")" + std::string(type) + R"(","id":)" + v + R"(,"parentId":)" + v +
                 R"(,"timestamp":)" + v + R"(,"summary":)" + v + R"(,"usage":)" + v +
                 R"(,"details":)" + v + R"(,"targetId":)" + v + R"(,"replacement":)" + v +
                 R"(,"content":)" + v + R"(,"firstKeptEntryIndex":)" + v +
                 R"(,"message":{"role":")" + role + R"(","content":[)" + v +
                 R"(,{"type":"text","text":)" + v + R"(},{"type":"image","data":)" + v +
                 R"(},{"type":"toolCall","id":)" + v + R"(,"arguments":)" + v +
                 R"(}],"usage":{"input":)" + v + R"(},"sections":)" + v + R"(,"exitCode":)" + v +
                 "}}\n";
      read_pi(bytes);
    }
}

TEST_CASE("a session that was read as it grew has the ids it has in the end") {
  const std::string whole =
      header + line("model_change", "m", "", R"("provider":"p","modelId":"q")") +
      user("a", "m", "one") + assistant("b", "a", says("first")) +
      line("branch_summary", "s", "a", R"("fromId":"b","summary":"x","usage":{"input":1})") +
      user("c", "s", "two") + line("session_info", "n", "c", R"("name":"T")") +
      line("usage", "u", "n", R"("usage":{"input":1})");
  const std::vector<std::string> all = ids(session_of(whole));
  const std::set<std::string> known(all.begin(), all.end());
  CHECK(ids(session_of(whole)) == all);
  for (std::size_t end = whole.find('\n'); end != std::string::npos;
       end = whole.find('\n', end + 1))
    for (const std::string& id : ids(session_of(whole.substr(0, end + 1)))) {
      CAPTURE(id);
      CHECK(known.contains(id));
    }
}

TEST_CASE("a session nobody wants is not given") {
  struct Refusing : CollectedImport {
    bool begin(const ForeignSession&) override { return false; }
  } refusing;
  format_named("pi")->read(SourceFile::of_bytes("/x/a.jsonl", header + user("a", "", "one")), {},
                           refusing);
  CHECK(refusing.faults.empty());
}
