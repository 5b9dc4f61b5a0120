#include <doctest/doctest.h>

#include <fstream>

#include "core/store/home/file_backend.h"
#include "core/store/home/index/transcript.h"
#include "core/store/home/maintenance/repair.h"
#include "tests/support/crash_disk.h"
#include "tests/support/homes.h"
#include "tests/support/temp_dir.h"

using namespace skein;
using namespace skein::store::home;
using namespace skein::test;

namespace {

namespace fs = std::filesystem;

struct Packable {
  TempDir dir{};
  std::string path = (dir / "home").string();
  store::SessionStore store = store_at(path);
  Id session = session_called(store, "main:cli:user");

  Packable() {
    for (int i = 0; i < 20; ++i) append(store, session, {user_says("line " + std::to_string(i))});
  }
  fs::path plain() const { return fs::path(path) / store::log::transcript_path(session); }
  fs::path packed() const { return fs::path(path) / archive_path(session); }
};

store::SessionRecord listed(store::SessionStore& store) {
  const std::vector<store::SessionRecord> all = store.list();
  REQUIRE(all.size() == 1);
  return all.front();
}

}  // namespace

TEST_CASE("an archived session is smaller, listed as archived, and read like any other") {
  Packable home;
  const std::vector<model::Entry> before = entries_of(home.store, home.session);
  const std::uint64_t bytes = fs::file_size(home.plain());

  REQUIRE(home.store.life_cycle().archive(home.session));

  CHECK(!fs::exists(home.plain()));
  CHECK(fs::file_size(home.packed()) < bytes);
  store::SessionStore other = store_at(home.path);
  for (store::SessionStore* store : {&home.store, &other}) {
    CHECK(listed(*store).archived);
    CHECK(listed(*store).bytes == fs::file_size(home.packed()));
    CHECK(store->open(home.session).archived);
    CHECK(entries_of(*store, home.session) == before);
    CHECK(value_of(store->path(home.session, before.back().id)).entries.size() == before.size());
  }
  value_of(maintenance::rebuild_index(*home_at(home.path)));
  CHECK(listed(other).archived);
}

TEST_CASE("unarchiving gives back the very bytes there were") {
  Packable home;
  const std::string before = read_file(home.plain());

  REQUIRE(home.store.life_cycle().archive(home.session));
  REQUIRE(home.store.life_cycle().archive(home.session));  // a second time is none
  REQUIRE(home.store.life_cycle().unarchive(home.session));

  CHECK(read_file(home.plain()) == before);
  CHECK(!fs::exists(home.packed()));
  CHECK(!listed(home.store).archived);
}

TEST_CASE("an append to an archived session unarchives it, also where it was open before") {
  Packable home;
  store::SessionStore other = store_at(home.path);
  const std::vector<model::Entry> before = entries_of(other, home.session);
  REQUIRE(home.store.life_cycle().archive(home.session));

  append(other, home.session, {user_says("on it goes")});

  CHECK(fs::exists(home.plain()));
  CHECK(!fs::exists(home.packed()));
  CHECK(entries_of(home.store, home.session).size() == before.size() + 1);
  CHECK(damage_in(home.store, home.session).empty());
  CHECK(!listed(home.store).archived);
}

TEST_CASE("of a transcript and its archive the transcript counts, and what it lacks is set aside") {
  Packable home;
  const std::string older = read_file(home.plain());
  REQUIRE(home.store.life_cycle().archive(home.session));
  const std::string archive = read_file(home.packed());
  append(home.store, home.session, {user_says("newer")});

  write_file(home.packed(), archive);  // as if its removal had been lost
  store::SessionStore other = store_at(home.path);
  CHECK(!listed(other).archived);
  CHECK(entries_of(other, home.session).size() == 21);
  REQUIRE(other.life_cycle().unarchive(home.session));
  CHECK(!fs::exists(home.packed()));

  write_file(home.packed(), "another story");
  REQUIRE(other.life_cycle().archive(home.session));
  CHECK(entries_of(other, home.session).size() == 21);
  std::vector<std::string> aside;
  for (const auto& file : fs::directory_iterator(fs::path(home.path) / "quarantine"))
    aside.push_back(read_file(file.path()));
  CHECK(aside == std::vector<std::string>{"another story"});
}

TEST_CASE("a damaged archive is told of, not unpacked, and left as it is") {
  Packable home;
  REQUIRE(home.store.life_cycle().archive(home.session));
  std::string bytes = read_file(home.packed());
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 0x10);
  write_file(home.packed(), bytes);

  store::SessionStore other = store_at(home.path);
  const auto failed = other.life_cycle().unarchive(home.session);
  REQUIRE_FALSE(failed);
  CHECK(failed.error().kind == store::Failure::Kind::damaged);
  CHECK(other.list().empty());
  const auto strays = value_of(maintenance::strays(*home_at(home.path)));
  REQUIRE(strays.size() == 1);
  CHECK(strays.front().name == to_string(home.session) + ".jsonl.gz");
  CHECK(read_file(home.packed()) == bytes);
}

