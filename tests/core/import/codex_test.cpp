#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "core/import/formats.h"
#include "core/text/encoding.h"
#include "core/text/json.h"
#include "tests/support/collected_import.h"
#include "tests/support/temp_dir.h"

using namespace skein;
namespace fs = std::filesystem;

namespace {

const std::string thread = "0aaaaaaa-0000-7000-8000-000000000001";
const std::string file = "/nowhere/rollout-2026-05-06T07-08-09-" + thread + ".jsonl";

std::string record(const std::string& type, const std::string& payload) {
  return R"({"timestamp":"2026-05-06T07:08:09.010Z","type":")" + type + R"(","payload":)" +
         payload + "}\n";
}
std::string item(const std::string& rest) { return record("response_item", "{" + rest + "}"); }
std::string event(const std::string& rest) { return record("event_msg", "{" + rest + "}"); }
std::string meta(const std::string& more = {}) {
  return record("session_meta", R"({"id":")" + thread +
                                    R"(","cwd":"/work","model_provider":"openai")" + more + "}");
}
std::string message(const std::string& id, const std::string& role, const std::string& text) {
  return item(R"("type":"message","id":")" + id + R"(","role":")" + role +
              R"(","content":[{"type":")" + (role == "assistant" ? "output_text" : "input_text") +
              R"(","text":)" + json_string(text) + "}]");
}
std::string call(const std::string& id, const std::string& arguments = R"({"cmd":"ls"})") {
  return item(R"("type":"function_call","id":"f)" + id + R"(","name":"exec","arguments":)" +
              json_string(arguments) + R"(,"call_id":")" + id + "\"");
}
std::string output(const std::string& id, const std::string& text) {
  return item(R"("type":"function_call_output","id":"o)" + id + R"(","call_id":")" + id +
              R"(","output":)" + json_string(text));
}
std::string usage(int input, int cached, int out) {
  return record("token_usage_record",
                R"({"response_id":"r","usage":{"input_tokens":)" + std::to_string(input) +
                    R"(,"cached_input_tokens":)" + std::to_string(cached) + R"(,"output_tokens":)" +
                    std::to_string(out) + R"(,"reasoning_output_tokens":2}})");
}
const std::string done = event(R"("type":"task_complete")");

test::CollectedImport read(const std::string& bytes, const std::string& path = file) {
  test::CollectedImport import = test::collect_bytes(path, bytes, "codex");
  for (const std::string& fault : import.faults) FAIL_CHECK(fault);
  return import;
}

const std::string thought =
    R"("type":"reasoning","id":"t1","summary":[{"type":"summary_text","text":"hm"}],)"
    R"("encrypted_content":"SEALED")";
const std::string conversation =
    meta() + record("turn_context", R"({"model":"gpt-9"})") +
    message("d1", "developer", "be brief") +
    message("e1", "user", "<environment_context>here</environment_context>") +
    message("u1", "user", "list them") + event(R"("type":"user_message","message":"list them")") +
    item(thought) + event(R"("type":"agent_reasoning","text":"hm")") +
    message("m1", "assistant", "so") + call("c1") + call("c2") + usage(100, 60, 9) +
    output("c2", "Exit code: 2\nOutput:\nno") + output("c1", "yes") +
    message("m2", "assistant", "there") + event(R"("type":"agent_message","message":"there")") +
    done;

}  // namespace

