#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <optional>
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

const std::string session = "11111111-2222-4333-8444-555555555555";
const std::string file = "/nowhere/" + session + ".jsonl";

std::string quoted(const std::string& id) { return id.empty() ? "null" : "\"" + id + "\""; }

// A line of the conversation; `rest` are the members that make it what it is.
std::string line(const std::string& id, const std::string& parent, const std::string& rest) {
  return R"({"parentUuid":)" + quoted(parent) + R"(,"isSidechain":false,"sessionId":")" + session +
         R"(","cwd":"/work","version":"2.1.0","timestamp":"2026-03-04T05:06:07.000Z","uuid":")" +
         id + "\"," + rest + "}\n";
}
std::string user(const std::string& id, const std::string& parent, const std::string& text,
                 const std::string& more = {}) {
  return line(
      id, parent,
      more + R"("type":"user","message":{"role":"user","content":)" + json_string(text) + "}");
}
std::string answer(const std::string& id, const std::string& parent, const std::string& message,
                   const std::string& blocks, const std::string& stop = "null",
                   int output_tokens = 1, const std::string& more = {}) {
  return line(id, parent,
              more + R"("type":"assistant","requestId":"req_)" + message +
                  R"(","message":{"id":")" + message +
                  R"(","role":"assistant","model":"claude-opus-5","content":[)" + blocks +
                  R"(],"stop_reason":)" + stop +
                  R"(,"usage":{"input_tokens":3,"cache_read_input_tokens":20,)"
                  R"("cache_creation_input_tokens":7,"output_tokens":)" +
                  std::to_string(output_tokens) + "}}");
}
std::string text(const std::string& words) {
  return R"({"type":"text","text":)" + json_string(words) + "}";
}
std::string call(const std::string& id) {
  return R"({"type":"tool_use","id":")" + id + R"(","name":"Bash","input":{"command":"ls"}})";
}
std::string result(const std::string& id, const std::string& parent, const std::string& of,
                   const std::string& output, bool failed = false) {
  return line(id, parent,
              R"("type":"user","toolUseResult":{"stdout":"x"},"message":{"role":"user","content":[)"
              R"({"type":"tool_result","tool_use_id":")" +
                  of + R"(","content":)" + json_string(output) +
                  (failed ? ",\"is_error\":true" : "") + "}]}");
}

test::CollectedImport read(const std::string& bytes, const std::string& path = file) {
  test::CollectedImport import = test::collect_bytes(path, bytes, "claude-code");
  for (const std::string& fault : import.faults) FAIL_CHECK(fault);
  return import;
}
test::CollectedImport read_growing(const std::string& bytes) {
  test::CollectedImport import;
  importers::format_named("claude-code")
      ->read(importers::SourceFile::of_bytes(file, bytes), {.growing = true}, import);
  return import;
}

// A prompt, two calls at once with their results between the lines, and the end.
const std::string conversation =
    user("u1", "", "list them") + answer("a1", "u1", "m1", text("I look")) +
    answer("a2", "a1", "m1", call("c1")) + result("r1", "a2", "c1", "one") +
    answer("a3", "a2", "m1", call("c2"), "\"tool_use\"", 9) +
    result("r2", "a3", "c2", "two", true) + answer("a4", "r2", "m2", text("done"), "\"end_turn\"");

void write(const fs::path& path, const std::string& bytes) {
  fs::create_directories(path.parent_path());
  test::write_file(path, bytes);
}

}  // namespace

TEST_CASE("lines of one message of Claude's are one entry, and so are the results of its calls") {
  const test::CollectedImport import = read(conversation);
  REQUIRE(import.sessions.size() == 1);
  const test::CollectedSession& only = import.sessions.front();
  CHECK(only.session.id == session);
  CHECK(only.session.cwd == "/work");
  CHECK(only.entries.size() == 4);
  CHECK(only.path() ==
        "user: list them\nassistant: I look [Bash] [Bash]\ntool: onetwo\n"
        "assistant: done\n");
  // What follows a part of an entry follows the entry.
  CHECK(test::entry_in(only, "r1").parent == "a1");
  CHECK(test::entry_in(only, "a4").parent == "r1");
  const model::Message& first = test::message_in(only, "a1");
  CHECK(first.provider == "anthropic");
  CHECK(first.model == "claude-opus-5");
  CHECK(first.stop == model::Stop::tool_use);
  // Once, as the last line has it.
  CHECK(first.usage == model::Usage{.input = 3, .output = 9, .cache_read = 20, .cache_write = 7});
  CHECK(test::message_in(only, "a4").stop == model::Stop::stop);
  const auto& results = test::message_in(only, "r1");
  CHECK(results.role == model::Role::tool);
  CHECK(std::get<model::ToolResult>(results.content[1]).is_error);
  CHECK(test::entry_in(only, "a1").time == "2026-03-04T05:06:07.000Z");
  CHECK(test::entry_in(only, "a1").raw.empty());
  CHECK(import.losses.empty());
}

