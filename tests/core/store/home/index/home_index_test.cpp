// A page of a list and a name, told from a few rows of the index: always what a look at every
// session would tell.

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <random>

#include "core/store/home/index/home_index.h"
#include "core/store/home/index/index_text.h"
#include "core/store/session_name.h"
#include "tests/support/homes.h"
#include "tests/support/temp_dir.h"

using namespace skein;
using namespace skein::store;
using namespace skein::test;

namespace {

struct Place {
  TempDir dir{};
  std::string path = (dir / "home").string();
  store::SessionStore fresh() const { return store_at(path); }
  std::string index() const { return read_file(dir / "home/sessions.json"); }
  // As if it had many sessions: one of them has a very long label.
  void make_large() const {
    SessionStore store = fresh();
    const Id session = test::session_called(store, "main:large:1");
    const NewEntry entry = user_says("hello");
    append(store, session, {entry});
    value_of(store.mark(session, payload::Label{entry.entry.id, std::string(300'000, 'x')}));
    store.list();
  }
};

std::vector<std::string> told(const std::vector<SessionRecord>& records) {
  std::vector<std::string> out;
  for (const SessionRecord& each : records)
    out.push_back(each.key + " " + each.state.title + " " + std::to_string(each.state.messages) +
                  " " + each.used_at() + " " + std::to_string(each.bytes) +
                  (each.archived ? " archived" : ""));
  return out;
}

std::string meant(SessionStore store, const std::string& name) {
  const auto found = store.find(name);
  return found ? found->key : found.error().text;
}

// By a look at all of them.
std::string meant_by_all(SessionStore store, const std::string& name) {
  const std::vector<SessionRecord> all = store.list();
  const auto found = store::session_called(all, name);
  return found ? (*found)->key : found.error().text;
}

// The rows without a look at any transcript; nothing: it is not sure.
std::optional<std::size_t> quick_rows(const Place& place, std::size_t limit) {
  const auto files = files::real_files(place.path);
  const auto rows = home::HomeIndex(*files).quick_list({.limit = limit});
  return rows ? std::optional(rows->size()) : std::nullopt;
}

}  // namespace

TEST_CASE("a page of sessions and a name are what a look at all of them tells, whatever happens") {
  std::mt19937 dice(11);
  for (int round = 0; round < 24; ++round) {
    Place place;
    if (round % 2 == 1) place.make_large();
    std::vector<std::unique_ptr<SessionStore>> processes;
    for (int i = 0; i < 3; ++i) processes.push_back(std::make_unique<SessionStore>(place.fresh()));
    std::vector<Id> sessions;
    for (int step = 0; step < 25; ++step) {
      SessionStore& store = *processes[dice() % processes.size()];
      const std::size_t action = sessions.empty() ? 0 : dice() % 9;
      const Id session = sessions.empty() ? Id{} : sessions[dice() % sessions.size()];
      if (action == 0)
        sessions.push_back(
            test::session_called(store, "main:cli:" + std::to_string(sessions.size())));
      else if (action <= 3)
        append(store, session, {user_says("say " + std::to_string(dice() % 4))});
      else if (action == 4)
        (void)store.mark(session, payload::Title{"title " + std::to_string(dice() % 4)});
      else if (action == 5)
        (void)store.life_cycle().archive(session);
      else if (action == 6 && store.sessions().open(session))
        store.presence().remember(session, "/w");
      else if (action == 7)  // a process ends, another begins
        processes[dice() % processes.size()] = std::make_unique<SessionStore>(place.fresh());
      else
        (void)place.fresh().list();

      CAPTURE(round);
      CAPTURE(step);
      CAPTURE(action);
      const std::size_t limit = 1 + dice() % 4;
      const std::vector<std::string> page = told(place.fresh().list({.limit = limit}));
      std::vector<std::string> names;
      for (const char* name : {"title 1", "say 2", "main:cli:", "main:cli:1", "0", "no such"})
        names.push_back(meant(place.fresh(), name));
      std::vector<std::string> all = told(place.fresh().list());
      all.resize(std::min(all.size(), limit));
      CHECK(page == all);
      std::size_t i = 0;
      for (const char* name : {"title 1", "say 2", "main:cli:", "main:cli:1", "0", "no such"})
        CHECK(names[i++] == meant_by_all(place.fresh(), name));
    }
  }
}

TEST_CASE("once all sessions were looked at, a page needs no look at them, whoever appends") {
  Place place;
  SessionStore writer = place.fresh();
  const Id first = test::session_called(writer, "main:cli:1");
  const Id second = test::session_called(writer, "main:cli:2");
  append(writer, first, {user_says("one")});
  (void)place.fresh().list();
  CHECK(quick_rows(place, 5) == 2);

  append(writer, first, {user_says("three")});
  CHECK(quick_rows(place, 5) == 2);
  const auto page = place.fresh().list({.limit = 1});
  REQUIRE(page.size() == 1);
  CHECK(page[0].key == "main:cli:1");
  CHECK(page[0].state.messages == 2);

  SUBCASE("but not of an index that another boot, or an older skein, has written") {
    const auto files = files::real_files(place.path);
    home::HomeIndex old(*files);
    old.stored().boot.clear();
    REQUIRE(old.change()->save());
    CHECK_FALSE(quick_rows(place, 5));
    CHECK(place.fresh().list({.limit = 1}).size() == 1);
    CHECK(quick_rows(place, 5) == 2);
  }
  SUBCASE("nor where a file was changed by somebody who does not say so") {
    const auto file =
        std::filesystem::path(place.path) / ("transcripts/" + to_string(second) + ".jsonl");
    write_file(file, read_file(file) + "x");
    CHECK_FALSE(quick_rows(place, 5));
  }
}

TEST_CASE("what was written to is forgotten only when all who wrote are gone") {
  Place place;
  const auto files = files::real_files(place.path);
  home::DirtySessions one(*files), other(*files);
  CHECK(one.sessions()->empty());
  one.note(Id{7});
  one.note(Id{7});
  other.note(Id{7});
  other.note(Id{8});
  CHECK(*one.sessions() == std::set<Id>{Id{7}, Id{8}});
  CHECK_FALSE(home::DirtySessions(*files).finished());
  CHECK(read_file(place.path + "/unsettled").size() == 2 * 17);
  { const home::DirtySessions gone = std::move(one), too = std::move(other); }
  const home::DirtySessions last(*files);
  const auto seen = last.finished();
  REQUIRE(seen);
  {
    home::DirtySessions late(*files);
    late.note(Id{9});
    last.clear(*seen);
    CHECK(last.sessions()->size() == 3);
  }
  last.clear(*seen);  // more was named than was seen
  CHECK(last.sessions()->size() == 3);
  last.clear(*last.finished());
  CHECK(last.sessions()->empty());
  write_file(place.path + "/unsettled", "not an id\n");
  CHECK_FALSE(last.sessions());
}

TEST_CASE("an index of which a byte was changed is not read row by row") {
  Place place;
  {
    SessionStore store = place.fresh();
    for (int i = 0; i < 400; ++i) test::session_called(store, "main:cli:" + std::to_string(i));
  }
  const auto files = files::real_files(place.path);
  const auto rows = [&] {
    std::size_t count = 0;
    const auto head = home::scan_index(*files, [&](const home::IndexRow&) { return ++count > 0; });
    return head ? std::optional(count) : std::nullopt;
  };
  CHECK(rows() == 400);
  const std::filesystem::path index = std::filesystem::path(place.path) / "sessions.json";
  const std::string text = read_file(index);
  std::mt19937 dice(3);
  for (int i = 0; i < 40; ++i) {
    std::string changed = text;
    changed[dice() % changed.size()] ^= static_cast<char>(1 + dice() % 127);
    write_file(index, changed);
    CHECK_FALSE(rows());
  }
  write_file(index, text.substr(0, text.size() - 1));
  CHECK_FALSE(rows());
  write_file(index, text);
  CHECK(rows() == 400);
}

TEST_CASE("a large index is not written for one session that is made or used") {
  Place place;
  place.make_large();
  {
    SessionStore store = place.fresh();
    append(store, test::session_called(store, "main:cli:old"), {user_says("hi")});
    (void)store.list();
  }
  const std::string index = place.index();
  {
    SessionStore store = place.fresh();
    const Id made = test::session_called(store, "main:cli:new");
    append(store, made, {user_says("hello")});
    store.presence().remember(made, "");
    const Id old = value_of(store.find("main:cli:old")).header.session;
    append(store, old, {user_says("again")});
    store.presence().remember(old, "");
  }
  CHECK((place.index() == index));
  SessionStore store = place.fresh();
  CHECK(value_of(store.find("main:cli:new")).state.messages == 1);
  CHECK(value_of(store.find("main:cli:old")).state.messages == 2);
  CHECK(value_of(place.fresh().find_or_create("main:cli:new", [] { return std::string(); })).made ==
        false);
  const std::vector<std::string> page = told(place.fresh().list({.limit = 3}));
  CHECK((place.index() == index));
  CHECK(page == told(place.fresh().list()));
}

TEST_CASE("a large index is written once a session has grown by much") {
  Place place;
  place.make_large();
  SessionStore store = place.fresh();
  const Id session = test::session_called(store, "main:cli:new");
  const std::string index = place.index();
  append(store, session, {user_says(std::string(2'000'000, 'x'))});
  store.presence().remember(session, "");
  CHECK((place.index() != index));
}

TEST_CASE("a session that came with a key that is taken is seen, though the index is large") {
  Place place;
  place.make_large();
  Id copied{};
  {
    SessionStore store = place.fresh();
    append(store, test::session_called(store, "main:cli:one"), {user_says("first")});
    (void)store.list();
  }
  {
    Place other;
    SessionStore store = other.fresh();
    copied = test::session_called(store, "main:cli:one");
    append(store, copied, {user_says("second")});
    std::filesystem::copy(other.path + "/" + log::transcript_path(copied),
                          place.path + "/" + log::transcript_path(copied));
  }
  CHECK(value_of(place.fresh().find("main:cli:one")).header.session != copied);
  CHECK(value_of(place.fresh().find("main:cli:one.2")).header.session == copied);
  CHECK(told(place.fresh().list({.limit = 5})) == told(place.fresh().list()));
}
