#include "core/import/session_import.h"

#include <doctest/doctest.h>

#include "core/model/payloads.h"
#include "tests/support/homes.h"
#include "tests/support/temp_dir.h"

using namespace skein;
using namespace skein::test;
using importers::ForeignContext, importers::ForeignEntry, importers::ForeignSession;
using importers::ImportOptions, importers::SessionImport;

namespace {

const importers::ImportFormat format{"other", "Other", "other", nullptr, nullptr};

ForeignEntry says(const std::string& id, const std::string& parent, const std::string& text) {
  return {.id = id,
          .parent = parent,
          .time = "2026-01-02T03:04:05.678Z",
          .content = model::user_message(text)};
}

struct Scene {
  TempDir dir{};
  store::SessionStore store = store_at(dir.path().string());
  ImportOptions options{};

  // Brings in these entries of the session "s1", as a reader would.
  importers::ImportedSession import(const std::vector<ForeignEntry>& entries,
                                    const std::string& leaf = {},
                                    ForeignSession session = {.id = "s1", .cwd = "/p"}) {
    SessionImport import(store, format, "/x/s1.jsonl", 0, options);
    const bool wanted = import.begin(session);
    REQUIRE(wanted);
    for (const ForeignEntry& entry : entries) import.add(entry);
    import.end(leaf);
    REQUIRE(import.sessions().size() == 1);
    return import.sessions().front();
  }
  store::SessionRecord record() { return store::value_or_throw(store.find("main:other:s1")); }
  // What was said, from the root to the head.
  std::string said() {
    std::string out;
    const Id session = record().header.session;
    for (const store::StoredEntry& each :
         store::value_or_throw(store.path(session, *record().state.head)).entries)
      if (const auto message = model::message_of(each.entry)) out += plain_text(*message) + "|";
    return out;
  }
};

}  // namespace

TEST_CASE("an imported session is there under its key, with its folder, time and origin") {
  Scene scene;
  const auto report = scene.import({says("a", "", "one"), says("b", "a", "two")});
  CHECK(report.key == "main:other:s1");
  CHECK(report.entries == 2);
  const store::SessionRecord record = scene.record();
  CHECK(record.header.cwd == "/p");
  CHECK(record.state.origin == "other");
  CHECK(record.state.title == "one");
  CHECK(record.header.created_at == "2026-01-02T03:04:05.678Z");
  CHECK(record.state.updated_at == "2026-01-02T03:04:05.678Z");
  CHECK(scene.said() == "one|two|");
}

TEST_CASE("importing again adds only what is new") {
  Scene scene;
  scene.import({says("a", "", "one"), says("b", "a", "two")});
  CHECK(scene.import({says("a", "", "one"), says("b", "a", "two")}).added == 0);
  CHECK(scene.import({says("a", "", "one"), says("b", "a", "two"), says("c", "b", "3")}).added ==
        1);
  CHECK(scene.said() == "one|two|3|");
}

TEST_CASE("what nobody typed is kept beside the conversation, and never part of it") {
  Scene scene;
  scene.import({says("a", "", "one"),
                {.id = "x", .parent = "a", .content = ForeignContext{"reminder", "be good"}},
                says("b", "x", "two")});
  CHECK(scene.said() == "one|two|");
  int contexts = 0;
  for (const model::Entry& entry :
       store::value_or_throw(scene.store.load_session_entries(scene.record().header.session)))
    if (const auto context = model::read_as<model::payload::ImportContext>(entry)) {
      ++contexts;
      CHECK(context->text == "be good");
    }
  CHECK(contexts == 1);
}

TEST_CASE("the head is where the session stood there, though other branches came later") {
  Scene scene;
  scene.import({says("a", "", "one"), says("b", "a", "left"), says("c", "a", "right")}, "b");
  CHECK(scene.said() == "one|left|");
}

