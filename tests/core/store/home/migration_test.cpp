#include <doctest/doctest.h>

#include "core/store/home/file_backend.h"
#include "core/store/home/maintenance/repair.h"
#include "core/store/home/migration.h"
#include "core/store/log/log_reader.h"
#include "core/store/log/log_writer.h"
#include "core/text/json.h"
#include "tests/support/homes.h"
#include "tests/support/temp_dir.h"

using namespace skein;
using namespace skein::store::home;
using namespace skein::test;
using store::MigrationResult;

namespace {

namespace fs = std::filesystem;

constexpr Id session{0x01d5e5510101d5e5};

struct Older {
  TempDir dir{};
  fs::path path = dir / "home";
  std::shared_ptr<store::home::Home> opened = home_at(path.string());
  store::SessionStore store{std::make_unique<FileBackend>(opened)};
  fs::path file(const std::string& ending) const {
    return path / "transcripts" / (to_string(session) + ending);
  }
  std::vector<std::string> set_aside() const {
    std::vector<std::string> out;
    for (const auto& each : fs::directory_iterator(path / "quarantine"))
      out.push_back(read_file(each.path()));
    return out;
  }
};

// A conversation as one line per block: "user: hi", "tool: result of 1".
std::vector<std::string> talk(store::SessionStore& store) {
  std::vector<std::string> out;
  for (const model::Entry& entry : entries_of(store, session)) {
    const auto message = model::message_from_json(entry.payload);
    if (!message) continue;
    for (const model::Block& block : message->content) {
      const std::string who = std::string(model::name(message->role)) + ": ";
      if (const auto* text = std::get_if<model::Text>(&block)) out.push_back(who + text->text);
      if (const auto* call = std::get_if<model::ToolUse>(&block))
        out.push_back(who + "calls " + call->name + " " + call->input);
      if (const auto* result = std::get_if<model::ToolResult>(&block))
        out.push_back(who + std::get<model::Text>(result->content.at(0)).text);
    }
  }
  return out;
}

const std::string flat =
    R"({"type":"session","id":"0123456789ab","key":"main:cli:user","created":"2025-01-02T03:04:05Z"}
{"type":"user","content":"list it","ts":"2025-01-02T03:04:06Z"}
{"type":"assistant","content":"I will look.","ts":"2025-01-02T03:04:07Z"}
{"type":"tool_use","name":"list","tool_use_id":"t1","input":{"path":"."},"ts":"2025-01-02T03:04:07Z"}
{"type":"tool_result","tool_use_id":"t1","output":"a b c","ts":"2025-01-02T03:04:08Z"}
{"type":"assistant","content":"There are three.","ts":"2025-01-02T03:04:09Z"}
)";
const std::vector<std::string> flat_talk{"user: list it", "assistant: I will look.",
                                         R"(assistant: calls list {"path":"."})", "tool: a b c",
                                         "assistant: There are three."};

}  // namespace

TEST_CASE("flat lines become a transcript under the same id, and the old file is set aside") {
  Older home;
  write_file(home.file(".jsonl"), flat);

  const MigrationResult result = value_of(migrate(*home.opened, session));

  CHECK(result.form == "flat lines");
  CHECK(result.losses.empty());
  CHECK(talk(home.store) == flat_talk);
  const store::SessionRecord record = home.store.open(session);
  CHECK(record.key == "main:cli:user");
  CHECK(record.header.created_at == "2025-01-02T03:04:05.000Z");
  CHECK(record.state.messages == 1);
  CHECK(damage_in(home.store, session).empty());
  CHECK(home.set_aside() == std::vector{flat});
  CHECK(value_of(migrate(*home.opened, session)).form.empty());  // a second time is none
  CHECK(home.set_aside().size() == 1);
}

TEST_CASE("results written before their calls and calls written twice fall into place") {
  Older home;
  write_file(home.file(".jsonl"),
             R"({"type":"session","id":"0123456789ab","key":"bad key","created":"x"}
{"type":"tool_result","tool_use_id":"t1","output":"a b c","ts":1735787048}
{"type":"user","content":"list it","ts":1735787046}
{"type":"assistant","content":[{"type":"text","text":"I will look."},{"type":"tool_use","id":"t1","name":"list","input":{"path":"."}}],"ts":1735787047}
{"type":"tool_use","name":"list","tool_use_id":"t1","input":{"path":"."},"ts":1735787047}
this line is broken
{"type":"tool_result","tool_use_id":"nowhere","output":"lost","ts":1735787049}
{"type":"assistant","content":"There are three.","ts":1735787049000}
)");

  const MigrationResult result = value_of(migrate(*home.opened, session));

  CHECK(talk(home.store) == flat_talk);
  CHECK(result.losses.size() == 2);
  CHECK(home.store.open(session).key == "main:migrated:" + to_string(session));
  CHECK(store::unanswered_calls(entries_of(home.store, session)).empty());
}

