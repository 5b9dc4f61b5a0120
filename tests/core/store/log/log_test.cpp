#include "core/store/log/log_writer.h"

#include <doctest/doctest.h>

#include <cerrno>

#include "tests/support/store_samples.h"

using namespace skein;
using namespace skein::store::log;
using namespace skein::test;

namespace {

using Kind = store::Failure::Kind;
const std::string path = transcript_path(sample_session);

// A session with a user's message, and one process on it.
struct Home {
  CrashDisk disk{};
  store::home::FileBackend backend{disk.process()};
  Home() {
    const store::NewEntry entry = says(1);
    (void)backend.create(header_of(sample_session), std::span(&entry, 1));
  }
  store::Result<store::AppendResult> append(const std::vector<store::NewEntry>& batch,
                                            store::AppendOptions options = {}) {
    return backend.append(sample_session, batch, options);
  }
  std::vector<Id> ids() { return ids_of(backend, sample_session); }
};

Kind kind_of(const store::Result<store::AppendResult>& outcome) { return outcome.error().kind; }

std::vector<Id> ids(std::initializer_list<std::uint64_t> numbers) {
  std::vector<Id> out;
  for (const std::uint64_t number : numbers) out.push_back(entry_id(number));
  return out;
}

}  // namespace

TEST_CASE("entries chain to each other and the first one to the head") {
  Home home;
  const auto outcome = home.append({says(2), notes(3, R"({"kind":"label"})"), says(4)});

  REQUIRE(ok(outcome));
  const store::AppendResult& result = *outcome;
  CHECK(result.appended == 3);
  CHECK(result.last == entry_id(4));
  CHECK(result.entries[0].parent == entry_id(1));
  CHECK(result.entries[1].parent == entry_id(2));
  CHECK(result.entries[2].parent == entry_id(2));  // a marginal entry is nobody's parent
}

TEST_CASE("the same batch again is a success that writes nothing") {
  Home home;
  REQUIRE(ok(home.append({says(2), says(3)})));
  const std::string before = home.disk.bytes(path);
  const auto again = home.append({says(2), says(3)});

  REQUIRE(ok(again));
  CHECK(again->appended == 0);
  CHECK(again->last == entry_id(3));
  CHECK(home.disk.bytes(path) == before);
}

TEST_CASE("a batch that a dead writer left unsynced is safe once it is called a duplicate") {
  struct Killed {};
  Home home;
  home.disk.fault = [](const char* call) -> int {
    if (std::string_view(call) == "sync") throw Killed{};
    return 0;
  };
  CHECK_THROWS_AS(home.append({says(2)}), Killed);
  home.disk.fault = {};

  store::home::FileBackend second(home.disk.process());
  const store::NewEntry entry = says(2);
  const auto again = second.append(sample_session, std::span(&entry, 1), {});
  REQUIRE(ok(again));
  CHECK(again->appended == 0);
  home.disk.crash_images(1'000, 1, [](const DiskImage& image) {
    CrashDisk after(image);
    store::home::FileBackend backend(after.process());
    CHECK(ids_of(backend, sample_session) == ids({1, 2}));
    return true;
  });
}

TEST_CASE("an id that is taken by another content is a conflict and nothing is written") {
  Home home;
  const std::string before = home.disk.bytes(path);
  CHECK(kind_of(home.append({says(2), says(1, "other")})) == Kind::id_conflict);
  CHECK(kind_of(home.append({says(2), says(2)})) == Kind::id_conflict);
  CHECK(home.disk.bytes(path) == before);
}

TEST_CASE("an expected tail that is not the tail refuses and tells what arrived") {
  Home home;
  REQUIRE(ok(home.append({says(2)})));
  const std::string before = home.disk.bytes(path);
  const auto outcome = home.append({says(3)}, {.expected_tail = entry_id(1)});

  REQUIRE_FALSE(ok(outcome));
  const store::Failure& failure = outcome.error();
  CHECK(failure.kind == Kind::conflict);
  CHECK(failure.tail == entry_id(2));
  REQUIRE(failure.arrived.size() == 1);
  CHECK(failure.arrived[0].id == entry_id(2));
  CHECK(home.disk.bytes(path) == before);
  CHECK(ok(home.append({says(3)}, {.expected_tail = entry_id(2)})));
}

