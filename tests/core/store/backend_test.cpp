// Two processes on one home, and the index they share.
#include <doctest/doctest.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "core/store/home/index/home_index.h"
#include "core/store/home/index/index_text.h"
#include "core/store/home/maintenance/repair.h"
#include "core/store/session_store.h"
#include "tests/support/homes.h"
#include "tests/support/store_samples.h"
#include "tests/support/temp_dir.h"

using namespace skein;
using namespace skein::store;
using namespace skein::test;

namespace {

constexpr Id a{0xa}, b{0xb}, c{0xc};

Result<Created> create(store::home::FileBackend& backend, Id session, const std::string& key) {
  return backend.create(header_of(session, key), {});
}
bool append(store::home::FileBackend& backend, Id session, std::uint64_t number) {
  const NewEntry entry = says(number);
  return ok(backend.append(session, std::span(&entry, 1), {}));
}
std::vector<std::string> keys(store::home::FileBackend& backend) {
  std::vector<std::string> out;
  for (const SessionRecord& each : value_of(backend.list())) out.push_back(each.key);
  std::ranges::sort(out);
  return out;
}
using Keys = std::vector<std::string>;

}  // namespace

TEST_CASE("keys have three or five plain parts") {
  for (const char* key : {"main:cli:user", "a:b:c", "agent:main:cli:direct:user@x.y+z-1"})
    CHECK_FALSE(key_problem(key));
  for (const std::string& key :
       {std::string{}, std::string("main"), std::string("a:b"), std::string("a:b:c:d"),
        std::string("a::c"), std::string("a:b:c:"), std::string("a:b:../c"), std::string("a:b:c d"),
        std::string("a:b:\xc3\xa9"), std::string("a:b:") + '\0', "a:b:" + std::string(65, 'c'),
        std::string(64, 'a') + ":" + std::string(64, 'b') + ":" + std::string(64, 'c') + ":dddd:e"})
    CHECK(key_problem(key));
}

TEST_CASE("a second terminal learns what the first one wrote") {
  CrashDisk disk;
  store::home::FileBackend one(disk.process()), two(disk.process());
  REQUIRE(ok(create(one, a, "main:cli:user")));
  CHECK(keys(two) == Keys{"main:cli:user"});
  REQUIRE(append(one, a, 1));
  CHECK(ids_of(two, a) == std::vector{entry_id(1)});
  REQUIRE(append(two, a, 2));
  CHECK(ids_of(one, a) == std::vector{entry_id(1), entry_id(2)});
  CHECK(one.open(a)->state.head == entry_id(2));
}

TEST_CASE("of two that create one key the second opens what the first made") {
  CrashDisk disk;
  store::home::FileBackend one(disk.process()), two(disk.process());
  REQUIRE(ok(create(one, a, "main:cli:user")));
  const auto second = create(two, b, "main:cli:user");
  REQUIRE(ok(second));
  CHECK(second->record.header.session == a);
  CHECK_FALSE(second->made);
  CHECK_FALSE(disk.has(store::log::transcript_path(b)));
}

TEST_CASE("a session whose maker died is safe once somebody else works with it") {
  struct Killed {};
  for (const bool by_key : {true, false}) {
    CAPTURE(by_key);
    CrashDisk disk;
    store::home::FileBackend one(disk.process()), two(disk.process());
    disk.fault = [](const char* call) -> int {
      if (std::string_view(call) == "sync_folder") throw Killed{};
      return 0;
    };
    CHECK_THROWS_AS(ok(create(one, a, "main:cli:user")), Killed);
    disk.fault = {};
    REQUIRE(disk.has(store::log::transcript_path(a)));

    if (by_key) {
      REQUIRE(create(two, b, "main:cli:user")->record.header.session == a);
    } else {
      REQUIRE(keys(two) == Keys{"main:cli:user"});
      REQUIRE(append(two, a, 1));
    }
    disk.crash_images(1'000, 1, [](const DiskImage& image) {
      CHECK(image.files.contains(store::log::transcript_path(a)));
      return true;
    });
  }
}

