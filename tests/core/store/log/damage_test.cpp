// What hands, disks and other programs do to a transcript: reading never modifies it, never loses
// an entry that can still be parsed, and examine() tells the exact ranges.
#include <doctest/doctest.h>

#include "core/store/home/maintenance/repair.h"
#include "core/store/session_store.h"
#include "tests/support/store_samples.h"

using namespace skein;
using namespace skein::store::log;
using namespace skein::test;

namespace {

using Range = store::Damage::Range;
using Ranges = std::vector<Range>;

const std::string path = transcript_path(sample_session);

Sample three_lines() { return make_sample("three", {{says(1)}, {says(2)}, {says(3)}}); }

std::vector<std::uint64_t> numbers(const std::vector<model::Entry>& entries) {
  std::vector<std::uint64_t> out;
  for (const model::Entry& entry : entries) out.push_back(entry.id.value - entry_id(0).value);
  return out;
}
using Numbers = std::vector<std::uint64_t>;

struct Seen {
  bool opened = false;
  Numbers entries{};
  store::Damage damage{};
};

// Opens `bytes` as a transcript and checks that this changed nothing.
Seen seen_in(const std::string& bytes) {
  CrashDisk disk;
  put_transcript(disk, bytes);
  const auto files = disk.process();
  LogWriter log(*files, sample_session);
  Seen seen;
  seen.opened = bool(log.refresh());
  if (seen.opened) {
    seen.entries = numbers(entries_of(log));
    seen.damage = *log.examine();
    Numbers backward;
    (void)log.each_back(std::nullopt, [&](const store::StoredEntry& placed) {
      if (placed.entry.type != model::type::session_header)
        backward.insert(backward.begin(), placed.entry.id.value - entry_id(0).value);
      return true;
    });
    CHECK(backward == seen.entries);
  }
  CHECK(disk.bytes(path) == bytes);
  CHECK(disk.paths("quarantine").empty());
  return seen;
}

}  // namespace

TEST_CASE("an untouched transcript has no damage") {
  const Seen seen = seen_in(three_lines().bytes);
  CHECK(seen.entries == Numbers{1, 2, 3});
  CHECK_FALSE(seen.damage.any());
}

TEST_CASE("a last line cut short is passed over and the rest loads") {
  const Sample sample = three_lines();
  const std::uint64_t size = sample.bytes.size() - 20;
  const Seen seen = seen_in(sample.bytes.substr(0, size));
  CHECK(seen.entries == Numbers{1, 2});
  CHECK(seen.damage.uncommitted == Ranges{{sample.lines[3].begin, size}});
}

TEST_CASE("a missing last newline loses nothing, and the next append restores it") {
  const Sample sample = three_lines();
  CrashDisk disk;
  put_transcript(disk, sample.bytes.substr(0, sample.bytes.size() - 1));
  const auto files = disk.process();
  LogWriter log(*files, sample_session);
  REQUIRE(log.refresh());
  CHECK(numbers(entries_of(log)) == Numbers{1, 2, 3});

  const store::NewEntry entry = says(4);
  CHECK(ok(log.append(std::span(&entry, 1), {})));
  CHECK(disk.bytes(path).starts_with(sample.bytes + "{\"id\":"));
  CHECK(seen_in(disk.bytes(path)).entries == Numbers{1, 2, 3, 4});
}

TEST_CASE("a broken line in the middle costs exactly itself") {
  const Sample sample = three_lines();
  std::string bytes = sample.bytes;
  bytes.replace(sample.lines[2].begin, 5, "?????");
  const Seen seen = seen_in(bytes);
  CHECK(seen.entries == Numbers{1, 3});
  CHECK(seen.damage.broken == Ranges{{sample.lines[2].begin, sample.lines[2].end}});
  CHECK(seen.damage.altered.empty());
}

TEST_CASE("a line edited by hand is loaded as it is now, and flagged") {
  const Sample sample = three_lines();
  std::string bytes = sample.bytes;
  bytes.replace(bytes.find("hello", sample.lines[2].begin), 5, "HELLO");
  const Seen seen = seen_in(bytes);
  CHECK(seen.entries == Numbers{1, 2, 3});
  CHECK(seen.damage.altered == Ranges{{sample.lines[2].begin, sample.lines[2].end}});
}

TEST_CASE("a batch that is missing shows as a gap") {
  const Sample sample = three_lines();
  std::string bytes = sample.bytes;
  bytes.erase(sample.lines[2].begin, sample.lines[2].end - sample.lines[2].begin);
  const Seen seen = seen_in(bytes);
  CHECK(seen.entries == Numbers{1, 3});
  CHECK(seen.damage.gaps == std::vector{sample.lines[2].begin});
}

