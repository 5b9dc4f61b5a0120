#include <doctest/doctest.h>

#include "core/model/payloads.h"
#include "core/store/home/maintenance/repair.h"
#include "core/store/log/log_writer.h"
#include "tests/support/homes.h"
#include "tests/support/temp_dir.h"

using namespace skein;
using namespace skein::test;

namespace {

struct Home {
  TempDir dir{};
  std::string path = (dir / "home").string();
  store::SessionStore store = store_at(path);
  Id session = session_called(store, "main:cli:user");

  Home() {
    for (std::uint64_t i = 1; i <= 3; ++i)
      append(store, session, {user_says("line " + std::to_string(i), numbered_id(i))});
  }
  Id fork(Id entry, const std::string& summary = {}) {
    return value_of(store.branch_from_entry(session, entry, "", summary)).session_id;
  }
  void branch_off(Id parent, Id id) {
    store::NewEntry entry = user_says("other " + to_string(id), id);
    entry.entry.parent = parent;
    entry.follows = false;
    append(store, session, {entry});
  }
};

std::vector<model::Entry> said_in(store::SessionStore& store, Id session) {
  std::vector<model::Entry> out = entries_of(store, session);
  std::erase_if(out, [](const model::Entry& entry) { return model::is_marginal(entry.type); });
  return out;
}

std::vector<model::Entry> path_in(store::SessionStore& store, Id session, Id leaf) {
  std::vector<model::Entry> out;
  for (const store::StoredEntry& placed : value_of(store.path(session, leaf)).entries)
    out.push_back(placed.entry);
  return out;
}

// What a fork knew when it was made is what a reader finds in its file.
void check_whole(const Home& home, Id made) {
  store::SessionStore fresh = store_at(home.path);
  value_of(store::home::maintenance::rebuild_index(*home_at(home.path)));
  store::SessionStore known = store_at(home.path);
  CHECK(known.open(made).state == fresh.open(made).state);
  CHECK(damage_in(fresh, made).empty());
  CHECK(value_of(fresh.transcripts().examine(made)).any() == false);
}

}  // namespace

TEST_CASE("a fork has the path as it stood, names its source, and is written to at once") {
  Home home;
  const std::vector<model::Entry> path = path_in(home.store, home.session, numbered_id(3));

  const Id made = home.fork(numbered_id(3));

  CHECK(said_in(home.store, made) == path);
  const store::SessionRecord record = home.store.open(made);
  CHECK(record.header.parent_session == store::SessionHeader::Origin{home.session, numbered_id(3)});
  CHECK(record.state.head == numbered_id(3));
  CHECK(record.state.messages == 3);
  CHECK(record.state == store_at(home.path).open(made).state);
  append(home.store, made, {user_says("on")});
  check_whole(home, made);
}

TEST_CASE("a fork of one branch has nothing of the others") {
  Home home;
  home.branch_off(numbered_id(1), numbered_id(10));
  append(home.store, home.session, {user_says("more", numbered_id(11))});
  home.branch_off(numbered_id(2), numbered_id(20));

  for (const std::uint64_t leaf : {2u, 3u, 11u, 20u}) {
    const Id made = home.fork(numbered_id(leaf));
    CHECK(said_in(home.store, made) == path_in(home.store, home.session, numbered_id(leaf)));
    check_whole(home, made);
  }
}