TEST_CASE("what is cut off later has the same ids, except what was unfinished") {
  const std::string whole = conversation + user("u2", "a4", "/clear", "\"isMeta\":false,") +
                            user("u3", "u2", "<command-name>/cost</command-name>") +
                            user("u4", "u3", "<local-command-stdout>3</local-command-stdout>") +
                            answer("a5", "u4", "m3", text("half"));
  const std::set<std::string> all = test::ids_of(read(whole));
  CHECK(test::ids_of(read(whole)) == all);
  for (std::size_t end = whole.find('\n'); end != std::string::npos;
       end = whole.find('\n', end + 1)) {
    for (const std::string& id : test::ids_of(read(whole.substr(0, end + 1))))
      if (id.find('+') == std::string::npos) CHECK_MESSAGE(all.contains(id), id);
    for (const std::string& id : test::ids_of(read_growing(whole.substr(0, end + 1))))
      CHECK_MESSAGE(all.contains(id), id);
  }
  CHECK(all.contains(session + " a5+1"));
  CHECK(!test::ids_of(read_growing(whole)).contains(session + " a5+1"));
}

TEST_CASE("an answer without an end is given under an id of its own, or left for the next time") {
  const std::string begun = user("u1", "", "go") + answer("a1", "u1", "m1", text("so f")) +
                            answer("a2", "a1", "m1", text("ar"));
  const test::CollectedImport import = read(begun);
  CHECK(test::message_in(import.sessions[0], "a1+2").stop == model::Stop::stop);
  CHECK(read_growing(begun).sessions[0].answers() == 0);
  CHECK(test::message_in(read(begun + user("u2", "a2", "and?")).sessions[0], "a1").stop ==
        model::Stop::stop);
}

TEST_CASE("the signature of thinking stays where it was written") {
  const test::CollectedImport import =
      read(user("u1", "", "think") +
           answer("a1", "u1", "m1", R"({"type":"thinking","thinking":"hm","signature":"SEALED"})") +
           answer("a2", "a1", "m1", R"({"type":"redacted_thinking","data":"HIDDEN"})") +
           answer("a3", "a2", "m1", text("so"), "\"end_turn\""));
  const test::CollectedSession& only = import.sessions[0];
  const model::Message& said = test::message_in(only, "a1");
  REQUIRE(said.content.size() == 2);
  CHECK(std::get<model::Thinking>(said.content[0]) == model::Thinking{.thinking = "hm"});
  const JsonText& raw = test::entry_in(only, "a1").raw;
  CHECK(parse_json(raw));
  CHECK(raw.find("SEALED") != std::string::npos);
  CHECK(raw.find("HIDDEN") != std::string::npos);
  CHECK(raw.find("end_turn") == std::string::npos);
}

TEST_CASE("what the user did not type is context") {
  const test::CollectedImport import = read(
      user("u1", "", "<system-reminder>be good</system-reminder>") +
      user("u2", "u1", "expanded", "\"isMeta\":true,") +
      user("u3", "u2", "<bash-stdout>x</bash-stdout>") +
      user("u4", "u3", "[Request interrupted by user]") +
      line("u5", "u4",
           R"("type":"attachment","attachment":{"type":"nested_memory","content":"memory"})") +
      line("u6", "u5",
           R"("type":"attachment","attachment":{"type":"queued_command","commandMode":"prompt",)"
           R"("prompt":"and this too"})") +
      line("u7", "u6",
           R"("type":"user","message":{"role":"user","content":[)" +
               text("<ide_opened_file>a.cpp</ide_opened_file>") + "," + text("what is it?") +
               "]}"));
  const test::CollectedSession& only = import.sessions[0];
  CHECK(only.contexts() == 6);
  CHECK(only.path() == "user: and this too\nuser: what is it?\n");
  CHECK(test::entry_in(only, "u6").parent.empty());  // nothing follows a context
  const auto& memory = std::get<importers::ForeignContext>(test::entry_in(only, "u5").content);
  CHECK(memory.label == "nested_memory");
  CHECK(memory.text == "memory");
}