TEST_CASE("a session whose maker died is not opened as made while its name cannot be kept") {
  struct Killed {};
  CrashDisk disk;
  store::home::FileBackend one(disk.process()), two(disk.process());
  bool dead = false;
  disk.fault = [&](const char* call) -> int {
    if (std::string_view(call) != "sync_folder") return 0;
    if (!std::exchange(dead, true)) throw Killed{};
    return EIO;
  };
  CHECK_THROWS_AS(ok(create(one, a, "main:cli:user")), Killed);
  CHECK_FALSE(ok(create(two, b, "main:cli:user")));
  disk.fault = {};
  CHECK(create(two, b, "main:cli:user")->record.header.session == a);
}

TEST_CASE("an index that cannot be read just now is not an empty one") {
  CrashDisk disk;
  store::home::FileBackend one(disk.process()), two(disk.process());
  (void)create(one, a, "main:cli:a");
  CHECK(keys(one) == Keys{"main:cli:a"});
  (void)create(two, b, "main:cli:b");
  disk.fault = [](const char* call) { return std::string_view(call) == "open" ? EMFILE : 0; };
  CHECK(keys(one) == Keys{"main:cli:a"});  // of the other nothing is known yet
  disk.fault = {};
  CHECK(keys(one) == Keys{"main:cli:a", "main:cli:b"});
}

TEST_CASE("the index is merged and never overwritten by a stale copy") {
  CrashDisk disk;
  store::home::FileBackend one(disk.process()), two(disk.process());
  REQUIRE(ok(create(one, a, "main:cli:a")));
  CHECK(keys(two) == Keys{"main:cli:a"});
  REQUIRE(ok(create(one, b, "main:cli:b")));
  (void)two.open(a);
  two.remember(a, "/w");
  (void)one.open(b);
  one.remember(b, "/w");

  const auto index = store::home::parse_index(disk.bytes("sessions.json"));
  REQUIRE(index);
  CHECK(index->sessions.size() == 2);
  CHECK(index->sessions.at(a).key == "main:cli:a");
  CHECK(index->sessions.at(b).key == "main:cli:b");
}

TEST_CASE("a restored session whose key was taken gets a suffix, and its transcript says so") {
  CrashDisk disk;
  store::home::FileBackend backend(disk.process());
  REQUIRE(ok(create(backend, a, "main:cli:user")));
  REQUIRE(backend.erase(a));
  REQUIRE(ok(create(backend, b, "main:cli:user")));
  const auto restored = backend.restore(to_string(a));
  REQUIRE(ok(restored));
  CHECK(restored->key == "main:cli:user.2");

  disk.process()->remove("sessions.json");
  store::home::FileBackend later(disk.process());
  CHECK(keys(later) == Keys{"main:cli:user", "main:cli:user.2"});
  CHECK(later.open(a)->state.key == "main:cli:user.2");
}

TEST_CASE("three sessions of one key get three keys, also where a suffix is somebody's own") {
  store::home::Index index;
  const auto add = [&](Id session, const std::string& key, const std::string& created) {
    index.sessions[session].memory.header = header_of(session, key);
    index.sessions[session].memory.header.created_at = created;
  };
  add(a, "m:c:u.2", "2026-01-01");
  add(b, "m:c:u", "2026-01-02");
  add(c, "m:c:u", "2026-01-03");
  store::home::assign_keys(index);
  CHECK(index.sessions[a].key == "m:c:u.2");
  CHECK(index.sessions[b].key == "m:c:u");
  CHECK(index.sessions[c].key == "m:c:u.3");
}

TEST_CASE("an error while sessions are listed hides none of them afterwards") {
  for (const char* call : {"list", "open", "read", "stat", "stat_path"})
    for (const int error : {EIO, EMFILE, EACCES}) {
      CrashDisk disk;
      {
        store::home::FileBackend backend(disk.process());
        (void)create(backend, a, "main:cli:a");
        (void)create(backend, b, "main:cli:b");
      }
      disk.process()->remove("sessions.json");
      store::home::FileBackend backend(disk.process());
      disk.fault = [&](const char* name) { return std::string_view(name) == call ? error : 0; };
      try {
        (void)backend.list();
      } catch (const Error&) {  // that the folder cannot be listed is said, not hidden
      }
      disk.fault = {};
      CHECK(keys(backend) == Keys{"main:cli:a", "main:cli:b"});
      store::home::FileBackend later(disk.process());
      CHECK(keys(later) == Keys{"main:cli:a", "main:cli:b"});
    }
}

