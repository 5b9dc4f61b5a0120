#include "core/import/formats.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/text/base.h"
#include "core/text/json.h"
#include "tests/support/collected_import.h"
#include "tests/support/sample_database.h"
#include "tests/support/temp_dir.h"

using namespace skein;
using namespace skein::importers;
using test::CollectedImport;
using test::CollectedSession;
using test::sql_blob;
using test::sql_text;
namespace fs = std::filesystem;

namespace {

std::string head(const std::string& id) {
  return R"({"type":"session","version":3,"id":")" + id +
         R"(","timestamp":"2026-09-01T00:00:00.000Z","cwd":"/work"})";
}

std::string said(const std::string& id, const std::string& parent, const std::string& role,
                 const std::string& text) {
  return R"({"type":"message","id":")" + id + R"(","parentId":)" +
         (parent.empty() ? "null" : "\"" + parent + "\"") +
         R"(,"timestamp":"2026-09-01T00:00:01.000Z","message":{"role":")" + role +
         R"(","content":[{"type":"text","text":")" + text + R"("}]}})";
}

// A database as the program makes it, to be filled.
struct Claw : test::SampleDatabase {
  explicit Claw(const fs::path& file) : SampleDatabase(file) {
    run("CREATE TABLE session_nodes(session_key TEXT PRIMARY KEY, current_session_id TEXT,"
        " entry_json TEXT, created_at INTEGER, parent_session_key TEXT, spawned_by TEXT,"
        " fork_source_session_key TEXT, label TEXT, display_name TEXT);"
        "CREATE TABLE session_windows(session_id TEXT PRIMARY KEY, session_key TEXT,"
        " previous_session_id TEXT, reason TEXT, created_at INTEGER);"
        "CREATE TABLE transcript_events(session_id TEXT, seq INTEGER, event_json TEXT,"
        " event_zstd BLOB, PRIMARY KEY(session_id, seq));"
        "CREATE TABLE session_transcript_cold_archives(session_id TEXT PRIMARY KEY,"
        " archive_name TEXT, storage TEXT, archive_blob BLOB)");
  }
  void node(const std::string& key, const std::string& current, const std::string& more = "") {
    run("INSERT INTO session_nodes(session_key, current_session_id, entry_json, created_at" +
        std::string(more.empty() ? "" : ", ") + more.substr(0, more.find('=')) + ") VALUES(" +
        sql_text(key) + ", " + sql_text(current) + ", '{}', 1788220800000" +
        (more.empty() ? "" : ", " + sql_text(more.substr(more.find('=') + 1))) + ")");
  }
  void window(const std::string& id, const std::string& key, const std::string& previous,
              const std::string& reason, int at) {
    run("INSERT INTO session_windows VALUES(" + sql_text(id) + ", " + sql_text(key) + ", " +
        (previous.empty() ? "NULL" : sql_text(previous)) + ", " +
        (reason.empty() ? "NULL" : sql_text(reason)) + ", " + std::to_string(at) + ")");
  }
  void event(const std::string& window, int seq, const std::string& json) {
    run("INSERT INTO transcript_events VALUES(" + sql_text(window) + ", " + std::to_string(seq) +
        ", " + sql_text(json) + ", NULL)");
  }
  void packed_event(const std::string& window, int seq, const std::string& bytes) {
    run("INSERT INTO transcript_events VALUES(" + sql_text(window) + ", " + std::to_string(seq) +
        ", NULL, " + sql_blob(bytes) + ")");
  }
};

CollectedImport read_claw(const fs::path& file) {
  CollectedImport read = test::collect_file(file.string());
  CHECK(read.faults == std::vector<std::string>{});
  return read;
}

}  // namespace