TEST_CASE("a single JSON file becomes a transcript, whether an array or an object of messages") {
  const std::string messages = R"([{"role":"system","content":"be brief"},
 {"role":"user","content":"list it","timestamp":"2025-01-02T03:04:05Z"},
 {"role":"assistant","content":"I will look.","tool_calls":[{"id":"t1","function":{"name":"list","arguments":"{\"path\":\".\"}"}}]},
 {"role":"tool","tool_call_id":"t1","content":"a b c"},
 {"id":"m9","role":"assistant","content":"There are three.","usage":{"inputTokens":7,"outputTokens":3},"durationMs":5}])";
  for (const std::string& bytes :
       {messages, "{\"key\":\"main:cli:old\",\"messages\":" + messages + "}"}) {
    Older home;
    write_file(home.file(".json"), bytes);
    const MigrationResult result = value_of(migrate(*home.opened, session));
    CHECK(result.form == "one JSON file");
    CHECK(result.losses.size() == 1);  // the system's message
    CHECK(talk(home.store) == flat_talk);
    CHECK(model::total_usage(home.store.open(session).state) == model::Usage{7, 3});
    CHECK(!fs::exists(home.file(".json")));
    CHECK(home.set_aside() == std::vector{bytes});
  }
}

TEST_CASE("a migrated session takes no key from one that is there, however old it is") {
  Older home;
  const Id live = session_called(home.store, "main:cli:user");
  write_file(home.path / "transcripts" / "main_cli_user_0123456789ab.jsonl", flat);

  const auto migrated = value_of(migrate_all(*home.opened));

  REQUIRE(migrated.size() == 1);
  CHECK(migrated[0].losses ==
        std::vector<std::string>{
            "its key main:cli:user belongs to another session; its key is now main:cli:user.2"});
  value_of(maintenance::rebuild_index(*home.opened));
  CHECK(value_of(home.store.find("main:cli:user")).header.session == live);
  CHECK(value_of(home.store.find("main:cli:user.2")).header.session == migrated[0].session);
}

TEST_CASE("a transcript that turns up takes no key from one that is there, and that is told") {
  Older home;
  const Id live = session_called(home.store, "main:cli:user");
  home.store.list();
  const store::SessionHeader header{
      .session = session, .key = "main:cli:user", .created_at = "2020-01-01T00:00:00.000Z"};
  const model::Entry first = store::log::header_entry(header);
  write_file(
      home.file(".jsonl"),
      store::log::seal_batch(std::span(&first, 1), store::log::seal_seed(session), 0)->bytes);
  std::vector<std::string> told;
  const auto open = [&] {
    return store::SessionStore(
        std::make_unique<FileBackend>(store::files::real_files(home.path.string()),
                                      [&](const std::string& text) { told.push_back(text); }));
  };

  CHECK(open().list().size() == 2);

  REQUIRE(told.size() == 1);
  CHECK(told[0].find("its key is now main:cli:user.2") != std::string::npos);
  store::SessionStore later = open();
  value_of(maintenance::rebuild_index(*home_at(home.path.string())));
  CHECK(value_of(later.find("main:cli:user")).header.session == live);
  CHECK(told.size() == 1);
}

TEST_CASE("another program's sessions.json is kept aside and told of, not written over") {
  Older home;
  const std::string foreign = R"({"main:cli:user":{"session_id":"0123456789ab"}})";
  write_file(home.path / "sessions.json", foreign);
  write_file(home.path / "transcripts" / "main_cli_user_0123456789ab.jsonl", flat);
  std::vector<std::string> told;
  store::SessionStore store(
      std::make_unique<FileBackend>(store::files::real_files(home.path.string()),
                                    [&](const std::string& text) { told.push_back(text); }));

  CHECK(store.list().empty());

  CHECK(older_forms(*home.opened) == 1);
  CHECK(home.set_aside() == std::vector{foreign});
  REQUIRE(told.size() == 1);
  CHECK(told[0].find("moved it to quarantine/sessions.") != std::string::npos);
  store_at(home.path.string()).list();
  CHECK(home.set_aside().size() == 1);  // our own is written over, damaged or not
  write_file(home.path / "sessions.json", "{\"version\":2,\"sess");
  store_at(home.path.string()).list();
  CHECK(home.set_aside().size() == 1);
}