TEST_CASE("a batch that could not be synced is not saved, whatever the disk calls it") {
  for (const int error : {EIO, ESTALE, ENOENT, ENOSPC}) {
    CrashDisk disk;
    store::home::FileBackend backend(disk.process());
    REQUIRE(ok(create(backend, a, "main:cli:a")));
    disk.fault = [&](const char* call) { return std::string_view(call) == "sync" ? error : 0; };
    const NewEntry entry = says(1);
    const auto outcome = backend.append(a, std::span(&entry, 1), {});
    REQUIRE_FALSE(outcome);
    CHECK(outcome.error().kind == (error == ENOSPC ? Failure::Kind::no_space : Failure::Kind::io));
  }
}

TEST_CASE("an index that was changed by so much as a byte is made anew") {
  CrashDisk disk;
  {
    store::home::FileBackend backend(disk.process());
    (void)create(backend, a, "main:cli:a");
    append(backend, a, 1);
    backend.remember(a, "/w");
  }
  const std::string text = disk.bytes("sessions.json");
  REQUIRE(store::home::parse_index(text));
  std::string changed = text;
  changed[changed.find(to_string(entry_id(1)))] = 'b';
  CHECK_FALSE(store::home::parse_index(changed));
  CHECK_FALSE(store::home::parse_index(text.substr(0, text.size() - 1)));
  CHECK(store::home::print_index(*store::home::parse_index(text)) == text);

  disk.put("sessions.json", changed);
  store::home::FileBackend backend(disk.process());
  CHECK(backend.open(a)->state.head == entry_id(1));
}

TEST_CASE("the index vouches for nothing that a power cut could still take away") {
  CrashDisk disk;
  store::home::FileBackend writer(disk.process());
  (void)create(writer, a, "main:cli:a");
  append(writer, a, 1);
  (void)store::home::FileBackend(disk.process()).list();
  // Another process lists the sessions after the write, before the sync.
  bool looking = false;
  std::size_t images = 0, halves = 0;
  disk.fault = [&](const char* call) {
    if (std::string_view(call) != "sync" || std::exchange(looking, true)) return 0;
    (void)store::home::FileBackend(disk.process()).list();
    images = disk.crash_images(2000, 7, [&](const DiskImage& image) {
      CrashDisk after(image);
      store::home::FileBackend reader(after.process());
      const std::size_t seen = ids_of(reader, a).size();
      halves += seen != 1 && seen != 4;
      return true;
    });
    return 0;
  };
  const std::vector<NewEntry> batch{says(2, std::string(700, 'x')), says(3), says(4)};
  CHECK(ok(writer.append(a, batch, {})));
  CHECK(images > 0);
  CHECK(halves == 0);
}

TEST_CASE("a session whose file is gone or empty is not silently replaced") {
  for (const bool gone : {true, false}) {
    CrashDisk disk;
    {
      store::home::FileBackend backend(disk.process());
      (void)create(backend, a, "main:cli:a");
      append(backend, a, 1);
      backend.remember(a, "/w");
    }
    const std::string bytes = disk.bytes(store::log::transcript_path(a));
    if (gone)
      disk.process()->remove(store::log::transcript_path(a));
    else
      disk.put(store::log::transcript_path(a), "");
    // Not after a list that has noticed it either.
    for (int times = 0; times < 2; ++times) {
      store::home::FileBackend backend(disk.process());
      CHECK(backend.list()->size() == (times == 0 ? 0 : 1));
      const auto refused = backend.create(header_of(b, "main:cli:a"), {});
      REQUIRE_FALSE(ok(refused));
      CHECK(refused.error().kind == Failure::Kind::damaged);
      CHECK(store::home::maintenance::strays(backend.home())->size() == 1);
      REQUIRE(ok(backend.create(header_of(b, "main:cli:b"), {})));
    }
    disk.put(store::log::transcript_path(a), bytes);
    CHECK(store::home::FileBackend(disk.process()).list()->size() == 2);
    CHECK_FALSE(store::home::Home(disk.process()).index().lost("main:cli:a"));
  }
}