TEST_CASE("two records glued together are both found") {
  const Sample sample = three_lines();
  for (const std::size_t line : {0u, 1u, 2u}) {
    std::string bytes = sample.bytes;
    bytes.erase(sample.lines[line].end - 1, 1);
    CHECK(seen_in(bytes).entries == Numbers{1, 2, 3});
  }
}

TEST_CASE("a batch of several lines glued together is still the batch") {
  const Sample sample = make_sample("batch", {{says(1), says(2), says(3)}, {says(4)}});
  std::string bytes = sample.bytes;
  bytes.erase(sample.lines[1].end - 1, 1);
  CHECK(seen_in(bytes).entries == Numbers{1, 2, 3, 4});
}

TEST_CASE("a changed line in the last batch costs no other line, and is not set aside") {
  const Sample sample = make_sample("last", {{says(1)}, {says(2), says(3), says(4)}});
  for (const std::size_t line : {2u, 3u, 4u}) {
    std::string bytes = sample.bytes;
    bytes[bytes.find("hello", sample.lines[line].begin)] = 'j';
    const Seen seen = seen_in(bytes);
    CHECK(seen.entries == Numbers{1, 2, 3, 4});
    CHECK(seen.damage.altered == Ranges{{sample.lines[line].begin, sample.lines[line].end}});
    CHECK(seen.damage.uncommitted.empty());

    CrashDisk disk;
    put_transcript(disk, bytes);
    const auto files = disk.process();
    LogWriter log(*files, sample_session);
    const store::NewEntry entry = says(5);
    REQUIRE(ok(log.append(std::span(&entry, 1), {})));
    CHECK(disk.paths("quarantine").empty());
    CHECK(seen_in(disk.bytes(path)).entries == Numbers{1, 2, 3, 4, 5});
    CHECK(seen_in(disk.bytes(path)).damage.gaps.empty());
  }
}

TEST_CASE("the only line of the last batch is a gap, not a torn write, when it cannot be read") {
  const Sample sample = three_lines();
  std::string bytes = sample.bytes;
  bytes[sample.lines[3].begin] = 'X';
  const Seen seen = seen_in(bytes);
  CHECK(seen.entries == Numbers{1, 2});
  CHECK(seen.damage.broken == Ranges{{sample.lines[3].begin, sample.lines[3].end}});
  CHECK(seen.damage.uncommitted.empty());
}

TEST_CASE("a single NUL in a text is a change, a run of them a sector that was never written") {
  const Sample sample = make_sample("NULs", {{says(1)}, {says(2), says(3, std::string(600, 'x'))}});
  const std::size_t text = sample.bytes.find("xxxx");
  std::string changed = sample.bytes;
  changed[text + 10] = '\0';
  CHECK(seen_in(changed).damage.uncommitted.empty());
  CHECK(seen_in(changed).entries == Numbers{1, 2});

  std::string torn = sample.bytes;
  torn.replace(text, 512, std::string(512, '\0'));
  CHECK(seen_in(torn).entries == Numbers{1});
  CHECK(seen_in(torn).damage.uncommitted == Ranges{{sample.lines[2].begin, torn.size()}});
}

TEST_CASE("the first lines of a batch whose end never came are not shown") {
  const Sample sample = make_sample("begun", {{says(1)}, {says(2), says(3), says(4)}});
  for (const std::uint64_t size :
       {sample.lines[2].end, sample.lines[3].end, sample.lines[3].end + 5}) {
    const Seen seen = seen_in(sample.bytes.substr(0, size));
    CHECK(seen.entries == Numbers{1});
    CHECK(seen.damage.uncommitted == Ranges{{sample.lines[2].begin, size}});
  }
}