TEST_CASE("OpenClaw is told from pi") {
  const auto who = [](const std::string& path, const std::string& bytes) {
    const ImportFormat* format = format_of(SourceFile::of_bytes(path, bytes));
    return std::string(format == nullptr ? "nobody" : format->name);
  };
  const std::string plain = head("s") + "\n" + said("a", "", "user", "hi") + "\n";
  CHECK(who("/x/a.jsonl", plain) == "pi");
  CHECK(who("/h/.openclaw/agents/main/sessions/s.jsonl", plain) == "openclaw");
  CHECK(who("/h/.openclaw-work/agents/main/sessions/s.jsonl", plain) == "openclaw");
  CHECK(who("/x/a.jsonl", head("s") + "\n" + said("a", "s", "user", "hi")) == "openclaw");
  CHECK(who("/x/a.jsonl", head("s") + "\n" +
                              R"({"type":"message","id":"a","parentId":null,"timestamp":"t",)"
                              R"("message":{"role":"assistant","provider":"openclaw"}})") ==
        "openclaw");
  CHECK(who("/x/a.jsonl",
            head("s") + "\n" + said("a", "", "user", R"(\"provider\":\"openclaw\")")) == "pi");
  for (const char* name :
       {"s.jsonl.reset.2026-01-01", "s.jsonl.deleted.2026-01-01", "s.checkpoint.1234.jsonl"})
    CHECK(who("/h/.openclaw/agents/main/sessions/" + std::string(name), plain) == "nobody");
}

TEST_CASE("plain and compressed rows are one transcript") {
  const test::TempDir dir;
  {
    Claw claw(dir / "openclaw-agent.sqlite");
    claw.node("agent:main:main", "w1", "label=Chores");
    claw.window("w1", "agent:main:main", "", "initial", 1);
    claw.event("w1", 0, head("w1"));
    claw.event("w1", 1, said("a", "", "user", "it's"));
    claw.packed_event("w1", 2, test::zstd_packed(said("b", "a", "assistant", "packed")));
    claw.event("w1", 10, said("c", "b", "user", "ten"));
    claw.packed_event("w1", 11, "no frame");
  }
  const CollectedImport read = read_claw(dir / "openclaw-agent.sqlite");
  REQUIRE(read.sessions.size() == 1);
  const CollectedSession& session = read.sessions[0];
  CHECK(session.session.id == "agent:main:main");
  CHECK(session.session.title == "Chores");
  CHECK(session.session.cwd == "/work");
  CHECK(session.session.created_at == "2026-09-01T00:00:00.000Z");
  CHECK(session.path() == "user: it's\nassistant: packed\nuser: ten\n");
  CHECK(read.losses == std::map<std::string, int>{{"damaged lines", 1}});
}

TEST_CASE("the windows of a key are one session") {
  const test::TempDir dir;
  {
    Claw claw(dir / "a.sqlite");
    claw.node("agent:main:main", "w3");
    // Against the clock: the order is that of the chain.
    claw.window("w2", "agent:main:main", "w1", "compaction", 1);
    claw.window("w1", "agent:main:main", "", "initial", 2);
    claw.window("w3", "agent:main:main", "w2", "reset", 3);
    claw.event("w1", 0, head("w1"));
    claw.event("w1", 1, said("a", "", "user", "one"));
    claw.event("w1", 2, said("b", "a", "assistant", "first"));
    claw.event("w2", 0, head("w2"));
    claw.event("w2", 1, said("b", "", "assistant", "first"));  // a copy that lost its parent
    claw.event("w2", 2, said("a", "b", "user", "another with an old id"));
    claw.event("w2", 3, said("d", "a", "assistant", "second"));
    claw.event("w3", 0, head("w3"));
    claw.event("w3", 1, said("e", "", "user", "afresh"));
  }
  const CollectedImport read = read_claw(dir / "a.sqlite");
  REQUIRE(read.sessions.size() == 1);
  CollectedSession session = read.sessions[0];
  CHECK(session.path() == "user: afresh\n");
  CHECK(session.leaf == "e");
  session.leaf = "d";
  CHECK(session.path() ==
        "user: one\nassistant: first\nuser: another with an old id\nassistant: second\n");
  CHECK(session.entries[2].id == "w2/a");
  CHECK(read.losses.empty());
}