TEST_CASE("a session that was let go, or deleted, is not missed") {
  CrashDisk disk;
  store::home::FileBackend backend(disk.process());
  (void)create(backend, a, "main:cli:a");
  append(backend, a, 1);
  backend.remember(a, "/w");
  REQUIRE(backend.erase(a));
  CHECK_FALSE(backend.home().index().lost("main:cli:a"));
  (void)create(backend, b, "main:cli:a");
  (void)backend.list();
  disk.process()->remove(store::log::transcript_path(b));
  store::home::FileBackend other(disk.process());
  (void)other.list();
  CHECK(other.home().index().lost("main:cli:a"));
  value_of(store::home::maintenance::rebuild_index(other.home()));
  CHECK_FALSE(other.home().index().lost("main:cli:a"));
}

TEST_CASE("a disk that fails while an entry is looked for is not an entry that is not there") {
  CrashDisk disk;
  store::home::FileBackend backend(disk.process());
  (void)create(backend, a, "main:cli:a");
  append(backend, a, 1);
  disk.fault = [](const char* call) { return std::string_view(call) == "stat" ? EIO : 0; };
  const auto found = backend.locate(a, entry_id(1));
  disk.fault = {};
  REQUIRE_FALSE(ok(found));
  CHECK(found.error().kind == Failure::Kind::io);
}

TEST_CASE("what an index leaves out is read as it was") {
  const std::optional<Id> none, one = entry_id(1), two = entry_id(2);
  for (const auto& head : {none, one, two})
    for (const auto& tail : {none, one, two})
      for (const std::vector<Id>& leaves :
           {std::vector<Id>{}, {entry_id(1)}, {entry_id(2)}, {entry_id(1), entry_id(2)}})
        for (const char* key : {"", "main:cli:a", "main:cli:b"}) {
          store::home::Index index;
          store::home::IndexEntry& entry = index.sessions[a];
          entry.key = "main:cli:a";
          entry.memory.header = header_of(a, key);
          entry.memory.state = {
              .tail = tail, .head = head, .leaves = leaves, .entries = 1, .updated_at = "2026"};
          entry.archived = leaves.size() == 2;
          const auto read = store::home::parse_index(store::home::print_index(index));
          REQUIRE(read);
          CHECK(read->sessions.at(a).memory.header == entry.memory.header);
          CHECK(read->sessions.at(a).memory.state == entry.memory.state);
          CHECK(read->sessions.at(a).archived == entry.archived);
        }
}

TEST_CASE("the names in an index are those of its sessions") {
  CrashDisk disk;
  {
    store::home::FileBackend backend(disk.process());
    (void)create(backend, a, "main:cli:a");
    (void)create(backend, b, "main:cli:b");
    append(backend, b, 1);
    REQUIRE(ok(backend.archive(b)));
    (void)backend.list();
  }
  const std::string text = disk.bytes("sessions.json");
  const auto whole = store::home::parse_index(text);
  REQUIRE(whole);
  REQUIRE(whole->sessions.size() == 2);
  std::size_t seen = 0;
  const auto files = disk.process();
  const auto visit = [&](const store::home::IndexRow& row) {
    const auto name = row.name();
    REQUIRE(name);
    const store::SessionRecord record = record_of(whole->sessions.at(name->session));
    CHECK(name->key == record.key);
    CHECK(name->title == record.state.title);
    CHECK(name->used_at == record.used_at());
    CHECK(name->messages == record.state.messages);
    CHECK(name->archived == record.archived);
    CHECK(name->archived == (name->session == b));
    ++seen;
    return true;
  };
  const auto scanned = store::home::scan_index(*files, visit);
  CHECK(seen == 2);
  REQUIRE(scanned);
  CHECK(scanned->folder_mtime_ns == whole->folder_mtime_ns);
  disk.put("sessions.json", text.substr(1));
  CHECK_FALSE(store::home::scan_index(*files, [](const auto&) { return true; }));
}