TEST_CASE("a parent id that cannot be read makes an orphan that follows the entry before it") {
  const Sample sample = three_lines();
  std::string bytes = sample.bytes;
  bytes[bytes.find(R"("parentId":")", sample.lines[3].begin) + 12] = 'p';
  CrashDisk disk;
  put_transcript(disk, bytes);
  store::SessionStore store(std::make_unique<store::home::FileBackend>(disk.process()));
  const store::Path whole = *store.path(sample_session, entry_id(3));
  REQUIRE(whole.entries.size() == 3);
  CHECK(whole.entries[2].altered);
  CHECK(whole.entries[2].entry.parent == entry_id(2));
  REQUIRE(whole.notices.size() == 1);
  CHECK(whole.notices[0].find(to_string(entry_id(3))) != std::string::npos);
  CHECK(store.open(sample_session).damage == store::DamageCount{.altered = 1});
}

TEST_CASE("an altered head that names nobody hides no entry") {
  const Sample sample = make_sample(
      "head", {{says(1)},
               {says(2)},
               {notes(3, R"({"kind":"head","entryId":")" + to_string(entry_id(1)) + "\"}")}});
  std::string bytes = sample.bytes;
  bytes[bytes.find(R"("entryId":")") + 11] ^= 1;
  CrashDisk disk;
  put_transcript(disk, bytes);
  store::home::FileBackend backend(disk.process());
  CHECK(backend.open(sample_session)->state.head == entry_id(2));
}

TEST_CASE("carriage returns and a byte order mark lose nothing") {
  const Sample sample = three_lines();
  std::string dos;
  for (const char c : sample.bytes) dos += c == '\n' ? std::string("\r\n") : std::string(1, c);
  CHECK(seen_in(dos).entries == Numbers{1, 2, 3});

  const Seen marked = seen_in("\xEF\xBB\xBF" + sample.bytes);
  CHECK(marked.entries == Numbers{1, 2, 3});
  CHECK(marked.damage.broken == Ranges{{0, 3}});
}

TEST_CASE("a run of NULs in the middle costs what it covers and at the end nothing") {
  const Sample sample = three_lines();
  std::string middle = sample.bytes;
  middle.insert(sample.lines[2].begin, std::string(5000, '\0'));
  CHECK(seen_in(middle).entries == Numbers{1, 2, 3});
  CHECK(seen_in(middle).damage.broken ==
        Ranges{{sample.lines[2].begin, sample.lines[2].begin + 5000}});

  const Seen end = seen_in(sample.bytes + std::string(143'000, '\0'));
  CHECK(end.entries == Numbers{1, 2, 3});
  CHECK(end.damage.uncommitted == Ranges{{sample.bytes.size(), sample.bytes.size() + 143'000}});
}

TEST_CASE("one byte that is not UTF-8 costs at most its own line") {
  const Sample sample = three_lines();
  std::string bytes = sample.bytes;
  bytes[bytes.find("hello", sample.lines[2].begin)] = '\xff';
  const Seen seen = seen_in(bytes);
  CHECK(seen.entries == Numbers{1, 3});
  CHECK(seen.damage.broken == Ranges{{sample.lines[2].begin, sample.lines[2].end}});
}

TEST_CASE("a damaged header opens read-only and keeps every entry") {
  const Sample sample = three_lines();
  std::string bytes = sample.bytes;
  bytes[3] = 'X';
  const Seen seen = seen_in(bytes);
  CHECK(seen.entries == Numbers{1, 2, 3});
  CHECK(seen.damage.header_damaged);

  CrashDisk disk;
  put_transcript(disk, bytes);
  store::home::FileBackend backend(disk.process());
  const store::NewEntry entry = says(4);
  const store::Result<store::AppendResult> refused =
      backend.append(sample_session, std::span(&entry, 1), {});
  REQUIRE_FALSE(ok(refused));
  CHECK(refused.error().kind == store::Failure::Kind::read_only);
  CHECK(disk.bytes(path) == bytes);
}

TEST_CASE("leaving a session with a damaged header does not hide it from the list") {
  CrashDisk disk;
  std::string bytes = three_lines().bytes;
  bytes[3] = 'X';
  put_transcript(disk, bytes);
  {
    store::home::FileBackend backend(disk.process());
    REQUIRE(ok(backend.open(sample_session)));
    (void)backend.list();
    backend.remember(sample_session, "/w");
  }
  store::home::FileBackend backend(disk.process());
  const std::vector<store::SessionRecord> listed = *backend.list();
  REQUIRE(listed.size() == 1);
  CHECK(listed[0].header.session == sample_session);
  CHECK(listed[0].key == "main:recovered:" + to_string(sample_session));
}

TEST_CASE("an empty file and a file that is no transcript are refused and left as they are") {
  for (const std::string& bytes : {std::string{}, std::string("\n\n\n"), std::string("hello\n"),
                                   std::string("{\"a\":1}\n[1,2]\n"), std::string(70'000, '\0')}) {
    CHECK_FALSE(seen_in(bytes).opened);
    CrashDisk disk;
    put_transcript(disk, bytes);
    store::home::FileBackend backend(disk.process());
    const store::NewEntry entry = says(1);
    CHECK_FALSE(ok(backend.append(sample_session, std::span(&entry, 1), {})));
    CHECK(disk.bytes(path) == bytes);
    CHECK(backend.list()->empty());
    CHECK(store::home::maintenance::strays(backend.home())->size() == 1);
  }
}

TEST_CASE("a transcript under another session's name is not taken for that session's") {
  const Seen mine = seen_in(three_lines().bytes);
  CrashDisk disk;
  put_transcript(disk, three_lines().bytes, Id{0x77});
  store::home::FileBackend backend(disk.process());
  const store::NewEntry entry = says(4);
  CHECK(mine.opened);
  CHECK_FALSE(ok(backend.append(Id{0x77}, std::span(&entry, 1), {})));
  CHECK(disk.bytes(transcript_path(Id{0x77})) == three_lines().bytes);
}

TEST_CASE("circles, orphans and doubled ids still give every path an end") {
  const Sample sample = make_sample("odd", {{says_after(1, 2)},
                                            {says_after(2, 1)},
                                            {says_after(3, 3)},
                                            {says_after(5, 4)},
                                            {says_after(1, 5)}});
  CrashDisk disk;
  put_transcript(disk, sample.bytes);
  store::home::FileBackend backend(disk.process());
  CHECK(ids_of(backend, sample_session).size() == 5);
  model::Tree::Builder builder;
  (void)backend.load(sample_session, 0, [&](const store::StoredEntry& placed) {
    if (placed.entry.type != model::type::session_header)
      builder.add(model::facts_of(placed.entry, placed.at));
    return true;
  });
  const model::Tree tree = std::move(builder).build();
  CHECK(tree.path(entry_id(5)).size() == 4);
  CHECK(tree.oddities().size() == 4);
}

TEST_CASE("a file that was edited and has grown is read anew") {
  const Sample sample = three_lines();
  CrashDisk disk;
  put_transcript(disk, sample.bytes);
  const auto files = disk.process();
  LogWriter log(*files, sample_session);
  REQUIRE(log.refresh());
  std::string bytes = sample.bytes;
  bytes.replace(bytes.find("hello", sample.lines[1].begin), 5, "hello, in many more words");
  disk.put(path, bytes);
  REQUIRE(log.refresh());
  CHECK(log.state().entries == 3);
  CHECK(log.memory().end == bytes.size());
  CHECK(log.memory().damage.altered == 1);
}

TEST_CASE("an end that was cut off is no torn write if what stood there was acknowledged") {
  CrashDisk disk;
  {
    store::home::FileBackend one(disk.process());
    REQUIRE(ok(one.create(header_of(sample_session), {})));
    for (const store::NewEntry& entry : {says(1), says(2)})
      REQUIRE(ok(one.append(sample_session, std::span(&entry, 1), {})));
    REQUIRE(one.list()->size() == 1);  // and the index knows how long it is
  }
  std::string bytes = disk.bytes(path);
  bytes.resize(bytes.size() - 10);
  disk.put(path, bytes);
  store::home::FileBackend two(disk.process());
  const store::NewEntry more = says(3);
  REQUIRE(ok(two.append(sample_session, std::span(&more, 1), {})));
  CHECK(ids_of(two, sample_session) == std::vector{entry_id(1), entry_id(3)});
  CHECK(disk.bytes(path).starts_with(bytes));
  CHECK(quarantined(disk).empty());
}

TEST_CASE(
    "a blank line is no damage, wherever it is, and the next append removes those at the end") {
  const Sample sample = make_sample("batches", {{says(1)}, {says(2), says(3)}, {says(4)}});
  for (const std::string blank : {"\n", "\r\n", " \t\n\n"})
    for (std::size_t line = 1; line <= sample.lines.size(); ++line) {
      CAPTURE(line);
      const std::uint64_t at =
          line < sample.lines.size() ? sample.lines[line].begin : sample.bytes.size();
      std::string bytes = sample.bytes;
      bytes.insert(at, blank);
      const Seen seen = seen_in(bytes);
      CHECK(seen.entries == Numbers{1, 2, 3, 4});
      CHECK_FALSE(seen.damage.any());

      CrashDisk disk;
      put_transcript(disk, bytes);
      const auto files = disk.process();
      LogWriter log(*files, sample_session);
      REQUIRE(log.refresh());
      const store::NewEntry five{says(5)};
      REQUIRE(log.append(std::span(&five, 1), {}));
      CHECK(disk.paths("quarantine").empty());
      LogWriter again(*files, sample_session);
      REQUIRE(again.refresh());
      CHECK(numbers(entries_of(again)) == Numbers{1, 2, 3, 4, 5});
      CHECK_FALSE(again.examine()->any());
      if (line == sample.lines.size())
        CHECK(disk.bytes(path).find("\n" + blank) == std::string::npos);
    }
}

TEST_CASE("a newline that comes back behind a line without one joins no lines") {
  const Sample sample = three_lines();
  CrashDisk disk;
  put_transcript(disk, sample.bytes.substr(0, sample.bytes.size() - 1));
  const auto files = disk.process();
  LogWriter log(*files, sample_session);
  REQUIRE(log.refresh());
  put_transcript(disk, sample.bytes);
  const store::NewEntry four{says(4)};
  REQUIRE(log.append(std::span(&four, 1), {}));
  LogWriter again(*files, sample_session);
  REQUIRE(again.refresh());
  CHECK(numbers(entries_of(again)) == Numbers{1, 2, 3, 4});
  CHECK_FALSE(again.examine()->any());
}