TEST_CASE("a window without a parent of its own follows the window before") {
  const test::TempDir dir;
  {
    Claw claw(dir / "a.sqlite");
    claw.node("agent:main:main", "w2");
    claw.window("w1", "agent:main:main", "", "initial", 1);
    claw.window("w2", "agent:main:main", "w1", "rollover", 2);
    claw.event("w1", 0, said("a", "", "user", "one"));
    claw.event("w2", 0, said("b", "", "user", "two"));
  }
  CHECK(read_claw(dir / "a.sqlite").sessions.at(0).path() == "user: one\nuser: two\n");
}

TEST_CASE("spawned and forked conversations name the one they came from") {
  const test::TempDir dir;
  {
    Claw claw(dir / "a.sqlite");
    claw.run(
        "CREATE TABLE schema_meta(meta_key TEXT, agent_id TEXT);"
        "INSERT INTO schema_meta VALUES('primary', 'main')");
    claw.node("agent:main:main", "w1");
    claw.node("agent:main:subagent:1", "w2", "spawned_by=agent:main:main");
    claw.node("agent:main:fork", "w3", "fork_source_session_key=agent:main:main");
    claw.node("cron:daily", "w4", "parent_session_key=cron:daily");
    for (const char* window : {"w1", "w2", "w3", "w4"})
      claw.event(window, 0, said("a", "", "user", window));
    claw.event("stray", 0, said("a", "", "user", "stray"));
  }
  const CollectedImport read = read_claw(dir / "a.sqlite");
  std::map<std::string, ForeignSession> sessions;
  for (const CollectedSession& each : read.sessions) {
    sessions[each.session.id] = each.session;
    CHECK(each.prompts() == 1);
  }
  REQUIRE(sessions.size() == 5);
  CHECK(sessions.at("agent:main:main").parent.empty());
  CHECK(sessions.at("agent:main:subagent:1").parent == "agent:main:main");
  CHECK(sessions.at("agent:main:subagent:1").spawned);
  CHECK(sessions.at("agent:main:fork").parent == "agent:main:main");
  CHECK_FALSE(sessions.at("agent:main:fork").spawned);
  CHECK(sessions.at("main:cron:daily").parent.empty());
  CHECK(sessions.contains("main:stray"));
}

TEST_CASE("what was archived is read from where it was put") {
  const test::TempDir dir;
  fs::create_directories(dir / "main/agent");
  fs::create_directories(dir / "main/sessions/cold");
  const auto archive = [](const std::string& text) {
    const Json event{{"kind", "event"},
                     {"row", {{"seq", 0}, {"event_json", said("a", "", "user", text)}}}};
    return test::zstd_packed(R"({"kind":"header","version":1})"
                             "\n" +
                             dump(event) +
                             "\n"
                             R"({"kind":"index","row":{"leaf_event_id":"a"}})");
  };
  const std::string name = std::string(64, 'a') + ".jsonl.zst";
  test::write_file(dir / "main/sessions/cold" / name, archive("from a file"));
  test::write_file(dir / "secret.jsonl.zst", archive("from elsewhere"));
  {
    Claw claw(dir / "main/agent/openclaw-agent.sqlite");
    const auto cold = [&](const std::string& id, const std::string& file, const std::string& blob) {
      claw.node("agent:main:" + id, id);
      claw.run("INSERT INTO session_transcript_cold_archives VALUES(" + sql_text(id) + ", " +
               sql_text(file) + ", 'x', " + blob + ")");
    };
    cold("w1", name, "NULL");
    cold("w2", "x", sql_blob(archive("from a row")));
    cold("w3", "../../../secret.jsonl.zst", "NULL");
    cold("w4", std::string(64, 'b') + ".jsonl.zst", "NULL");
  }
  const CollectedImport read = read_claw(dir / "main/agent/openclaw-agent.sqlite");
  std::string all;
  for (const CollectedSession& each : read.sessions) all += each.session.id + ": " + each.path();
  CHECK(all ==
        "agent:main:w1: user: from a file\nagent:main:w2: user: from a row\n"
        "agent:main:w3: agent:main:w4: ");
  CHECK(read.losses.at("archived transcripts that cannot be read") == 2);
}