TEST_CASE("a whole key is found by its line in the index, or not at all") {
  CrashDisk disk;
  {
    store::home::FileBackend backend(disk.process());
    (void)create(backend, a, "main:cli:a");
    (void)create(backend, b, "main:cli:a.b");
    append(backend, b, 1);
    backend.remember(b, "/w");
    (void)backend.list();
  }
  const std::string text = disk.bytes("sessions.json");
  const auto files = disk.process();
  const auto known_as = [&](const std::string& name) -> std::optional<store::home::IndexEntry> {
    store::home::HomeIndex index(*files);
    const auto session = index.find_name(name);
    return session ? std::optional(*index.find(*session)) : std::nullopt;
  };
  const auto whole = store::home::parse_index(text);
  for (const std::string& name : {std::string("main:cli:a.b"), to_string(b)}) {
    const auto row = known_as(name);
    REQUIRE(row);
    CHECK(row->key == "main:cli:a.b");
    CHECK(row->memory.header == whole->sessions.at(b).memory.header);
    CHECK(row->memory.state == whole->sessions.at(b).memory.state);
  }
  for (const char* other : {"main:cli", "main:cli:", "session_key", "main:cli:a\":{", "sessions"})
    CHECK_FALSE(known_as(other));
  disk.put("sessions.json", text.substr(1));  // the checksum does not fit
  CHECK_FALSE(known_as("main:cli:a"));
  disk.put("sessions.json", text);

  CHECK(store::home::FileBackend(disk.process()).find("main:cli:a")->header.session == a);
  CHECK_FALSE(store::home::FileBackend(disk.process()).find("main:cli:c"));
  // Whoever opens it sees what came since.
  store::home::FileBackend writer(disk.process()), reader(disk.process());
  REQUIRE(reader.find("main:cli:a")->header.session == a);
  append(writer, a, 2);
  CHECK(reader.open(a)->state.head == entry_id(2));
}

TEST_CASE("at no time does anyone see half an index") {
  CrashDisk disk;
  store::home::FileBackend backend(disk.process());
  (void)create(backend, a, "main:cli:a");
  disk.changed = [&] { CHECK(store::home::parse_index(disk.bytes("sessions.json"))); };
  (void)create(backend, b, "main:cli:b");
  (void)backend.open(a);
  backend.remember(a, "/w");
  (void)backend.erase(b);
  disk.changed = {};
}

TEST_CASE("what lies below the index's committed offset is altered, never torn") {
  CrashDisk disk;
  {
    store::home::FileBackend backend(disk.process());
    (void)create(backend, a, "main:cli:a");
    const std::vector<NewEntry> batch{says(1), says(2)};
    (void)backend.append(a, batch, {});
    backend.remember(a, "/w");
  }
  std::string bytes = disk.bytes(store::log::transcript_path(a));
  bytes[bytes.rfind("hello")] = 'H';
  disk.put(store::log::transcript_path(a), bytes);
  store::home::FileBackend backend(disk.process());
  CHECK(ids_of(backend, a) == std::vector{entry_id(1), entry_id(2)});
  REQUIRE(append(backend, a, 3));
  CHECK(disk.bytes(store::log::transcript_path(a)).starts_with(bytes));
  CHECK(disk.paths("quarantine").empty());
}

TEST_CASE("the index is made anew from the transcripts, in memory and on disk") {
  TempDir dir;
  for (const bool memory : {true, false}) {
    store::home::FileBackend backend(memory ? store::files::memory_files()
                                            : store::files::real_files((dir / "home").string()));
    (void)create(backend, a, "main:cli:a");
    (void)create(backend, b, "main:cli:b");
    CHECK(*store::home::maintenance::rebuild_index(backend.home()) == 2);
    CHECK(keys(backend) == Keys{"main:cli:a", "main:cli:b"});
  }
}