TEST_CASE("marginal entries never cause a conflict") {
  Home home;
  REQUIRE(ok(home.append({notes(2, R"({"kind":"title","text":"t"})")})));
  CHECK(ok(home.append({says(3)}, {.expected_tail = entry_id(1)})));
}

TEST_CASE("an empty session's tail is its header, also after it was opened from the index") {
  CrashDisk disk;
  (void)store::home::FileBackend(disk.process()).create(header_of(sample_session), {});
  std::optional<Id> header;
  for (int process = 0; process < 2; ++process) {
    store::home::FileBackend backend(disk.process());
    (void)backend.load(sample_session, 0, [&](const store::StoredEntry& placed) {
      header = placed.entry.id;
      return true;
    });
    backend.remember(sample_session, "/w");
  }
  store::home::FileBackend backend(disk.process());
  const store::NewEntry entry = says(1);
  CHECK(ok(backend.append(sample_session, std::span(&entry, 1), {.expected_tail = header})));
}

TEST_CASE("unknown, marginal and own parents are refused") {
  Home home;
  REQUIRE(ok(home.append({notes(2, R"({"kind":"label"})")})));
  const std::string before = home.disk.bytes(path);
  for (const std::uint64_t parent : {99u, 2u, 5u})
    CHECK(kind_of(home.append({says_after(5, parent)})) == Kind::refused);
  CHECK(home.disk.bytes(path) == before);
  CHECK(ok(home.append({says_after(5, std::nullopt), says_after(6, 1), says_after(7, 5)})));
}

TEST_CASE("entries that are not fit for a line are refused") {
  Home home;
  const std::string before = home.disk.bytes(path);
  const auto refused = [&](auto spoil) {
    store::NewEntry entry = says(2);
    spoil(entry.entry);
    return kind_of(home.append({entry})) == Kind::refused;
  };
  CHECK(refused([](model::Entry& entry) { entry.type = ""; }));
  CHECK(refused([](model::Entry& entry) { entry.type = "session_header"; }));
  CHECK(refused([](model::Entry& entry) { entry.type = "a\"b"; }));
  CHECK(refused([](model::Entry& entry) { entry.timestamp = "now\n"; }));
  CHECK(refused([](model::Entry& entry) { entry.run_id = "\""; }));
  CHECK(refused([](model::Entry& entry) { entry.payload = "[1]"; }));
  CHECK(refused([](model::Entry& entry) { entry.payload = "{"; }));
  CHECK(refused([](model::Entry& entry) { entry.meta = "1"; }));
  CHECK(home.disk.bytes(path) == before);
}

TEST_CASE("what a dead writer left is set aside before the next batch is written") {
  Home home;
  const std::string before = home.disk.bytes(path);
  home.disk.put(path, before + "{\"id\":\"half");
  REQUIRE(ok(home.append({says(2)})));

  CHECK(home.disk.bytes(path).starts_with(before + "{\"id\":\"abcdef"));
  CHECK(quarantined(home.disk) == std::vector<std::string>{"{\"id\":\"half"});
  CHECK(home.disk.paths("quarantine") ==
        std::vector<std::string>{"quarantine/" + to_string(sample_session) + "." +
                                 std::to_string(before.size()) + ".frag"});
}

TEST_CASE("a full disk leaves the transcript as it was and the batch can be tried again") {
  Home home;
  const std::string before = home.disk.bytes(path);
  home.disk.shorten = [](std::size_t) { return 10; };
  int writes = 0;
  home.disk.fault = [&](const char* call) {
    return std::string_view(call) == "write" && ++writes == 3 ? ENOSPC : 0;
  };
  CHECK(kind_of(home.append({says(2)})) == Kind::no_space);
  CHECK(home.disk.bytes(path) == before);

  home.disk.fault = {};
  CHECK(ok(home.append({says(2)})));
  CHECK(home.ids() == ids({1, 2}));
}