TEST_CASE("reports of background tasks and of other agents are part of the conversation") {
  const std::string report =
      "<task-notification>\n<task-id>a1</task-id>\n<result>42</result>\n</task-notification>";
  const test::CollectedImport import = read(
      user("u1", "", "look into it") + answer("a1", "u1", "m1", text("it runs"), "\"end_turn\"") +
      user("u2", "a1", report,
           R"("origin":{"kind":"task-notification"},"promptSource":"system",)") +
      answer("a2", "u2", "m2", text("it is 42"), "\"end_turn\"") +
      user("u3", "a2", "<teammate-message teammate_id=\"b\">done</teammate-message>",
           "\"isMeta\":true,") +
      line("u4", "u3",
           R"("type":"attachment","attachment":{"type":"queued_command","isMeta":true,)"
           R"("commandMode":"task-notification","prompt":)" +
               json_string(report) + "}"));
  CHECK(import.sessions[0].contexts() == 0);
  CHECK(import.sessions[0].path() == "user: look into it\nassistant: it runs\nuser: " + report +
                                         "\nassistant: it is 42\nuser: "
                                         "<teammate-message teammate_id=\"b\">done"
                                         "</teammate-message>\nuser: " +
                                         report + "\n");
}

TEST_CASE("records that the program writes for itself are no loss, and unknown ones are") {
  std::string lines = conversation;
  for (const char* type : {"api-request", "api-request-blob", "api-request-shape", "cost-state",
                           "tools-used", "mode", "last-prompt", "queue-operation"})
    lines += R"({"type":")" + std::string(type) + R"(","sessionId":")" + session + "\"}\n";
  CHECK(read(lines).losses.empty());
  const test::CollectedImport unknown = read(lines + R"({"type":"not-heard-of"})" + "\n");
  CHECK(unknown.losses.at("records of an unknown kind") == 1);
}

TEST_CASE("a command is a prompt unless the program carried it out itself") {
  const std::string command =
      "<command-message>review is running</command-message>\n<command-name>/review</command-name>"
      "<command-args>core</command-args>";
  const test::CollectedImport import =
      read(user("u1", "", command) + user("u2", "u1", "Review it all.", "\"isMeta\":true,") +
           answer("a1", "u2", "m1", text("fine"), "\"end_turn\"") +
           user("u3", "a1", "<command-name>/model</command-name>") +
           user("u4", "u3", "<local-command-stdout>opus</local-command-stdout>"));
  CHECK(import.sessions[0].prompts() == 1);
  CHECK(import.sessions[0].contexts() == 3);
  CHECK(import.sessions[0].path() == "user: /review core\nassistant: fine\n");
}

TEST_CASE("a compaction is one entry, and keeps what it says it kept") {
  const std::string before = conversation + user("u2", "a4", "more") +
                             answer("a5", "u2", "m3", text("ok"), "\"end_turn\"");
  const std::string boundary =
      R"("type":"system","subtype":"compact_boundary","logicalParentUuid":"a5","content":"…",)"
      R"("compactMetadata":{"trigger":"auto","preTokens":1234,)"
      R"("preservedMessages":{"anchorUuid":"s1","uuids":["r2","u2","a5"]}})";
  const test::CollectedImport import =
      read(before + line("b1", "", boundary) +
           user("s1", "b1", "The story so far.", "\"isCompactSummary\":true,") +
           user("u3", "s1", "go on"));
  const test::CollectedSession& only = import.sessions[0];
  const auto& payload = std::get<model::Payload>(test::entry_in(only, "b1").content);
  const auto& compaction = std::get<model::payload::CompactionSummary>(payload);
  CHECK(compaction.summary == "The story so far.");
  CHECK(compaction.tokens_before == 1234);
  // Not the results alone: they need the calls before them.
  CHECK(compaction.first_kept == importers::entry_id("claude-code", session, "a1"));
  CHECK(test::entry_in(only, "b1").parent == "a5");
  CHECK(test::entry_in(only, "u3").parent == "b1");
  CHECK(only.prompts() == 3);
}

TEST_CASE("a compaction without a boundary is one, too, and none takes another's summary") {
  const test::CollectedImport import =
      read(line("b1", "", R"("type":"system","subtype":"compact_boundary")") +
           user("u1", "b1", "go on") +
           user("s1", "u1", "The story so far.", "\"isCompactSummary\":true,"));
  const auto summary = [&](const std::string& id) {
    return std::get<model::payload::CompactionSummary>(
               std::get<model::Payload>(test::entry_in(import.sessions[0], id).content))
        .summary;
  };
  CHECK(summary("b1").empty());
  CHECK(summary("s1") == "The story so far.");
}