TEST_CASE("an archived session goes to the trash and comes back archived") {
  Packable home;
  const std::vector<model::Entry> before = entries_of(home.store, home.session);
  REQUIRE(home.store.life_cycle().archive(home.session));

  REQUIRE(home.store.life_cycle().erase(home.session));
  CHECK(home.store.list().empty());
  CHECK(value_of(home.store.life_cycle().restore("main:cli:user")).archived);

  CHECK(entries_of(home.store, home.session) == before);
}

TEST_CASE("an archived session whose key was taken comes back under another") {
  Packable home;
  REQUIRE(home.store.life_cycle().archive(home.session));
  REQUIRE(home.store.life_cycle().erase(home.session));
  session_called(home.store, "main:cli:user");

  const store::SessionRecord restored =
      value_of(home.store.life_cycle().restore(to_string(home.session)));

  CHECK(restored.key == "main:cli:user.2");
  CHECK(!restored.archived);
  CHECK(value_of(store_at(home.path).find("main:cli:user.2")).header.session == home.session);
}

TEST_CASE("a branch of an archived session has its path and leaves it archived") {
  Packable home;
  const std::vector<model::Entry> before = entries_of(home.store, home.session);
  REQUIRE(home.store.life_cycle().archive(home.session));

  const store::SessionHandle made =
      value_of(home.store.branch_from_entry(home.session, before[9].id, "main:cli:branch"));

  std::vector<model::Entry> branch = entries_of(home.store, made.session_id);
  REQUIRE(branch.size() >= 10);
  branch.resize(10);
  CHECK(branch == std::vector<model::Entry>(before.begin(), before.begin() + 10));
  CHECK(fs::exists(home.packed()));
}

TEST_CASE("an append finds its way when another process has unarchived the session meanwhile") {
  Packable home;
  store::SessionStore other = store_at(home.path);
  REQUIRE(home.store.life_cycle().archive(home.session));
  REQUIRE(other.open(home.session).archived);
  REQUIRE(home.store.life_cycle().unarchive(home.session));

  append(other, home.session, {user_says("on it goes")});

  CHECK(entries_of(home.store, home.session).size() == 21);
}

namespace {

// Two processes on one disk; the other one does something while the first packs or unpacks.
struct Shared {
  CrashDisk disk{};
  store::SessionStore store{std::make_unique<FileBackend>(disk.process())};
  store::SessionStore other{std::make_unique<FileBackend>(disk.process())};
  Id session = session_called(store, "main:cli:user");
  bool done = false;

  Shared() { append(store, session, {user_says("first", numbered_id(1))}); }
  void meanwhile(const std::string& temporary, std::function<void()> what) {
    disk.changed = [this, temporary, what = std::move(what)] {
      for (const std::string& path : disk.paths("transcripts"))
        if (!done && path.find(temporary) != std::string::npos) {
          done = true;
          what();
        }
    };
  }
};

}  // namespace

TEST_CASE("while a session is packed or unpacked others make sessions") {
  Shared home;
  home.meanwhile(".jsonl.gz.", [&] { session_called(home.other, "main:new:one"); });
  REQUIRE(home.store.life_cycle().archive(home.session));
  CHECK(home.done);
  CHECK(home.other.open(home.session).archived);

  home.done = false;
  home.meanwhile(".tmp", [&] { session_called(home.other, "main:new:two"); });
  REQUIRE(home.store.life_cycle().unarchive(home.session));
  CHECK(home.done);
  CHECK(home.store.list().size() == 3);
  CHECK(home.disk.paths("quarantine").empty());
}

TEST_CASE("what is appended while a session is packed is in the archive") {
  Shared home;
  home.meanwhile(".jsonl.gz.",
                 [&] { append(home.other, home.session, {user_says("second", numbered_id(2))}); });
  REQUIRE(home.store.life_cycle().archive(home.session));
  CHECK(home.done);
  CHECK(home.other.open(home.session).archived);
  CHECK(entries_of(home.other, home.session).size() == 2);
}

TEST_CASE("an archive that was unpacked and packed again meanwhile is not taken for the old one") {
  Shared home;
  REQUIRE(home.store.life_cycle().archive(home.session));
  home.meanwhile(".tmp", [&] {
    append(home.other, home.session, {user_says("second", numbered_id(2))});
    REQUIRE(home.other.life_cycle().archive(home.session));
  });
  REQUIRE(home.store.life_cycle().unarchive(home.session));
  CHECK(home.done);
  CHECK(entries_of(home.store, home.session).size() == 2);
}

TEST_CASE("the index knows an archive without unpacking it") {
  Packable home;
  home.store.list();
  REQUIRE(home.store.life_cycle().archive(home.session));
  std::string bytes = read_file(home.packed());
  const auto written = fs::last_write_time(home.packed());
  std::string unreadable = bytes;
  unreadable[30] = static_cast<char>(unreadable[30] ^ 1);
  std::fstream(home.packed(), std::ios::in | std::ios::out | std::ios::binary) << unreadable;
  fs::last_write_time(home.packed(), written);

  CHECK(store_at(home.path).list().size() == 1);
}