TEST_CASE("a Google conversation becomes a transcript, calls paired with their results") {
  const std::string contents =
      R"([{"role":"user","parts":[{"text":"list it"},{"inlineData":{"mimeType":"image/png","data":"aGk="}}]},
{"role":"model","parts":[{"text":"hm","thought":true},{"text":"I will look."},{"functionCall":{"name":"list","args":{"path":"."}}}]},
{"role":"user","parts":[{"functionResponse":{"name":"list","response":{"output":"a b c"}}}]},
{"role":"model","parts":[{"text":"There are three."},{"executableCode":{"code":"1"}},{"executableCode":{"code":"2"}}]}])";
  for (const std::string& bytes : {contents, "{\"contents\":" + contents + "}"}) {
    Older home;
    write_file(home.file(".json"), bytes);
    const MigrationResult result = value_of(migrate(*home.opened, session));
    CHECK(talk(home.store) == flat_talk);
    CHECK(result.losses == std::vector<std::string>{"a part 'executableCode', 2 times, is kept as "
                                                    "it was written, but no model will see it"});
    const auto first = model::message_from_json(entries_of(home.store, session).front().payload);
    const auto& picture = std::get<model::Image>(first->content.at(1));
    CHECK(picture.mime_type == "image/png");
    CHECK(value_of(home.store.blobs().load_blob(picture.blob)) == "hi");
  }
}

TEST_CASE("a failed tool stays failed, and images are taken over or told of") {
  Older home;
  write_file(home.file(".json"), R"({"messages":[
{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,aGk="}},{"type":"image_url","image_url":{"url":"https://example.org/x.png"}}]},
{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"look","input":{}}]},
{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","is_error":true,"content":[{"type":"text","text":"r"},{"type":"image","source":{"type":"base64","media_type":"image/jpeg","data":"aG8="}}]}]}]})");

  const MigrationResult result = value_of(migrate(*home.opened, session));

  const std::vector<model::Entry> entries = entries_of(home.store, session);
  REQUIRE(entries.size() == 3);
  const auto asked = model::message_from_json(entries[0].payload);
  CHECK(value_of(home.store.blobs().load_blob(std::get<model::Image>(asked->content.at(0)).blob)) ==
        "hi");
  const auto answered = model::message_from_json(entries[2].payload);
  const auto& failed = std::get<model::ToolResult>(answered->content.at(0));
  CHECK(failed.is_error);
  CHECK(std::get<model::Text>(failed.content.at(0)).text == "r");
  CHECK(value_of(home.store.blobs().load_blob(std::get<model::Image>(failed.content.at(1)).blob)) ==
        "ho");
  REQUIRE(result.losses.size() == 1);
  CHECK(result.losses[0].find("kept elsewhere (https://example.org/x.png)") != std::string::npos);
}

TEST_CASE("JSON without a message in it is no session") {
  for (const char* bytes : {"[]", "[1,2]", R"([{"a":1}])", R"({"messages":[]})"})
    CHECK(!read_legacy(session, bytes));
}

TEST_CASE("of a legacy file and a finished transcript the transcript counts") {
  Older home;
  write_file(home.file(".json"), R"([{"role":"user","content":"old"}])");
  value_of(migrate(*home.opened, session));
  append(home.store, session, {user_says("new")});
  write_file(home.file(".json"), R"([{"role":"user","content":"old"}])");  // its removal was lost

  CHECK(value_of(migrate(*home.opened, session)).form.empty());

  CHECK(talk(home.store) == std::vector<std::string>{"user: old", "user: new"});
  CHECK(!fs::exists(home.file(".json")));
  CHECK(home.set_aside().size() == 2);
}

TEST_CASE("our own lines without seals get them, with ids and branches as they were") {
  Older home;
  write_file(
      home.file(".jsonl"),
      R"({"id":"0000000000000001","type":"session_header","timestamp":"2025-01-02T03:04:05.000Z","payload":{"version":0,"key":"main:cli:v0","cwd":"/w"}}
{"id":"0000000000000002","parentId":null,"type":"message","timestamp":"2025-01-02T03:04:06.000Z","payload":{"role":"user","content":[{"type":"text","text":"a"}]}}
{"id":"0000000000000003","parentId":"0000000000000002","type":"message","timestamp":"2025-01-02T03:04:06.000Z","payload":{"role":"user","content":[{"type":"text","text":"b"}]}}
{"id":"0000000000000004","parentId":"0000000000000002","type":"message","timestamp":"2025-01-02T03:04:06.000Z","payload":{"role":"user","content":[{"type":"text","text":"c"}]}}
)");
  CHECK(value_of(migrate(*home.opened, session)).form == "unsealed lines");
  const store::SessionRecord record = home.store.open(session);
  CHECK(record.header.cwd == "/w");
  CHECK(record.state.leaves == std::vector<Id>{Id{3}, Id{4}});
}

TEST_CASE("an append to a session in an older form migrates it first") {
  Older home;
  write_file(home.file(".json"), R"([{"role":"user","content":"old"}])");
  append(home.store, session, {user_says("new")});
  CHECK(talk(home.store) == std::vector<std::string>{"user: old", "user: new"});
}