TEST_CASE("items of Codex between two events are one answer, and their results one message") {
  const test::CollectedImport import = read(conversation);
  REQUIRE(import.sessions.size() == 1);
  const test::CollectedSession& only = import.sessions[0];
  CHECK(only.session.id == thread);
  CHECK(only.session.cwd == "/work");
  CHECK(only.path() ==
        "user: list them\nassistant: so [exec] [exec]\n"
        "tool: Exit code: 2\nOutput:\nnoyes\nassistant: there\n");
  CHECK(only.contexts() == 2);
  CHECK(only.failures() == 1);
  const model::Message& first = test::message_in(only, "t1");
  CHECK(first.provider == "openai");
  CHECK(first.model == "gpt-9");
  CHECK(first.usage == model::Usage{.input = 40, .output = 9, .cache_read = 60, .reasoning = 2});
  CHECK(!test::message_in(only, "m2").usage);
  CHECK(std::get<model::Thinking>(first.content[0]) == model::Thinking{.thinking = "hm"});
  CHECK(test::entry_in(only, "t1").raw.find("SEALED") != std::string::npos);
  CHECK(test::entry_in(only, "m2").raw.empty());
  CHECK(std::get<importers::ForeignContext>(test::entry_in(only, "e1").content).label ==
        "environment");
  CHECK(import.losses.empty());
}

TEST_CASE("a rollout that is cut has the same ids, except what was unfinished") {
  const std::set<std::string> all = test::ids_of(read(conversation));
  CHECK(test::ids_of(read(conversation)) == all);
  for (std::size_t end = conversation.find('\n'); end != std::string::npos;
       end = conversation.find('\n', end + 1)) {
    for (const std::string& id : test::ids_of(read(conversation.substr(0, end + 1))))
      if (id.find('+') == std::string::npos) CHECK_MESSAGE(all.contains(id), id);
    test::CollectedImport growing;
    importers::format_named("codex")->read(
        importers::SourceFile::of_bytes(file, conversation.substr(0, end + 1)), {.growing = true},
        growing);
    for (const std::string& id : test::ids_of(growing)) CHECK_MESSAGE(all.contains(id), id);
  }
  const test::CollectedImport cut = read(meta() + message("m1", "assistant", "so"));
  CHECK(test::ids_of(cut).contains(cut.sessions[0].session.id + " m1+1"));
}

TEST_CASE("a fork continues what stands in another file, up to where it says") {
  const test::TempDir folder;
  const std::string first = "0aaaaaaa-0000-7000-8000-00000000000a";
  const std::string second = "0aaaaaaa-0000-7000-8000-00000000000b";
  const auto place = [&](const std::string& day, const std::string& id) {
    const fs::path path = folder.path() / "sessions/2026/05" / day / ("rollout-x-" + id + ".jsonl");
    fs::create_directories(path.parent_path());
    return path;
  };
  const auto base = [](const std::string& id, std::size_t end) {
    return R"(,"forked_from_id":")" + id + R"(","history_base":{"thread_id":")" + id +
           R"(","end_byte_offset":)" + std::to_string(end) + "}";
  };
  const std::string root = meta() + message("u1", "user", "one") + done;
  test::write_file(place("01", first), root + message("u2", "user", "not in the fork"));
  const std::string middle = meta(base(first, root.size())) + message("u3", "user", "two") + done;
  test::write_file(place("02", second), middle);
  test::write_file(place("03", thread),
                   meta(base(second, middle.size())) + message("u4", "user", "three"));
  test::write_file(folder.path() / "session_index.jsonl",
                   R"({"id":")" + thread + R"(","thread_name":"old"})" + "\n" + R"({"id":")" +
                       thread + R"(","thread_name":"forked"})" + "\n");

  const test::CollectedImport import = test::collect_file(place("03", thread).string());
  CHECK(import.sessions[0].path() == "user: one\nuser: two\nuser: three\n");
  CHECK(import.sessions[0].session.parent == second);
  CHECK(!import.sessions[0].session.spawned);
  CHECK(import.sessions[0].session.title == "forked");
  CHECK(import.losses.empty());

  fs::remove(place("01", first));
  const test::CollectedImport part = test::collect_file(place("03", thread).string());
  CHECK(part.sessions[0].path() == "user: two\nuser: three\n");
  CHECK(part.losses.at("messages before a fork, in a missing file") == 1);

  // One that continues itself ends all the same.
  test::write_file(place("02", second), meta(base(second, 5000)) + message("u3", "user", "two"));
  CHECK(test::collect_file(place("03", thread).string()).sessions[0].prompts() == 2);
}