TEST_CASE("errors and what the program said itself are no answers of the model") {
  const std::string synthetic =
      R"("type":"assistant","message":{"id":"x%","model":"<synthetic>","role":"assistant",)"
      R"("stop_reason":"stop_sequence","content":[{"type":"text","text":"%"}]})";
  const auto said = [&](const std::string& words) {
    std::string out = synthetic;
    for (std::size_t at; (at = out.find('%')) != std::string::npos;) out.replace(at, 1, words);
    return out;
  };
  const test::CollectedImport import =
      read(user("u1", "", "go") + line("e1", "u1", "\"isApiErrorMessage\":true," + said("busy")) +
           line("e2", "e1", said("nothing")));
  const test::CollectedSession& only = import.sessions[0];
  const model::Message& failed = test::message_in(only, "e1");
  CHECK(failed.stop == model::Stop::error);
  CHECK(failed.error == "busy");
  CHECK(failed.model.empty());
  CHECK(std::get<importers::ForeignContext>(test::entry_in(only, "e2").content).text == "nothing");
}

TEST_CASE("a title that was given counts more than one that was made") {
  const std::string made = R"({"type":"ai-title","aiTitle":"made","sessionId":"x"})"
                           "\n";
  const std::string given = R"({"type":"custom-title","customTitle":"given","sessionId":"x"})"
                            "\n";
  const std::string summary = R"({"type":"summary","summary":"summed up","leafUuid":"%"})"
                              "\n";
  const auto of = [&](const std::string& leaf) {
    return std::string(summary).replace(summary.find('%'), 1, leaf);
  };
  CHECK(read(conversation).sessions[0].session.title.empty());
  CHECK(read(of("a4") + conversation).sessions[0].session.title == "summed up");
  CHECK(read(of("elsewhere") + conversation).sessions[0].session.title.empty());
  CHECK(read(of("a4") + made + conversation).sessions[0].session.title == "made");
  CHECK(read(given + conversation + made).sessions[0].session.title == "given");
}

TEST_CASE("images become blobs") {
  const std::string png = "\x89PNG\r\n\x1a\n and so on";
  const std::string image = R"({"type":"image","source":{"type":"base64","media_type":"image/png",)"
                            R"("data":")" +
                            base64(png) + "\"}}";
  const test::CollectedImport import =
      read(line("u1", "",
                R"("type":"user","message":{"role":"user","content":[)" + image + "," +
                    text("what is this?") + "]}"));
  REQUIRE(import.blobs.size() == 1);
  CHECK(import.blobs[0] == png);
  const model::Message& prompt = test::message_in(import.sessions[0], "u1");
  CHECK(std::get<model::Image>(prompt.content[0]) ==
        model::Image{.mime_type = "image/png", .blob = "blob-1"});
  CHECK(test::entry_in(import.sessions[0], "u1").raw.empty());
}

TEST_CASE("an older version's sub-agent between the lines is a session of its own") {
  const auto side = [](std::string of_main) {
    of_main.replace(of_main.find("\"isSidechain\":false"), 19, "\"isSidechain\":true");
    return of_main;
  };
  const test::CollectedImport import = read(
      user("u1", "", "delegate") + answer("a1", "u1", "m1", call("c1"), "\"tool_use\"") +
      side(user("s1", "", "search")) +
      side(answer("s2", "s1", "m2", text("found"), "\"end_turn\"")) +
      result("r1", "a1", "c1", "found") + answer("a2", "r1", "m3", text("there"), "\"end_turn\""));
  REQUIRE(import.sessions.size() == 2);
  CHECK(import.sessions[0].path() ==
        "user: delegate\nassistant:  [Bash]\ntool: found\nassistant: there\n");
  CHECK(import.sessions[1].path() == "user: search\nassistant: found\n");
  CHECK(import.sessions[1].session.id == session + "/s1");
  CHECK(import.sessions[1].session.parent == session);
  CHECK(import.sessions[1].session.spawned);
}

