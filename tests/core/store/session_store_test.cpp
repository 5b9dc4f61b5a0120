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

TEST_CASE("branches are told by their leaf, their length and how they begin") {
  Branched all;
  append(all.store, all.session, {says(6, std::string(40, 'a') + "\n" + std::string(40, 'b'))});
  const auto branches = value_of(all.store.branches(all.session));
  REQUIRE(branches.size() == 2);
  CHECK(branches[0].leaf == entry_id(3));
  CHECK(branches[0].length == 3);
  CHECK(branches[1].leaf == entry_id(6));
  CHECK(branches[1].length == 5);
  CHECK(branches[1].preview == std::string(40, 'a') + " " + std::string(9, 'b') + "…");
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
    REQUIRE(store.erase(deleted.back()));
    // The clock of the trash counts milliseconds.
    for (const std::int64_t now = now_ms(); now_ms() == now;) continue;
  }
  CHECK(value_of(store.restore("main:cli:user")).header.session == deleted.back());
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
    CHECK(!store.open(sample_session));
    CHECK(!store.append_session_entries(sample_session, std::span(&entry, 1)));
    CHECK(store.list().empty());
    CHECK(disk.bytes(store::log::transcript_path(sample_session)) == bytes);
    ++count;
  }
  CHECK(count >= 8);
}