TEST_CASE("a mark on a session in an older form migrates it first") {
  Older home;
  write_file(home.file(".json"), R"([{"role":"user","content":"old"}])");
  CHECK_THROWS_AS(home.store.open(session), Error);
  value_of(home.store.mark(session, model::payload::Title{"a title"}));
  CHECK(home.store.open(session).state.title == "a title");
}

TEST_CASE("what is in no known form is not migrated, not written to and not changed") {
  Older home;
  for (const char* bytes : {"", "hello", "{}", "[1,2", R"({"type":"other"})"}) {
    write_file(home.file(".jsonl"), bytes);
    const store::Result<MigrationResult> migrated = migrate(*home.opened, session);
    REQUIRE(!migrated);
    CHECK(migrated.error().kind == store::Failure::Kind::damaged);
    const store::NewEntry entry = user_says("x");
    CHECK(!home.store.append_session_entries(session, std::span(&entry, 1)));
    CHECK(read_file(home.file(".jsonl")) == bytes);
  }
}

TEST_CASE("a session of a newer skein is read, and neither migrated nor written to") {
  Older home;
  const Id newer = session_called(home.store, "main:cli:newer");
  const fs::path file = home.path / store::log::transcript_path(newer);
  const store::SessionHeader header{.version = 99, .session = newer, .key = "main:cli:newer"};
  const model::Entry first = store::log::header_entry(header);
  write_file(file,
             store::log::seal_batch(std::span(&first, 1), store::log::seal_seed(newer), 0)->bytes);

  CHECK(home.store.open(newer).header.version == 99);
  const store::Result<MigrationResult> migrated = migrate(*home.opened, newer);
  REQUIRE(!migrated);
  CHECK(migrated.error().kind == store::Failure::Kind::unsupported_version);
  CHECK(migrated.error().text.find("newer skein") != std::string::npos);
}

TEST_CASE("files of older forms under other names are told of, and migrated when asked") {
  Older home;
  write_file(home.path / "transcripts" / "main_cli_user_0123456789ab.jsonl", flat);
  const auto strays = value_of(maintenance::strays(*home.opened));
  REQUIRE(strays.size() == 1);
  CHECK(strays[0].why.find("older format (flat lines)") != std::string::npos);

  const auto migrated = value_of(migrate_all(*home.opened));

  REQUIRE(migrated.size() == 1);
  CHECK(value_of(home.store.find("main:cli:user")).header.session == migrated[0].session);
  CHECK(maintenance::strays(*home.opened)->empty());
  CHECK(value_of(migrate_all(*home.opened)).empty());
}

TEST_CASE("a session in an older form is migrated when its key is opened") {
  for (const char* name : {".jsonl", ".json", "main_cli_user_0123456789ab.jsonl"}) {
    CAPTURE(name);
    Older older;
    const fs::path file = name[0] == '.' ? older.file(name) : older.path / "transcripts" / name;
    write_file(file, flat);
    std::vector<std::string> told;
    store::SessionStore store(
        std::make_unique<FileBackend>(store::files::real_files(older.path.string()),
                                      [&](const std::string& line) { told.push_back(line); }));

    const store::FoundSession found =
        value_of(store.find_or_create("main:cli:user", [] { return std::string("/w"); }));
    CHECK_FALSE(found.made);
    CHECK(store.open(found.session).key == "main:cli:user");
    CHECK(store.open(found.session).state.messages == 1);
    REQUIRE(told.size() == 1);
    CHECK(told[0].find("migrated session") == 0);
    CHECK(older.set_aside() == std::vector{flat});
    CHECK(store.list().size() == 1);
  }
}

TEST_CASE("a key that no older form has is not there, and what is not a session stays") {
  Older older;
  write_file(older.file(".jsonl"), flat);
  write_file(older.path / "transcripts" / "notes.json", "{\"a\":1}");
  CHECK(older.store.find("main:cli:other").error().kind == store::Failure::Kind::gone);
  CHECK(read_file(older.file(".jsonl")) == flat);
  CHECK(read_file(older.path / "transcripts" / "notes.json") == "{\"a\":1}");
}

TEST_CASE("migrate_session migrates what is in an older form and leaves the rest as it is") {
  Older older;
  write_file(older.file(".jsonl"), flat);
  const store::MigrationResult migrated = value_of(older.store.migrate_session(session));
  CHECK_FALSE(migrated.form.empty());
  CHECK(talk(older.store) == flat_talk);
  const std::string bytes = read_file(older.file(".jsonl"));
  CHECK(value_of(older.store.migrate_session(session)).form.empty());
  CHECK(read_file(older.file(".jsonl")) == bytes);
  CHECK(older.store.migrate_session(Id{7}).error().kind == store::Failure::Kind::gone);
}
