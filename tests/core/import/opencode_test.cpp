#include "core/import/formats.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/text/base.h"
#include "tests/support/collected_import.h"
#include "tests/support/sample_database.h"
#include "tests/support/temp_dir.h"

using namespace skein;
using namespace skein::importers;
using test::CollectedImport;
using test::CollectedSession;
using test::sql_text;
namespace fs = std::filesystem;

namespace {

// A database as the program makes it; messages and parts are in it in the order they are added.
struct Code : test::SampleDatabase {
  explicit Code(const fs::path& file) : SampleDatabase(file) {
    run("CREATE TABLE `session`(`id` text PRIMARY KEY, `parent_id` text, `directory` text,"
        " `title` text, `revert` text, `time_created` integer);"
        "CREATE TABLE `message`(`id` text PRIMARY KEY, `session_id` text, `time_created` integer,"
        " `data` text);"
        "CREATE TABLE `part`(`id` text PRIMARY KEY, `message_id` text, `session_id` text,"
        " `data` text);"
        "CREATE TABLE `session_message`(`id` text PRIMARY KEY, `session_id` text, `type` text,"
        " `seq` integer, `time_created` integer, `data` text)");
  }
  void session(const std::string& id, const std::string& parent = "",
               const std::string& title = "Title", const std::string& revert = "") {
    const auto or_null = [](const std::string& text) {
      return text.empty() ? std::string("NULL") : sql_text(text);
    };
    run("INSERT INTO session VALUES(" + sql_text(id) + ", " + or_null(parent) + ", '/w', " +
        sql_text(title) + ", " + or_null(revert) + ", 1780000000000)");
  }
  void message(const std::string& id, const std::string& data, const std::string& session = "s") {
    run("INSERT INTO message VALUES(" + sql_text(id) + ", " + sql_text(session) + ", " +
        std::to_string(1780000000000 + ++count_) + ", " + sql_text(data) + ")");
  }
  void part(const std::string& message, const std::string& data) {
    run("INSERT INTO part VALUES('prt_" + std::to_string(1000 + ++count_) + "', " +
        sql_text(message) + ", 's', " + sql_text(data) + ")");
  }
  void user(const std::string& id, const std::string& text, const std::string& session = "s") {
    message(id, R"({"role":"user"})", session);
    part(id, R"({"type":"text","text":")" + text + R"("})");
  }
  void answer(const std::string& id, const std::string& text) {
    message(id, done());
    part(id, R"({"type":"text","text":")" + text + R"("})");
    part(id, step("stop"));
  }
  void second(const std::string& id, const std::string& type, const std::string& data) {
    run("INSERT INTO session_message VALUES(" + sql_text(id) + ", 's', " + sql_text(type) + ", " +
        std::to_string(++count_) + ", 1780000000000, " + sql_text(data) + ")");
  }
  static std::string done(const std::string& more = "") {
    return R"({"role":"assistant","providerID":"acme","modelID":"m1","finish":"stop",)"
           R"("time":{"created":1,"completed":2})" +
           more + "}";
  }
  static std::string step(const std::string& reason) {
    return R"({"type":"step-finish","reason":")" + reason +
           R"(","tokens":{"total":17,"input":3,"output":4,"reasoning":1,)"
           R"("cache":{"read":4,"write":5}}})";
  }
  static std::string tool(const std::string& id, const std::string& state) {
    return R"({"type":"tool","callID":")" + id + R"(","tool":"bash","state":)" + state + "}";
  }

 private:
  int count_ = 0;
};

struct Made {
  test::TempDir dir{};
  fs::path file = dir / "opencode.db";
};

CollectedImport read_code(const fs::path& file) {
  CollectedImport read = test::collect_file(file.string());
  CHECK(read.faults == std::vector<std::string>{});
  return read;
}