TEST_CASE("a fork keeps masks, labels and snapshots of what it took along, and only those") {
  Home home;
  home.branch_off(numbered_id(1), numbered_id(10));
  value_of(home.store.mark(home.session, model::payload::Snapshot{"mine", numbered_id(2)}));
  value_of(home.store.mark(home.session, model::payload::Snapshot{"other", numbered_id(10)}));
  value_of(home.store.mark(home.session, model::payload::Label{numbered_id(1), "start"}));
  value_of(home.store.mark(home.session, model::payload::Label{numbered_id(10), "elsewhere"}));
  value_of(home.store.mark(home.session, model::payload::Redaction{numbered_id(3), "a secret"}));
  value_of(home.store.mark(home.session, model::payload::Redaction{numbered_id(10), "another"}));
  for (const Id id : {numbered_id(2), numbered_id(10)})
    append(home.store, home.session, {{model::make_entry(model::payload::ThinkingOffBefore{id})}});

  const Id made = home.fork(numbered_id(3));

  const model::SessionState state = store_at(home.path).open(made).state;
  CHECK(state.snapshots == std::map<std::string, Id>{{"mine", numbered_id(2)}});
  CHECK(state.labels == std::map<Id, std::string>{{numbered_id(1), "start"}});
  CHECK(state.redacted == std::set<Id>{numbered_id(3)});
  CHECK(state.thinking_off == std::set<Id>{numbered_id(2)});
  CHECK(store_at(home.path).open(home.session).state.thinking_off ==
        std::set<Id>{numbered_id(2), numbered_id(10)});
  check_whole(home, made);
}

TEST_CASE(
    "a fork goes on with the model and the thinking of its source, not with its permissions") {
  Home home;
  append(
      home.store, home.session,
      {{model::make_entry(model::type::model_change, R"({"provider":"offline","model":"demo/x"})")},
       {model::make_entry(model::type::thinking_level_change, R"({"level":"high"})")},
       {model::make_entry(model::type::system_prompt_override, R"({"text":"be brief"})")},
       {model::make_entry(model::type::custom,
                          R"x({"kind":"permissions","rules":["bash(rm *)"]})x")}});

  const model::SessionState state = home.store.open(home.fork(numbered_id(3))).state;

  CHECK(state.model == "offline/demo/x");
  CHECK(state.thinking == "high");
  CHECK(state.system == "be brief");
  CHECK(state.permissions.empty());
}

TEST_CASE("a summary of what was left behind is what a fork goes on from") {
  Home home;
  const Id made = home.fork(numbered_id(2), "they tried a third line");

  const std::vector<model::Entry> said = said_in(home.store, made);
  REQUIRE(said.size() == 3);
  CHECK(said.back().type == model::type::branch_summary);
  CHECK(said.back().parent == numbered_id(2));
  CHECK(said.back().payload.find("they tried a third line") != std::string::npos);
  CHECK(said.back().payload.find(to_string(home.session)) != std::string::npos);
  CHECK(home.store.open(made).state.head == said.back().id);
}

TEST_CASE("a fork of a damaged session has every entry that can be read, in a whole file") {
  Home home;
  const auto file = home.dir / "home" / store::log::transcript_path(home.session);
  std::string bytes = read_file(file);
  const std::size_t second = bytes.find("line 2");
  bytes[second] = 'L';  // altered, still an entry
  const std::size_t first = bytes.find(R"({"id":")" + to_string(numbered_id(1)));
  bytes[first] = '#';  // no entry any more
  write_file(file, bytes);

  const Id made = home.fork(numbered_id(3));

  const std::vector<model::Entry> said = said_in(home.store, made);
  REQUIRE(said.size() == 2);
  CHECK(model::preview(said[0], 20) == "Line 2");
  CHECK(said[0].parent == std::nullopt);
  CHECK(said[1].parent == numbered_id(2));
  check_whole(home, made);
}

TEST_CASE("nothing branches off where nothing is, or at what is no part of the conversation") {
  Home home;
  const Id marginal =
      *value_of(home.store.mark(home.session, model::payload::Title{"a title"})).last;
  const std::vector<std::string> before = listing(home.store);
  for (const Id entry : {numbered_id(9), marginal})
    CHECK(!home.store.branch_from_entry(home.session, entry));
  const auto taken = home.store.branch_from_entry(home.session, numbered_id(1), "main:cli:user");
  REQUIRE(!taken);
  CHECK(taken.error().kind == store::Failure::Kind::refused);
  CHECK(listing(home.store) == before);
}
