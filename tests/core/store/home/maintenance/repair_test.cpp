#include "core/store/home/maintenance/repair.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include "core/store/home/presence.h"
#include "tests/support/homes.h"
#include "tests/support/process.h"
#include "tests/support/temp_dir.h"

using namespace skein;
using namespace skein::store::home;
using namespace skein::test;

namespace {

namespace fs = std::filesystem;

std::vector<std::string> texts_in(const fs::path& folder) {
  std::vector<std::string> out;
  for (const auto& file : fs::directory_iterator(folder)) out.push_back(read_file(file.path()));
  return out;
}

// A session of three messages whose first line has been written over.
struct Damaged {
  TempDir dir{};
  std::string home = (dir / "home").string();
  Id session{};
  std::vector<model::Entry> entries{};
  fs::path file{};
  std::string bytes{};

  Damaged() {
    store::SessionStore store = store_at(home);
    session = session_called(store, "main:cli:user");
    append(store, session, {user_says("one"), user_says("two")});
    append(store, session, {user_says("three")});
    entries = entries_of(store, session);
    file = fs::path(home) / store::log::transcript_path(session);
    bytes = read_file(file);
    bytes.replace(0, 40, std::string(40, '#'));
    write_file(file, bytes);
  }
};

}  // namespace

TEST_CASE("a transcript with a damaged first line is rebuilt, and the old file is kept whole") {
  Damaged damaged;
  store::SessionStore store = store_at(damaged.home);
  REQUIRE(value_of(store.transcripts().examine(damaged.session)).header_damaged);

  const std::string aside = value_of(maintenance::repair(*home_at(damaged.home), damaged.session));

  CHECK(aside.starts_with("quarantine/"));
  CHECK(texts_in(fs::path(damaged.home) / "quarantine") == std::vector{damaged.bytes});
  CHECK(entries_of(store, damaged.session) == damaged.entries);
  CHECK(!value_of(store.transcripts().examine(damaged.session)).any());
  store::SessionStore other = store_at(damaged.home);
  CHECK(value_of(other.find("main:cli:user")).header.session == damaged.session);
  append(other, damaged.session, {user_says("four")});
  CHECK(entries_of(store, damaged.session).size() == 4);
}

TEST_CASE("without an index a rebuilt session gets a key that says what happened") {
  Damaged damaged;
  fs::remove(fs::path(damaged.home) / "sessions.json");
  store::SessionStore store = store_at(damaged.home);

  value_of(maintenance::repair(*home_at(damaged.home), damaged.session));

  CHECK(store.open(damaged.session).key == "main:recovered:" + to_string(damaged.session));
  CHECK(entries_of(store, damaged.session) == damaged.entries);
}

TEST_CASE("a session that is sound is left as it is") {
  const TempDir dir;
  store::SessionStore store = store_at((dir / "home").string());
  const Id session = session_called(store, "main:cli:user");
  append(store, session, {user_says("one")});
  const std::string before = read_file(dir / "home" / store::log::transcript_path(session));

  CHECK(value_of(maintenance::repair(*home_at((dir / "home").string()), session)).empty());

  CHECK(read_file(dir / "home" / store::log::transcript_path(session)) == before);
  CHECK(fs::is_empty(dir / "home" / "quarantine"));
}

TEST_CASE("a temporary file is left behind by a dead process only when it is an hour old") {
  const TempDir dir;
  const auto home = home_at((dir / "home").string());
  const auto old = dir / "home" / "transcripts" / "a.tmp", young = dir / "home" / "sessions.b.tmp";
  write_file(old, "old");
  write_file(young, "young");
  fs::last_write_time(old, fs::file_time_type::clock::now() - std::chrono::minutes(61));

  CHECK(value_of(maintenance::remove_leftovers(*home)) ==
        std::vector<std::string>{"transcripts/a.tmp"});

  CHECK(!fs::exists(old));
  CHECK(fs::exists(young));
}

TEST_CASE("what says that somebody is there is removed when they have died") {
  const TempDir dir;
  const auto home = home_at((dir / "home").string());
  const std::shared_ptr<store::files::Files> folder =
      value_of(store::files::files_beneath((dir / "home").string()));
  const Id session = parse_id("abcd000000000001").value();
  const pid_t crashed = start([&]() -> int {
    const store::SessionLease lease = keep_open(folder, session);
    _exit(lease ? 7 : 1);
  });
  REQUIRE(status_of(crashed) == 7);
  const store::SessionLease ours = keep_open(folder, session);

  CHECK(value_of(maintenance::remove_leftovers(*home)) ==
        std::vector{"open/" + to_string(session) + "." + std::to_string(crashed)});

  CHECK(texts_in(dir / "home" / "open") == std::vector{store::who_we_are()});
  CHECK(value_of(maintenance::remove_leftovers(*home)).empty());
}