TEST_CASE("the session used last in a workspace is remembered") {
  CrashDisk disk;
  store::home::FileBackend backend(disk.process());
  (void)create(backend, a, "main:cli:a");
  backend.remember(a, "/w");
  CHECK(store::home::FileBackend(disk.process()).last_used("/w") == a);
  CHECK_FALSE(store::home::FileBackend(disk.process()).last_used("/other"));
  REQUIRE(backend.erase(a));
  CHECK_FALSE(store::home::FileBackend(disk.process()).last_used("/w"));
}

TEST_CASE("entries read a piece at a time come each exactly once") {
  CrashDisk disk;
  auto backend = std::make_unique<store::home::FileBackend>(disk.process());
  (void)create(*backend, a, "main:cli:a");
  std::vector<Id> expected;
  for (std::uint64_t number = 1; number <= 25; number += 5) {
    std::vector<NewEntry> batch;
    for (std::uint64_t i = 0; i < 5; ++i) batch.push_back(says(number + i));
    for (const NewEntry& each : batch) expected.push_back(each.entry.id);
    (void)backend->append(a, batch, {});
  }
  for (const std::size_t size : {1u, 2u, 3u, 5u, 7u, 26u, 100u}) {
    std::vector<Id> seen;
    for (std::optional<model::Position> from = 0; from;) {
      std::size_t count = 0;
      const model::Position begin = *std::exchange(from, std::nullopt);
      REQUIRE(ok(backend->load(a, begin, [&](const StoredEntry& placed) {
        if (count++ == size) {
          from = placed.at;
          return false;
        }
        if (placed.entry.type != model::type::session_header) seen.push_back(placed.entry.id);
        return true;
      })));
    }
    CHECK(seen == expected);
  }
}

TEST_CASE("paths, branches and the default leaf are those of the branch used last") {
  CrashDisk disk;
  auto files = std::make_unique<store::home::FileBackend>(disk.process());
  (void)create(*files, a, "main:cli:a");
  SessionStore store(std::move(files));
  const std::vector<NewEntry> entries{says_after(1, std::nullopt), says(2), says(3),
                                      says_after(4, 2), says(5)};
  REQUIRE(ok(store.append_session_entries(a, entries)));
  const auto path_to = [&](std::uint64_t leaf) {
    std::vector<std::uint64_t> out;
    const Result<Path> found = store.path(a, entry_id(leaf));
    for (const StoredEntry& placed : found->entries)
      out.push_back(placed.entry.id.value - entry_id(0).value);
    return out;
  };
  CHECK(path_to(3) == std::vector<std::uint64_t>{1, 2, 3});
  CHECK(path_to(5) == std::vector<std::uint64_t>{1, 2, 4, 5});
  CHECK(store.open(a).state.head == entry_id(5));
  CHECK(store.tree(a)->leaves().size() == 2);

  REQUIRE(ok(store.mark(a, payload::Head{entry_id(3)})));
  store::home::FileBackend later(disk.process());
  CHECK(later.open(a)->state.head == entry_id(3));

  const auto branched = store.branch_from_entry(a, entry_id(3), "main:cli:branch");
  REQUIRE(ok(branched));
  CHECK(ids_of(later, branched->session_id) ==
        std::vector{entry_id(1), entry_id(2), entry_id(3),
                    ids_of(later, branched->session_id).back()});
}

TEST_CASE("calls without a result are found, and answered ones are not") {
  model::Message calls{.role = model::Role::assistant};
  calls.content = {model::ToolUse{"one", "read", "{}"}, model::ToolUse{"two", "bash", "{}"}};
  model::Message result{.role = model::Role::tool,
                        .content = {model::ToolResult{"one", {model::Text{"out"}}}}};
  const std::vector<model::Entry> path{model::message_entry(calls), model::message_entry(result)};
  const std::vector<model::ToolUse> open = unanswered_calls(path);
  REQUIRE(open.size() == 1);
  CHECK(open[0].id == "two");
}