const model::Message& message(const CollectedSession& session, const std::string& id) {
  for (const ForeignEntry& each : session.entries)
    if (each.id == id) {
      REQUIRE(std::holds_alternative<model::Message>(each.content));
      return std::get<model::Message>(each.content);
    }
  FAIL("no entry " << id);
  return std::get<model::Message>(session.entries.front().content);
}

template <class Kind>
const Kind* payload(const CollectedSession& session, const std::string& id) {
  for (const ForeignEntry& each : session.entries)
    if (each.id == id)
      if (const auto* found = std::get_if<model::Payload>(&each.content))
        return std::get_if<Kind>(found);
  return nullptr;
}

std::vector<std::string> ids(const CollectedSession& session) {
  std::vector<std::string> out;
  for (const ForeignEntry& each : session.entries) out.push_back(each.id);
  return out;
}

}  // namespace

TEST_CASE("a message of opencode is as many calls of the model as it has steps") {
  const Made made;
  {
    Code code(made.file);
    code.session("s");
    code.user("m1", "list");
    code.message("m2", Code::done());
    code.part("m2", R"({"type":"step-start"})");
    code.part("m2", R"({"type":"reasoning","text":"hm","metadata":{"acme":{"signature":"SEAL"}}})");
    code.part("m2", R"({"type":"text","text":"Looking."})");
    code.part("m2", Code::tool("c1", R"({"status":"completed","input":{"command":"ls"},)"
                                     R"("output":"a.txt","metadata":{"exit":0}})"));
    code.part("m2", Code::tool("c2", R"({"status":"completed","input":{},"output":"no",)"
                                     R"("metadata":{"exit":2}})"));
    code.part("m2", Code::tool("c3", R"({"status":"error","input":{},"error":"denied"})"));
    code.part("m2", Code::step("tool-calls"));
    code.part("m2", R"({"type":"patch","files":[]})");
    code.part("m2", R"({"type":"step-start"})");
    code.part("m2", R"({"type":"text","text":"Done."})");
    code.part("m2", Code::step("stop"));
    code.user("m3", "thanks");
  }
  const CollectedImport read = read_code(made.file);
  REQUIRE(read.sessions.size() == 1);
  const CollectedSession& session = read.sessions[0];
  CHECK(session.session.id == "s");
  CHECK(session.session.cwd == "/w");
  CHECK(session.session.title == "Title");
  CHECK(session.session.created_at == utc_from_ms(1780000000000));
  CHECK(ids(session) == std::vector<std::string>{"m1", "m2", "m2/results", "m2/2", "m3"});
  CHECK(session.path() ==
        "user: list\nassistant: Looking. [bash] [bash] [bash]\ntool: a.txtnodenied\n"
        "assistant: Done.\nuser: thanks\n");
  CHECK(session.failures() == 2);
  const model::Message& first = message(session, "m2");
  CHECK(first.stop == model::Stop::tool_use);
  CHECK(first.provider == "acme");
  CHECK(first.model == "m1");
  // Reasoning was counted beside the output, as the total tells.
  CHECK(first.usage ==
        model::Usage{.input = 3, .output = 5, .cache_read = 4, .cache_write = 5, .reasoning = 1});
  CHECK(std::get<model::Thinking>(first.content[0]) == model::Thinking{.thinking = "hm"});
  CHECK(session.entries[1].raw.find("SEAL") != std::string::npos);
  CHECK(session.entries[3].raw.empty());
  CHECK(message(session, "m2/2").stop == model::Stop::stop);
  CHECK(read.losses == std::map<std::string, int>{{"file snapshots", 1}});
}

