#include "core/store/session_store.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>

#include "tests/support/homes.h"
#include "tests/support/store_samples.h"
#include "tests/support/temp_dir.h"

using namespace skein;
using namespace skein::store;
using namespace skein::test;

namespace {

using Numbers = std::vector<std::uint64_t>;

// Entries 1-2-3 and 2-4-5, in memory.
struct Branched {
  SessionStore store{std::make_unique<store::home::FileBackend>(store::files::memory_files())};
  Id session = session_called(store, "main:cli:user");

  Branched() {
    append(store, session,
           {says_after(1, std::nullopt), says(2), says(3), says_after(4, 2), says(5)});
  }
  Numbers load(const LoadOptions& options) {
    Numbers out;
    for (const model::Entry& entry : value_of(store.load_session_entries(session, options)))
      if (entry.type != model::type::session_header)
        out.push_back(entry.id.value - entry_id(0).value);
    return out;
  }
};

}  // namespace

TEST_CASE("entries are loaded from one to another, so many of them, of one branch or of all") {
  Branched all;
  CHECK(all.load({}) == Numbers{1, 2, 3, 4, 5});
  CHECK(all.load({.from = entry_id(2)}) == Numbers{2, 3, 4, 5});
  CHECK(all.load({.to = entry_id(3)}) == Numbers{1, 2, 3});
  CHECK(all.load({.from = entry_id(2), .to = entry_id(4)}) == Numbers{2, 3, 4});
  CHECK(all.load({.from = entry_id(2), .limit = 2}) == Numbers{2, 3});
  CHECK(all.load({.branch = entry_id(5)}) == Numbers{1, 2, 4, 5});
  CHECK(all.load({.from = entry_id(2), .limit = 2, .branch = entry_id(5)}) == Numbers{2, 4});
  CHECK(all.load({.from = entry_id(2), .to = entry_id(4), .branch = entry_id(5)}) == Numbers{2, 4});
  CHECK(all.store.load_session_entries(all.session, {.branch = entry_id(9)}).error().kind ==
        Failure::Kind::gone);
}

TEST_CASE("sessions are listed by their last use, the latest first") {
  Branched all;
  const Id second = session_called(all.store, "main:cli:second");
  const auto at = [](const std::string& time, std::uint64_t number) {
    NewEntry entry = says(number);
    entry.entry.timestamp = time;
    return entry;
  };
  const auto keys = [&] {
    std::vector<std::string> out;
    for (const SessionRecord& record : all.store.list()) out.push_back(record.key);
    return out;
  };
  using Keys = std::vector<std::string>;
  append(all.store, second, {at("2998-01-02T03:04:05.678Z", 7)});
  CHECK(keys() == Keys{"main:cli:second", "main:cli:user"});
  append(all.store, all.session, {at("2998-01-02T03:04:05.679Z", 7)});
  CHECK(keys() == Keys{"main:cli:user", "main:cli:second"});
  append(all.store, second, {at("2998-01-02T03:04:06Z", 8)});
  CHECK(keys() == Keys{"main:cli:second", "main:cli:user"});
}

TEST_CASE("of the sessions of one key in the trash the one deleted last comes back") {
  SessionStore store(std::make_unique<store::home::FileBackend>(store::files::memory_files()));
  std::vector<Id> deleted;
  for (int i = 0; i < 6; ++i) {
    deleted.push_back(session_called(store, "main:cli:user"));
    REQUIRE(store.life_cycle().erase(deleted.back()));
    // The clock of the trash counts milliseconds.
    for (const std::int64_t now = now_ms(); now_ms() == now;) continue;
  }
  CHECK(value_of(store.life_cycle().restore("main:cli:user")).header.session == deleted.back());
}

TEST_CASE("other programs' transcripts, damaged or not, are refused and left as they are") {
  const char* samples = std::getenv("SKEIN_SAMPLES");
  if (samples == nullptr) {
    MESSAGE("skipped: SKEIN_SAMPLES is not set");
    return;
  }
  std::size_t count = 0;
  for (const auto& file :
       std::filesystem::directory_iterator(std::filesystem::path(samples) / "fixtures/damaged")) {
    CrashDisk disk;
    const std::string bytes = read_file(file.path());
    put_transcript(disk, bytes);
    SessionStore store(std::make_unique<store::home::FileBackend>(disk.process()));
    const NewEntry entry = says(1);
    CHECK(!store.sessions().open(sample_session));
    CHECK(!store.append_session_entries(sample_session, std::span(&entry, 1)));
    CHECK(store.list().empty());
    CHECK(disk.bytes(store::log::transcript_path(sample_session)) == bytes);
    ++count;
  }
  CHECK(count >= 8);
}

TEST_CASE("a path is visited as it is loaded, entry by entry") {
  Branched all;
  append(all.store, all.session,
         {says_after(6, 3), notes(7, R"({"kind":"title","text":"x"})"), says_after(8, 5),
          says_after(9, 6)});
  for (const std::uint64_t leaf : {1, 3, 5, 6, 8, 9}) {
    CAPTURE(leaf);
    Numbers visited, loaded;
    CHECK(value_of(all.store.visit_path(all.session, entry_id(leaf), [&](const StoredEntry& each) {
            visited.push_back(each.entry.id.value - entry_id(0).value);
            return true;
          })).empty());
    for (const StoredEntry& each : value_of(all.store.path(all.session, entry_id(leaf))).entries)
      loaded.push_back(each.entry.id.value - entry_id(0).value);
    CHECK(visited == loaded);
  }
  std::size_t count = 0;
  value_of(all.store.visit_path(all.session, entry_id(9),
                                [&](const StoredEntry&) { return ++count < 2; }));
  CHECK(count == 2);
}

TEST_CASE("how long a session is kept is no use of it") {
  Branched all;
  const std::string used = all.store.open(all.session).used_at();
  value_of(all.store.mark(all.session, payload::Pin{true}));
  value_of(all.store.mark(all.session, payload::Ttl{"30d"}));
  const SessionRecord record = all.store.open(all.session);
  CHECK(record.used_at() == used);
  CHECK(record.state.pinned);
  CHECK(record.state.ttl == "30d");
}

TEST_CASE("any number of sessions may be opened with a few descriptors") {
  TempDir dir;
  SessionStore store = store_at((dir / "home").string());
  const auto descriptors = [] {
    namespace fs = std::filesystem;
    return std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator{});
  };
  std::vector<Id> sessions;
  for (int i = 0; i < 60; ++i)
    sessions.push_back(session_called(store, "main:cli:" + std::to_string(i)));
  const auto before = descriptors();
  for (const Id session : sessions) {
    append(store, session, {user_says("hello")});
    CHECK(store.open(session).state.messages == 1);
  }
  CHECK(descriptors() - before < 20);
  // One that is being read stays open, whatever is opened in between.
  append(store, sessions[0], {user_says("and"), user_says("again")});
  std::size_t seen = 0;
  value_of(store.transcripts().load(sessions[0], 0, [&](const StoredEntry&) {
    for (const Id session : sessions) CHECK(store.sessions().open(session));
    return ++seen > 0;
  }));
  CHECK(seen == 4);
}