TEST_CASE("sub-agents and long outputs are found beside the session, and nothing else is") {
  const test::TempDir folder;
  const fs::path root(folder.path());
  const std::string spilled =
      "<persisted-output>\nOutput too large (60KB). Full output saved to: /x/tool-results/";
  const std::string main =
      user("u1", "", "go") +
      answer("a1", "u1", "m1", call("c1") + "," + call("c2") + "," + call("c3"), "\"tool_use\"") +
      result("r1", "a1", "c1", spilled + "long1.txt\n\nPreview: be") +
      result("r2", "a1", "c2", spilled + "link.txt\n") +
      result("r3", "a1", "c3", spilled + "../../secret.txt\n") + user("u2", "r3", "well?");
  write(root / (session + ".jsonl"), main);
  write(root / session / "tool-results" / "long1.txt", "beginning and end");
  write(root / "secret.txt", "secret");
  fs::create_symlink(root / "secret.txt", root / session / "tool-results" / "link.txt");
  std::string agent = user("s1", "", "search");
  agent.replace(agent.find("\"isSidechain\":false"), 19, "\"isSidechain\":true");
  write(root / session / "subagents" / "workflows" / "w1" / "agent-abc.jsonl", agent);
  write(root / session / "subagents" / "workflows" / "w1" / "journal.jsonl", agent);
  write(root / session / "subagents" / "workflows" / "w1" / "agent-abc.meta.json",
        R"({"description":"look around"})");

  const test::CollectedImport import =
      test::collect_file((root / (session + ".jsonl")).string(), "claude-code");
  CHECK(import.blobs == std::vector<std::string>{"beginning and end"});
  CHECK(import.losses.at("long tool results that are no longer there") == 1);
  const auto& first =
      std::get<model::ToolResult>(test::message_in(import.sessions[0], "r1").content[0]);
  CHECK(first.blob == "blob-1");
  REQUIRE(import.sessions.size() == 2);
  CHECK(import.sessions[1].session.id == session + "/agent-abc");
  CHECK(import.sessions[1].session.parent == session);
  CHECK(import.sessions[1].session.title == "look around");
  CHECK(import.sessions[1].session.spawned);
  // The same by itself.
  const test::CollectedImport alone = test::collect_file(
      (root / session / "subagents" / "workflows" / "w1" / "agent-abc.jsonl").string());
  REQUIRE(alone.sessions.size() == 1);
  CHECK(alone.sessions[0].session.id == import.sessions[1].session.id);
}

TEST_CASE("damage costs the damaged line") {
  std::string bytes = "\xEF\xBB\xBF" + conversation;
  bytes.insert(bytes.find("{\"parentUuid\":\"a1\""), "{\"type\":\"user\",\"broken\n");
  SUBCASE("and is counted") {}
  SUBCASE("with carriage returns") {
    for (std::size_t at = 0; (at = bytes.find('\n', at)) != std::string::npos; at += 2)
      bytes.insert(at, "\r");
  }
  SUBCASE("with records glued to each other") {
    bytes.erase(bytes.find('\n', bytes.find("\"r1\"")), 1);
  }
  SUBCASE("without a newline at the end") { bytes.pop_back(); }
  const test::CollectedImport import = read(bytes);
  CHECK(import.sessions[0].path() == read(conversation).sessions[0].path());
  CHECK(import.losses.at("damaged lines") == 1);
}

TEST_CASE("a last line that is not whole yet is no damage while the program writes") {
  const std::string torn = conversation + "{\"type\":\"user\",\"mess";
  CHECK(read(torn).losses.at("damaged lines") == 1);
  CHECK(read_growing(torn).losses.empty());
}

TEST_CASE("circles, repeated ids and parents that are not there do no harm") {
  const test::CollectedImport circle =
      read(user("u1", "u3", "one") + user("u2", "u1", "two") + user("u3", "u2", "three") +
           user("u4", "u4", "four") + user("u5", "gone", "five") + user("u5", "u4", "other") +
           user("u5", "u4", "five"));
  CHECK(circle.sessions[0].prompts() == 6);
  CHECK(test::entry_in(circle.sessions[0], "u5#2").parent == "u4");
  const test::CollectedImport backward = read(user("u2", "u1", "two") + user("u1", "", "one"));
  CHECK(backward.sessions[0].entries.front().id == "u1");
}

TEST_CASE("a rewind is a branch, and the session stands at its end") {
  const test::CollectedImport import =
      read(conversation + user("u2", "a4", "left behind") + user("u3", "u1", "another way"));
  CHECK(import.sessions[0].leaf == "u3");
  CHECK(import.sessions[0].path() == "user: list them\nuser: another way\n");
  CHECK(test::entry_in(import.sessions[0], "u2").parent == "a4");
}

TEST_CASE("Claude Code's files are recognized by what is in them, and looked for at home") {
  const importers::ImportFormat* const format = importers::format_named("claude-code");
  const auto recognized = [&](const std::string& bytes) {
    return format->recognizes(importers::SourceFile::of_bytes("x", bytes));
  };
  CHECK(recognized(conversation));
  CHECK(recognized(R"({"type":"summary","summary":"x","leafUuid":"y"})"));
  CHECK(!recognized(R"({"type":"session","version":3,"id":"x"})"));
  CHECK(!recognized(""));
}