TEST_CASE("turns that were taken back are a branch") {
  const test::CollectedImport import =
      read(meta() + message("u1", "user", "one") + message("m1", "assistant", "1") + done +
           message("u2", "user", "two") + message("m2", "assistant", "2") + done +
           message("u3", "user", "three") + done +
           event(R"("type":"thread_rolled_back","num_turns":2)") + message("u4", "user", "other"));
  CHECK(import.sessions[0].path() == "user: one\nassistant: 1\nuser: other\n");
  CHECK(test::entry_in(import.sessions[0], "u3").parent == "m2");
  CHECK(import.sessions[0].prompts() == 4);
}

TEST_CASE("a compaction of Codex is told by what replaces the history") {
  const std::string history =
      R"([{"type":"message","role":"user","content":[{"type":"input_text","text":"asked"}]},)"
      R"({"type":"message","role":"user","content":[{"type":"input_text",)"
      R"("text":"<environment_context>x</environment_context>"}]},)"
      R"({"type":"compaction","encrypted_content":"SEALED"}])";
  const test::CollectedImport import =
      read(conversation + record("compacted", R"({"message":"summed up"})") +
           record("compacted", R"({"message":"","replacement_history":)" + history + "}"));
  const auto summary = [&](std::size_t from_end) {
    const auto& entries = import.sessions[0].entries;
    const auto& payload = std::get<model::Payload>(entries[entries.size() - from_end].content);
    return std::get<model::payload::CompactionSummary>(payload).summary;
  };
  CHECK(summary(2) == "summed up");
  CHECK(summary(1) == "asked");
  CHECK(import.sessions[0].entries.back().raw.find("SEALED") != std::string::npos);
}

TEST_CASE("every kind of call is a call, and what failed has failed") {
  const test::CollectedImport import = read(
      meta() + message("u1", "user", "do") +
      item(
          R"("type":"custom_tool_call","id":"x1","call_id":"k1","name":"apply_patch","input":"*** Begin")") +
      item(
          R"("type":"local_shell_call","id":"x2","call_id":"k2","action":{"type":"exec","command":["ls"]})") +
      item(
          R"("type":"custom_tool_call_output","call_id":"k1","output":[{"type":"input_text","text":"ok"}])") +
      output("k2", R"({"output":"bad","metadata":{"exit_code":3}})") +
      item(
          R"("type":"web_search_call","id":"w1","status":"completed","action":{"type":"search","query":"q"})") +
      call("k4") + output("k4", "Chunk ID: 1\nProcess exited with code 0\nOutput:\nExit code: 9") +
      call("k5") +
      item(R"("type":"function_call_output","output":{"content":"no","success":false})") + done);
  const test::CollectedSession& only = import.sessions[0];
  CHECK(only.calls() == 5);
  CHECK(only.results() == 5);
  CHECK(only.failures() == 2);
  const auto& patch = std::get<model::ToolUse>(test::message_in(only, "x1").content[0]);
  CHECK(patch.name == "apply_patch");
  CHECK(patch.input == R"({"_raw":"*** Begin"})");
  CHECK(std::get<model::ToolUse>(test::message_in(only, "x1").content[1]).name == "local_shell");
  CHECK(only.path().find("tool: okbad\n") != std::string::npos);
  CHECK(only.path().find("assistant:  [web_search]\ntool: [not recorded]\n") != std::string::npos);
  // The result that names no call is the one of the call before it.
  CHECK(only.path().ends_with("assistant:  [exec]\ntool: no\n"));
}