TEST_CASE("new lines there become a branch once somebody has gone on here") {
  Scene scene;
  scene.import({says("a", "", "one")});
  const Id session = scene.record().header.session;
  append(scene.store, session, {user_says("mine")});
  const auto report = scene.import({says("a", "", "one"), says("b", "a", "theirs")});
  CHECK(report.added == 1);
  CHECK(scene.said() == "one|mine|");
  CHECK(store::value_or_throw(scene.store.tree(session)).leaves().size() == 2);
}

TEST_CASE("a head that the user chose stays, unless the source grows") {
  Scene scene;
  scene.import({says("a", "", "one"), says("b", "a", "two")});
  const store::SessionRecord record = scene.record();
  const Id first = importers::entry_id("other", "s1", "a");
  store::value_or_throw(scene.store.mark(record.header.session, model::payload::Head{first}));
  scene.import({says("a", "", "one"), says("b", "a", "two")});
  CHECK(scene.said() == "one|");
}

TEST_CASE("an import that was cut short is completed, head included") {
  Scene scene;
  const std::vector<ForeignEntry> all = {says("a", "", "one"), says("b", "a", "left"),
                                         says("c", "a", "right")};
  // As if the process had been killed before it set the head.
  SessionImport import(scene.store, format, "/x/s1.jsonl", 0, scene.options);
  import.begin({.id = "s1", .cwd = "/p"});
  for (const ForeignEntry& entry : all) import.add(entry);
  import.end("c");
  CHECK(scene.said() == "one|right|");
  scene.import(all, "b");
  CHECK(scene.said() == "one|left|");
}

TEST_CASE("a parent that is not there is the entry before") {
  Scene scene;
  scene.import({says("a", "", "one"), says("b", "lost", "two")});
  CHECK(scene.said() == "one|two|");
}

TEST_CASE("a title given there is taken over, one given here stays") {
  Scene scene;
  scene.import({says("a", "", "one")}, "", {.id = "s1", .title = "First"});
  CHECK(scene.record().state.title == "First");
  scene.import({says("a", "", "one")}, "", {.id = "s1", .title = "Second"});
  CHECK(scene.record().state.title == "Second");
  store::value_or_throw(
      scene.store.mark(scene.record().header.session, model::payload::Title{"Mine"}));
  scene.import({says("a", "", "one")}, "", {.id = "s1", .title = "Third"});
  CHECK(scene.record().state.title == "Mine");
}

TEST_CASE("a dry run writes nothing and counts all the same") {
  Scene scene;
  scene.options.dry_run = true;
  CHECK(scene.import({says("a", "", "one")}).entries == 1);
  CHECK_FALSE(scene.store.find("main:other:s1"));
}

TEST_CASE("a session that somebody works in is left alone") {
  Scene scene;
  scene.import({says("a", "", "one")});
  const auto lease =
      scene.store.presence().hold(scene.record().header.session, store::LockMode::shared);
  REQUIRE(lease);
  const auto report = scene.import({says("a", "", "one"), says("b", "a", "two")});
  CHECK(report.trouble.find("another process is using") != std::string::npos);
  CHECK(report.added == 0);
}

TEST_CASE("a key that another session has is not taken from it") {
  Scene scene;
  session_called(scene.store, "main:other:s1");
  const auto report = scene.import({says("a", "", "one")});
  CHECK(report.key != "main:other:s1");
  CHECK(scene.store.find(report.key));
  scene.options.key = "main:other:s1";
  CHECK_THROWS_AS(scene.import({says("a", "", "one")}), Error);
}

TEST_CASE("a session can be imported under a key of one's own, and found there again") {
  Scene scene;
  scene.options.key = "main:cli:old";
  CHECK(scene.import({says("a", "", "one")}).key == "main:cli:old");
  CHECK(scene.import({says("a", "", "one"), says("b", "a", "two")}).added == 1);
  CHECK(store::value_or_throw(scene.store.find("main:cli:old")).state.messages == 2);
}