TEST_CASE("what the user of opencode did not type is context") {
  const Made made;
  {
    Code code(made.file);
    code.session("s");
    code.message("m1", R"({"role":"user","system":"Be brief."})");
    code.part("m1", R"({"type":"text","text":"look at this"})");
    code.part("m1", R"({"type":"text","text":"<file>...</file>","synthetic":true})");
    code.part("m1", R"({"type":"text","text":"only shown","ignored":true})");
    code.part("m1",
              R"({"type":"file","mime":"image/png","url":"data:image/png;base64,iVBORw0KGgo="})");
    code.part("m1", R"({"type":"file","mime":"text/plain","url":"file:///etc/passwd"})");
  }
  const CollectedImport read = read_code(made.file);
  const CollectedSession& session = read.sessions.at(0);
  CHECK(session.prompts() == 1);
  CHECK(session.contexts() == 3);
  CHECK(plain_text(message(session, "m1")) == "look at this");
  CHECK(std::get<model::Image>(message(session, "m1").content[1]).blob == "blob-1");
  CHECK(read.losses.at("attached files") == 1);
}

TEST_CASE("a prompt of opencode whose parts are lost is what it was summed up to") {
  const Made made;
  {
    Code code(made.file);
    code.session("s");
    code.message("m1", R"({"role":"user","summary":{"title":"T","body":"Open it"}})");
    code.message("m2", R"({"role":"user","summary":{"title":"T","body":"not this"}})");
    code.part("m2", R"({"type":"text","text":"typed"})");
  }
  CHECK(read_code(made.file).sessions.at(0).path() == "user: Open it\nuser: typed\n");
}

TEST_CASE("going back in opencode is a branch") {
  const auto leaf = [](const std::string& revert) {
    const Made made;
    {
      Code code(made.file);
      code.session("s", "", "Title", revert);
      code.user("m1", "one");
      code.answer("m2", "first");
      code.user("m3", "two");
      code.message("m4", Code::done());
      code.part("m4", Code::tool("c", R"({"status":"completed","output":"x"})"));
      code.part("m4", Code::step("tool-calls"));
      code.part("m4", R"({"type":"text","text":"second"})");
    }
    const CollectedImport read = read_code(made.file);
    CHECK(read.sessions.at(0).entries.size() == 6);
    return read.sessions.at(0).leaf;
  };
  CHECK(leaf("") == "m4/2");
  CHECK(leaf(R"({"messageID":"m3"})") == "m2");
  CHECK(leaf(R"({"messageID":"m3","partID":"prt_1006"})") == "m2");
  CHECK(leaf(R"({"messageID":"m4","partID":"prt_1011"})") == "m4/results");
  CHECK(leaf(R"({"messageID":"m4","partID":"prt_1008"})") == "m3");
  CHECK(leaf(R"({"messageID":"unknown"})") == "m4/2");
}

TEST_CASE("a summary of opencode is a compaction") {
  const Made made;
  {
    Code code(made.file);
    code.session("s");
    code.user("m1", "one");
    code.answer("m2", "first");
    code.user("m3", "two");
    code.answer("m4", "second");
    code.message("m5", R"({"role":"user"})");
    code.part("m5", R"({"type":"compaction","auto":true,"tail_start_id":"m3"})");
    code.message("m6", Code::done(R"(,"summary":true)"));
    code.part("m6", R"({"type":"text","text":"So far."})");
    code.part("m6", Code::step("stop"));
    code.user("m7", "three");
    code.message("m8", Code::done(R"(,"summary":true,"error":{"name":"X"})"));
  }
  const CollectedImport read = read_code(made.file);
  const CollectedSession& session = read.sessions.at(0);
  CHECK(session.prompts() == 3);
  const auto* summary = payload<model::payload::CompactionSummary>(session, "m6");
  REQUIRE(summary != nullptr);
  CHECK(summary->summary == "So far.");
  CHECK(summary->first_kept == entry_id("opencode", "s", "m3"));
  CHECK(summary->model == "m1");
  CHECK(summary->usage->input == 3);
  CHECK(session.entries.back().parent == "m6");
  CHECK(read.losses.at("compactions that failed") == 1);
}

TEST_CASE("sub-agents of opencode are sessions with a parent") {
  const Made made;
  {
    Code code(made.file);
    code.session("s", "", "New session - 2026-01-01T00:00:00.000Z");
    code.session("t", "s", "Look around");
    code.user("m1", "mine");
    code.user("n1", "its", "t");
  }
  const CollectedImport read = read_code(made.file);
  REQUIRE(read.sessions.size() == 2);
  CHECK(read.sessions[0].session.title.empty());  // nobody has given that one
  CHECK_FALSE(read.sessions[0].session.spawned);
  CHECK(read.sessions[1].session.parent == "s");
  CHECK(read.sessions[1].session.spawned);
  CHECK(read.sessions[1].path() == "user: its\n");
}

TEST_CASE("why an answer of opencode ended is told") {
  const Made made;
  {
    Code code(made.file);
    code.session("s");
    code.message("m1", Code::done(R"(,"tokens":{"input":9,"output":1},"error":{"name":)"
                                  R"("MessageAbortedError","data":{"message":"stopped"}})"));
    code.part("m1", R"({"type":"text","text":"half"})");
    code.message("m2", Code::done(R"(,"error":{"name":"APIError","data":{"message":"no money"}})"));
  }
  const CollectedSession session = read_code(made.file).sessions.at(0);
  CHECK(message(session, "m1").stop == model::Stop::aborted);
  CHECK(message(session, "m1").usage->input == 9);
  CHECK(message(session, "m2").stop == model::Stop::error);
  CHECK(message(session, "m2").error == "no money");
}

TEST_CASE("an answer that is being written is left out, or has an id of its own") {
  const Made made;
  {
    Code code(made.file);
    code.session("s");
    code.user("m1", "go");
    code.message("m2", R"({"role":"assistant","time":{"created":1}})");
    code.part("m2", R"({"type":"text","text":"one"})");
    code.part("m2", Code::tool("c1", R"({"status":"completed","output":"x"})"));
    code.part("m2", Code::step("tool-calls"));
    code.part("m2", R"({"type":"text","text":"tw"})");
    code.part("m2", Code::tool("c2", R"({"status":"running","input":{"command":"sleep"}})"));
  }
  const CollectedSession whole = read_code(made.file).sessions.at(0);
  CHECK(ids(whole) == std::vector<std::string>{"m1", "m2", "m2/results", "m2/2+5"});
  CHECK(message(whole, "m2/2+5").stop == model::Stop::interrupted);
  CHECK(whole.calls() == 2);
  CHECK(whole.results() == 1);
  CollectedImport growing;
  format_named("opencode")
      ->read(std::get<SourceFile>(SourceFile::open(made.file.string())), {.growing = true},
             growing);
  CHECK(ids(growing.sessions.at(0)) == std::vector<std::string>{"m1", "m2", "m2/results"});
}

TEST_CASE("the second version of opencode has messages without parts") {
  const Made made;
  {
    Code code(made.file);
    code.session("s");
    code.user("m0", "of the first version");
    code.second("n1", "model-switched", R"({"model":{"id":"m9","providerID":"acme"}})");
    code.second("n2", "system", R"({"text":"It is Monday."})");
    code.second(
        "n3", "user",
        R"({"text":"hello","files":[{"uri":"data:image/png;base64,iVBORw0KGgo=","mime":"image/png"}]})");
    code.second("n4", "assistant",
                R"({"model":{"id":"m9","providerID":"acme"},"finish":"tool-calls",)"
                R"("tokens":{"input":2,"output":3},"time":{"created":1,"completed":2},"content":[)"
                R"({"type":"reasoning","text":"hm","native":{"k":"SEAL"}},)"
                R"({"type":"text","text":"Looking."},)"
                R"({"type":"tool","id":"c1","name":"shell","state":{"status":"completed",)"
                R"("input":{"a":1},"content":[{"type":"text","text":"out"}]}},)"
                R"({"type":"tool","id":"c2","name":"shell","state":{"status":"error","input":{},)"
                R"("error":{"message":"bad"}}}]})");
    code.second("n5", "synthetic", R"({"text":"Go on."})");
    code.second("n6", "shell", R"({"command":"ls","exit":1,"output":{"output":"none"}})");
    code.second("n7", "compaction", R"({"status":"failed","reason":"auto"})");
    code.second("n8", "compaction",
                R"({"status":"completed","summary":"So far.","recent":"Bye.",)"
                R"("tokens":{"input":5,"output":6}})");
    code.second("n9", "idle", R"({"outcome":"succeeded"})");
    code.second("o1", "hologram", R"({})");
    code.second("o2", "assistant", R"({"content":[{"type":"text","text":"ha"}]})");
  }
  const CollectedImport read = read_code(made.file);
  const CollectedSession& session = read.sessions.at(0);
  CHECK(ids(session) == std::vector<std::string>{"n1", "n2/system", "n3", "n4", "n4/results",
                                                 "n5/part-0", "n6", "n8", "o2+1"});
  CHECK(session.path() ==
        "user: hello\nassistant: Looking. [shell] [shell]\ntool: outbad\n"
        "user: I ran `ls`, exit status 1:\n\n```\nnone\n```\nassistant: ha\n");
  CHECK(payload<model::payload::ModelChange>(session, "n1")->model == "m9");
  CHECK(message(session, "n4").usage == model::Usage{.input = 2, .output = 3});
  CHECK(message(session, "n4").model == "m9");
  CHECK(session.entries[3].raw.find("SEAL") != std::string::npos);
  CHECK(session.contexts() == 2);
  CHECK(session.failures() == 1);
  const auto* summary = payload<model::payload::CompactionSummary>(session, "n8");
  REQUIRE(summary != nullptr);
  CHECK(summary->summary == "So far.\n\nBye.");
  CHECK(summary->usage->output == 6);
  CHECK(read.losses == std::map<std::string, int>{{"compactions that failed", 1},
                                                  {"messages of unknown kinds", 1}});
}

TEST_CASE("rows of opencode with anything in them do no harm") {
  const Made made;
  {
    Code code(made.file);
    code.session("s", "s", "Title", "[1]");
    code.run("INSERT INTO session VALUES(NULL, 1, 2, 3, 4, 'x')");
    for (const char* value :
         {"null", "1", "\"x\"", "[]", "{}", "[{}]", "-1e300", "true", "torn{"}) {
      const std::string v = value;
      code.message("a" + v, v);
      for (const char* role : {"user", "assistant"}) {
        const std::string id = role + v;
        code.message(id, R"({"role":")" + std::string(role) + R"(","time":)" + v + R"(,"error":)" +
                             v + R"(,"summary":)" + v + R"(,"tokens":)" + v + R"(,"model":)" + v +
                             "}");
        for (const char* type : {"text", "tool", "file", "reasoning", "step-finish", "compaction"})
          code.part(id, R"({"type":")" + std::string(type) + R"(","text":)" + v + R"(,"state":)" +
                            v + R"(,"tokens":)" + v + R"(,"url":)" + v + R"(,"metadata":)" + v +
                            "}");
        code.part(id,
                  Code::tool("c", R"({"status":)" + v + R"(,"metadata":{"exit":)" + v +
                                      R"(},"content":[)" + v + R"(],"attachments":)" + v + "}"));
      }
      for (const char* type : {"user", "assistant", "shell", "compaction", "model-switched"})
        code.run("INSERT INTO session_message VALUES(" + sql_text(type + v) + ", 't', '" + type +
                 "', 1, 1, " +
                 sql_text(R"({"content":[)" + v + R"(],"files":)" + v + R"(,"output":)" + v +
                          R"(,"model":)" + v + "}") +
                 ")");
    }
    code.session("t");
  }
  const CollectedImport read = read_code(made.file);
  CHECK(read.sessions.size() == 2);
  CHECK(read.sessions[0].session.parent.empty());
}

TEST_CASE("a database without the tables of opencode is refused") {
  const Made made;
  test::SampleDatabase(made.file).run("CREATE TABLE t(a); CREATE VIEW session AS SELECT a FROM t");
  CHECK_THROWS_AS(test::collect_file(made.file.string()), Error);
}

TEST_CASE("the files of older versions are read from the folders beside the session's") {
  const test::TempDir dir;
  const auto put = [&](const std::string& name, const std::string& bytes) {
    fs::create_directories((dir / name).parent_path());
    test::write_file(dir / name, bytes);
  };
  const std::string session = "storage/session/prj/ses_1.json";
  put(session, R"({"id":"ses_1","projectID":"prj","directory":"/w","title":"Old","parentID":null,)"
               R"("time":{"created":1700000000000},"version":"0.5"})");
  put("storage/message/ses_1/msg_b.json",
      R"({"id":"msg_b","role":"assistant","modelID":"m","providerID":"p","time":{"created":2,"completed":3}})");
  put("storage/message/ses_1/msg_a.json", R"({"id":"msg_a","role":"user","time":{"created":1}})");
  put("storage/message/ses_1/torn.json", R"({"id":)");
  put("storage/message/ses_2/msg_c.json", R"({"id":"msg_c","role":"user","time":{"created":1}})");
  put("storage/part/msg_a/prt_1.json", R"({"id":"prt_1","type":"text","text":"hello"})");
  put("storage/part/msg_b/prt_3.json", R"({"id":"prt_3","type":"text","text":"second"})");
  put("storage/part/msg_b/prt_2.json",
      R"({"id":"prt_2","type":"tool","callID":"c","tool":"bash","state":{"status":"success","output":"x"}})");
  put("storage/part/prt_9.json",
      R"({"id":"prt_9","messageID":"msg_a","type":"text","text":"loose"})");
  put("storage/part/prt_8.json", R"({"id":"prt_8","messageID":"other","type":"text","text":"no"})");
  put("secret.json", R"({"id":"prt_4","type":"text","text":"secret"})");
  fs::create_symlink(dir / "secret.json", dir / "storage/part/msg_b/prt_4.json");
  const CollectedImport read = read_code(dir / session);
  REQUIRE(read.sessions.size() == 1);
  CHECK(read.sessions[0].session.title == "Old");
  CHECK(read.sessions[0].session.cwd == "/w");
  CHECK(read.sessions[0].path() == "user: loosehello\nassistant: second [bash]\ntool: x\n");
  CHECK(read.losses == std::map<std::string, int>{{"damaged files", 1}});
}

TEST_CASE("a session of opencode that names another folder gets nothing from there") {
  const test::TempDir dir;
  const auto put = [&](const std::string& name, const std::string& bytes) {
    fs::create_directories((dir / name).parent_path());
    test::write_file(dir / name, bytes);
  };
  const auto session = [](const std::string& id) {
    return R"({"id":")" + id + R"(","projectID":"p","title":"","time":{"created":1}})";
  };
  put("message/m.json", R"({"id":"../../elsewhere","role":"user","time":{"created":1}})");
  put("elsewhere/p.json", R"({"id":"p","type":"text","text":"stolen"})");
  put("storage/message/s/m.json", R"({"id":"../../elsewhere","role":"user","time":{"created":1}})");
  put("storage/part/x/p.json", "{}");
  put("storage/session/p/a.json", session("../../message"));
  put("storage/session/p/b.json", session("s"));
  put("storage/session/p/c.json", session("link"));
  fs::create_directory_symlink(dir / "message", dir / "storage/message/link");
  for (const char* name : {"a", "b", "c"})
    CHECK(read_code(dir / "storage/session/p" / (std::string(name) + ".json"))
              .sessions.at(0)
              .entries.empty());
}