TEST_CASE("usage is taken from events where nothing better is there, and not twice") {
  const auto count = [](int total, int last) {
    return event(R"("type":"token_count","info":{"total_token_usage":{"input_tokens":)" +
                 std::to_string(total) + R"(},"last_token_usage":{"input_tokens":)" +
                 std::to_string(last) + "}}");
  };
  const test::CollectedImport import =
      read(meta() + message("u1", "user", "a") + message("m1", "assistant", "b") + count(10, 10) +
           count(10, 10) + message("u2", "user", "c") + message("m2", "assistant", "d") +
           count(10, 10) + event(R"("type":"token_count","info":null)") + count(35, 25));
  CHECK(test::message_in(import.sessions[0], "m1").usage->input == 10);
  CHECK(test::message_in(import.sessions[0], "m2").usage->input == 25);
  CHECK(import.sessions[0].usage().input == 35);
}

TEST_CASE("the oldest rollouts have bare items") {
  const std::string head =
      R"({"id":"old-1","timestamp":"2025-05-06T07:08:09.010Z","instructions":null,"git":{}})"
      "\n";
  const std::string bytes =
      head + R"({"record_type":"state"})" + "\n" +
      R"({"type":"message","id":null,"role":"user","content":[{"type":"input_text","text":"hi"}]})" +
      "\n" +
      R"({"type":"message","id":null,"role":"user","content":[{"type":"input_text","text":"hi"}]})" +
      "\n" +
      R"({"type":"message","id":"m","role":"assistant","content":[{"type":"output_text","text":"yo"}]})" +
      "\n";
  CHECK(importers::format_of(importers::SourceFile::of_bytes(file, bytes))->name == "codex");
  const test::CollectedImport import = read(bytes);
  CHECK(import.sessions[0].session.id == "old-1");
  CHECK(import.sessions[0].path() == "user: hi\nuser: hi\nassistant: yo\n");
  CHECK(import.losses.empty());
}

TEST_CASE("without items, events are the conversation") {
  const test::CollectedImport import =
      read(meta() + event(R"("type":"user_message","message":"hi")") +
           event(R"("type":"agent_message","message":"yo")") + done);
  CHECK(import.sessions[0].path() == "user: hi\nassistant: yo\n");
}

TEST_CASE("a sub-agent of Codex names the session that started it") {
  const test::CollectedImport import =
      read(meta(R"(,"source":{"subagent":{"thread_spawn":{"parent_thread_id":"p1","depth":1}}})") +
           message("u1", "user", "search"));
  CHECK(import.sessions[0].session.parent == "p1");
  CHECK(import.sessions[0].session.spawned);
}

TEST_CASE("images of Codex become blobs") {
  const std::string png = "\x89PNG\r\n\x1a\n and so on";
  const test::CollectedImport import =
      read(meta() +
           item(R"("type":"message","role":"user","content":[{"type":"input_text","text":"see"},)"
                R"({"type":"input_image","image_url":"data:image/png;base64,)" +
                base64(png) + "\"}]"));
  CHECK(import.blobs == std::vector<std::string>{png});
  CHECK(import.sessions[0].prompts() == 1);
}

TEST_CASE("damage to a rollout costs the damaged line") {
  std::string bytes = conversation;
  bytes.insert(bytes.find("{\"timestamp\"", 10), "{\"timestamp\":\"bro\n");
  SUBCASE("and is counted") {}
  SUBCASE("with a byte order mark and carriage returns") {
    for (std::size_t at = 0; (at = bytes.find('\n', at)) != std::string::npos; at += 2)
      bytes.insert(at, "\r");
    bytes.insert(0, "\xEF\xBB\xBF");
  }
  SUBCASE("with records glued to each other") {
    bytes.erase(bytes.find('\n', bytes.find("\"m1\"")), 1);
  }
  SUBCASE("without a newline at the end") { bytes.pop_back(); }
  const test::CollectedImport import = read(bytes);
  CHECK(import.sessions[0].path() == read(conversation).sessions[0].path());
  CHECK(import.losses.at("damaged lines") == 1);
}