TEST_CASE("a database of another shape is refused, one with fewer columns is read") {
  const test::TempDir dir;
  test::SampleDatabase(dir / "openclaw-agent.sqlite").run("CREATE TABLE t(a)");
  CHECK_THROWS_AS(test::collect_file((dir / "openclaw-agent.sqlite").string()), Error);
  test::SampleDatabase(dir / "b.sqlite")
      .run(
          "CREATE TABLE transcript_events(session_id TEXT, seq INTEGER, event_json TEXT);"
          "INSERT INTO transcript_events VALUES('w', 1, " +
          sql_text(said("a", "", "user", "old")) + ")");
  const CollectedImport read = read_claw(dir / "b.sqlite");
  REQUIRE(read.sessions.size() == 1);
  CHECK(read.sessions[0].session.id == "w");
  CHECK(read.sessions[0].path() == "user: old\n");
}

TEST_CASE("windows in a circle, and rows of other types, do no harm") {
  const test::TempDir dir;
  {
    Claw claw(dir / "a.sqlite");
    claw.node("k", "w1");
    claw.window("w1", "k", "w2", "rewind", 1);
    claw.window("w2", "k", "w1", "rewind", 2);
    claw.window("w3", "k", "w3", "rewind", 3);
    claw.run(
        "INSERT INTO session_nodes VALUES(x'00', 5, 7, 'x', 1, 2, 3, 4, 5);"
        "INSERT INTO transcript_events VALUES('w1', 'no number', 17, 18)");
    claw.event("w2", 0, said("a", "", "user", "two"));
    claw.event("w1", 1, said("b", "", "user", "one"));
  }
  CHECK(read_claw(dir / "a.sqlite").sessions.at(0).prompts() == 2);
}

TEST_CASE("older versions have files, and an index that knows their names") {
  const test::TempDir dir;
  const fs::path folder = dir / ".openclaw/agents/main/sessions";
  fs::create_directories(folder);
  test::write_file(folder / "s1.jsonl", head("s1") + "\n" + said("a", "s1", "user", "one") + "\n" +
                                            R"({"type":"message","id":"b","parentId":"a",)"
                                            R"("timestamp":"t","message":{"role":"assistant",)"
                                            R"("content":[{"type":"toolCall","id":"call","name":)"
                                            R"("exec","arguments":{}}]}})"
                                            "\n"
                                            R"({"type":"message","id":"c","parentId":"call",)"
                                            R"("timestamp":"t","message":{"role":"toolResult",)"
                                            R"("toolCallId":"call","content":"plain"}})");
  test::write_file(folder / "s2.jsonl", head("s2") + "\n" + said("a", "", "user", "two"));
  test::write_file(folder / "sessions.json",
                   R"({"agent:main:main":{"sessionId":"s1","label":"Main"},)"
                   R"("agent:main:subagent:x":{"sessionId":"s2","spawnedBy":"agent:main:main"},)"
                   R"("gone":{"sessionId":"s3"},"evil":{"sessionId":"../../x"},"odd":5})");
  const CollectedImport one = read_claw(folder / "s1.jsonl");
  REQUIRE(one.sessions.size() == 1);
  CHECK(one.sessions[0].session.title == "Main");
  CHECK(one.sessions[0].path() == "user: one\nassistant:  [exec]\ntool: plain\n");
  const CollectedImport two = read_claw(folder / "s2.jsonl");
  CHECK(two.sessions.at(0).session.parent == "s1");
  CHECK(two.sessions.at(0).session.spawned);
  const CollectedImport all = test::collect_file((folder / "sessions.json").string(), "openclaw");
  CHECK(all.faults.empty());
  CHECK(all.sessions.size() == 2);
  CHECK(all.losses.at("sessions whose file is gone") == 2);
}