TEST_CASE("a sync that fails once is answered by a new handle and the batch written anew") {
  Home home;
  int failed = 0;
  home.disk.fault = [&](const char* call) {
    return std::string_view(call) == "sync" && failed++ == 0 ? EIO : 0;
  };
  CHECK(ok(home.append({says(2)})));
  CHECK(home.disk.syncs_of_failed_handles() == 0);
  home.disk.fault = {};
  home.disk.crash_images(10, 1, [&](const DiskImage& image) {
    CrashDisk after(image);
    store::home::FileBackend backend(after.process());
    CHECK(ids_of(backend, sample_session) == ids({1, 2}));
    return true;
  });
}

TEST_CASE("a sync that always fails is an error and leaves the transcript as it was") {
  Home home;
  const std::string before = home.disk.bytes(path);
  home.disk.fault = [](const char* call) { return std::string_view(call) == "sync" ? EIO : 0; };
  CHECK(kind_of(home.append({says(2)})) == Kind::io);
  home.disk.fault = {};
  CHECK(home.disk.bytes(path) == before);
  CHECK(home.disk.syncs_of_failed_handles() == 0);
}

TEST_CASE("a batch that was taken back after a reader saw it is forgotten by that reader") {
  Home home;
  store::home::FileBackend reader(home.disk.process());
  home.disk.fault = [&, looking = false](const char* call) mutable {
    if (looking || std::string_view(call) != "sync") return 0;
    looking = true;
    CHECK(ids_of(reader, sample_session) == ids({1, 2}));
    looking = false;
    return EIO;
  };
  CHECK_FALSE(ok(home.append({says(2, "lost")})));
  home.disk.fault = {};
  REQUIRE(ok(home.append({says(3, std::string(400, 'x'))})));

  const store::NewEntry entry = says(4);
  REQUIRE(ok(reader.append(sample_session, std::span(&entry, 1), {})));
  CHECK(home.ids() == ids({1, 3, 4}));
  CHECK(home.disk.paths("quarantine").empty());
}

TEST_CASE("an append goes on in the file that took the old one's place") {
  Home home;
  REQUIRE(ok(home.append({says(2)})));
  const std::string bytes = home.disk.bytes(path);
  const auto files = home.disk.process();
  files->remove(path);
  home.disk.put(path, bytes);

  CHECK(ok(home.append({says(3)})));
  CHECK(home.ids() == ids({1, 2, 3}));
}

TEST_CASE("a session that was thrown away is gone and not made anew") {
  Home home;
  store::home::FileBackend other(home.disk.process());
  REQUIRE(other.erase(sample_session));
  CHECK(kind_of(home.append({says(2)})) == Kind::gone);
  CHECK_FALSE(home.disk.has(path));
}

TEST_CASE("a held lock is busy, and nothing is stolen") {
  Home home;
  const auto files = home.disk.process();
  const int handle = files->open(path, store::files::OpenAs::appender);
  REQUIRE(files->lock(handle, 0) == 0);
  CHECK(kind_of(home.append({says(2)})) == Kind::busy);
  files->close(handle);
  CHECK(ok(home.append({says(2)})));
}

TEST_CASE("a read error while ids are learned does not let a doubled id in later") {
  CrashDisk disk;
  put_transcript(disk, make_sample("s", {{says(1)}, {says(2)}}).bytes);
  const auto files = disk.process();
  LogWriter log(*files, sample_session);
  REQUIRE(log.refresh());
  const store::NewEntry entry = says(1, "other");
  int reads = 0;
  disk.fault = [&](const char* call) {
    return std::string_view(call) == "read" && reads++ < 2 ? EIO : 0;
  };
  CHECK(kind_of(log.append(std::span(&entry, 1), {})) == Kind::io);
  disk.fault = {};
  CHECK(kind_of(log.append(std::span(&entry, 1), {})) == Kind::id_conflict);
}