TEST_CASE("a result too long for a line is whole in a blob") {
  Scene scene;
  model::Message result{.role = model::Role::tool};
  result.content = {model::ToolResult{"c1", {model::Text{std::string(6 << 20, 'x')}}}};
  scene.import({says("a", "", "one"), {.id = "r", .parent = "a", .content = result}});
  const auto entry = store::value_or_throw(scene.store.load_entry(
      scene.record().header.session, importers::entry_id("other", "s1", "r")));
  const auto message = model::message_of(entry);
  REQUIRE(message);
  const auto& kept = std::get<model::ToolResult>(message->content.front());
  CHECK(store::value_or_throw(scene.store.blobs().load_blob(kept.blob)).size() == 6 << 20);
}

TEST_CASE("a masked secret is nowhere: not in the text, the line it came from or a long output") {
  Scene scene;
  exporters::SecretMask mask;
  scene.options.mask = &mask;
  const std::string secret = std::string("ghp_") + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8";
  model::Message result{.role = model::Role::tool};
  result.content = {
      model::ToolResult{"c1", {model::Text{std::string(5 << 20, 'x') + " " + secret + " "}}}};
  ForeignEntry prompt = says("a", "", "use " + secret + " please");
  prompt.raw = R"({"text":"use )" + secret + R"( please"})";
  scene.import({prompt, {.id = "r", .parent = "a", .content = result}});
  CHECK(mask.found().size() == 1);
  const auto entries =
      store::value_or_throw(scene.store.load_session_entries(scene.record().header.session));
  for (const model::Entry& entry : entries) {
    CHECK(entry.payload.find(secret) == std::string::npos);
    CHECK(entry.meta.find(secret) == std::string::npos);
    if (const auto message = model::message_of(entry); message && !message->content.empty())
      if (const auto* kept = std::get_if<model::ToolResult>(&message->content.front()))
        CHECK(store::value_or_throw(scene.store.blobs().load_blob(kept->blob)).find(secret) ==
              std::string::npos);
  }
}

TEST_CASE("a key is made of what keys may have, whatever ids look like") {
  CHECK(importers::import_key(format, "ses_1") == "main:other:ses_1");
  for (const std::string& id : {std::string("a/b:c d"), std::string(300, 'x'), std::string()})
    CHECK_FALSE(store::key_problem(importers::import_key(format, id)));
  CHECK(importers::import_key(format, std::string(300, 'x')) !=
        importers::import_key(format, std::string(301, 'x')));
}

TEST_CASE("while a program is at work, calls without results and prompts wait, answers do not") {
  Scene scene;
  const auto answer = [](const std::string& id, const std::string& parent,
                         std::vector<model::Block> content) {
    return ForeignEntry{
        .id = id,
        .parent = parent,
        .content = model::Message{.role = model::Role::assistant, .content = std::move(content)}};
  };
  const std::vector<ForeignEntry> talk{
      says("a", "", "one"), answer("b", "a", {model::Text{"done"}}), says("c", "b", "two")};
  scene.import({talk[0]});
  scene.options.at_work = true;
  const importers::ImportedSession first = scene.import(talk);
  CHECK(first.added == 1);
  CHECK(first.left == 1);
  CHECK(scene.said() == "one|done|");

  std::vector<ForeignEntry> more = talk;
  more.push_back(answer("d", "c", {model::Text{"let me"}, model::ToolUse{"t", "Bash", "{}"}}));
  CHECK(scene.import(more).left == 2);
  CHECK(scene.said() == "one|done|");
  more.push_back(answer("e", "d", {model::Text{"so it is"}}));
  CHECK(scene.import(more).left == 0);
  CHECK(scene.said() == "one|done|two|let me|so it is|");

  more.push_back(says("f", "e", "three"));
  CHECK(scene.import(more).left == 1);
  scene.options.at_work = false;
  CHECK(scene.import(more).left == 0);
  CHECK(scene.said() == "one|done|two|let me|so it is|three|");
}
