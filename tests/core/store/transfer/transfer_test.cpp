#include "core/store/transfer/transfer.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/store/home/file_backend.h"
#include "core/store/session_store.h"
#include "tests/support/any_home.h"
#include "tests/support/crash_disk.h"
#include "tests/support/homes.h"
#include "tests/support/postgres_server.h"
#include "tests/support/store_samples.h"

using namespace skein;
using namespace skein::store;
using namespace skein::store::transfer;
using namespace skein::test;

namespace {

using How = Moved::How;
using Kind = AnyHome::Kind;
using Lines = std::vector<std::string>;

constexpr Id a{0xa}, b{0xb};

Lines lines_of(StorageBackend& store, Id session) {
  Lines out;
  value_of(store.give_lines(session, 0, [&](std::string_view line) {
    out.emplace_back(line);
    return true;
  }));
  return out;
}

Moved move(StorageBackend& from, StorageBackend& to, Id session) {
  return value_of(move_session(from, to, session));
}

void add(StorageBackend& store, Id session, const std::vector<NewEntry>& entries) {
  value_of(store.append(session, entries, {}));
}

// Every pair of kinds that can be tried here.
std::vector<std::pair<Kind, Kind>> pairs() {
  if (!has_postgres()) return {{Kind::folder, Kind::folder}};
  return {{Kind::folder, Kind::folder},
          {Kind::folder, Kind::database},
          {Kind::database, Kind::folder},
          {Kind::database, Kind::database}};
}

struct TwoHomes {
  explicit TwoHomes(std::pair<Kind, Kind> kinds)
      : here(kinds.first), there(kinds.second), from(here.open()), to(there.open()) {
    CAPTURE(static_cast<int>(kinds.first));
    value_of(from->create(header_of(a, "main:cli:user"), {}));
    add(*from, a, {says(1), says(2, "\u00e9\u2028\x01")});
    add(*from, a, {says(3)});
  }
  AnyHome here, there;
  std::unique_ptr<StorageBackend> from, to;
};

}  // namespace

TEST_CASE("a session arrives byte for byte, and once") {
  for (const auto& kinds : pairs()) {
    TwoHomes homes(kinds);
    const Moved moved = move(*homes.from, *homes.to, a);
    CHECK(moved.how == How::whole);
    CHECK(moved.entries == 3);
    CHECK(lines_of(*homes.there.open(), a) == lines_of(*homes.from, a));
    CHECK(value_of(homes.there.open()->open(a)).state == value_of(homes.from->open(a)).state);
    CHECK(value_of(homes.there.open()->find("main:cli:user")).header.session == a);
    CHECK(move(*homes.from, *homes.to, a).how == How::unchanged);
    CHECK(move(*homes.to, *homes.from, a).how == How::unchanged);
    CHECK_FALSE(value_of(homes.there.open()->examine(a)).any());
  }
}

TEST_CASE("what a session lacks is appended as it stands") {
  for (const auto& kinds : pairs()) {
    TwoHomes homes(kinds);
    move(*homes.from, *homes.to, a);
    add(*homes.from, a, {says(4), says(5)});
    add(*homes.from, a, {notes(6, R"({"kind":"title","text":"x"})")});
    const Moved moved = move(*homes.from, *homes.to, a);
    CHECK(moved.how == How::extended);
    CHECK(moved.entries == 3);
    CHECK(lines_of(*homes.there.open(), a) == lines_of(*homes.from, a));
    // What was moved is gone on with like any other.
    add(*homes.to, a, {says(7)});
    CHECK(move(*homes.to, *homes.from, a).how == How::extended);
    CHECK(lines_of(*homes.here.open(), a) == lines_of(*homes.to, a));
    CHECK(value_of(homes.from->open(a)).state.title == "x");
  }
}

TEST_CASE("two that went on become branches, and each head stays") {
  for (const auto& kinds : pairs()) {
    TwoHomes homes(kinds);
    move(*homes.from, *homes.to, a);
    add(*homes.from, a, {says(4), says(5)});
    add(*homes.to, a, {says(6)});
    const Moved moved = move(*homes.from, *homes.to, a);
    CHECK(moved.how == How::branched);
    CHECK(moved.entries == 2);
    const SessionState there = value_of(homes.there.open()->open(a)).state;
    CHECK(there.head == entry_id(6));
    CHECK(there.leaves.size() == 2);
    CHECK(move(*homes.from, *homes.to, a).how == How::unchanged);
    CHECK(move(*homes.to, *homes.from, a).how == How::branched);
    const SessionState here = value_of(homes.here.open()->open(a)).state;
    CHECK(here.head == entry_id(5));
    CHECK(here.leaves.size() == 2);
    CHECK_FALSE(value_of(homes.there.open()->examine(a)).any());
  }
}

TEST_CASE("a key that another session has is not given away") {
  for (const auto& kinds : pairs()) {
    TwoHomes homes(kinds);
    value_of(homes.to->create(header_of(b, "main:cli:user"), {}));
    const auto refused = move_session(*homes.from, *homes.to, a);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().kind == Failure::Kind::conflict);
    CHECK(value_of(homes.there.open()->list()).size() == 1);
    CHECK(homes.to->open(a).error().kind == Failure::Kind::gone);
  }
}

TEST_CASE("blobs come along, and an archived session arrives archived") {
  for (const auto& kinds : pairs()) {
    TwoHomes homes(kinds);
    const std::string name = value_of(homes.from->keep_blob("large"));
    add(*homes.from, a, {notes(7, R"({"kind":"x","blob":")" + name + "\"}")});
    value_of(homes.from->archive(a));
    move(*homes.from, *homes.to, a);
    CHECK(value_of(homes.there.open()->load_blob(name)) == "large");
    CHECK(value_of(homes.there.open()->open(a)).archived);
    const std::string later = value_of(homes.from->keep_blob("later"));
    add(*homes.from, a, {notes(8, R"({"kind":"x","blob":")" + later + "\"}")});
    move(*homes.from, *homes.to, a);
    CHECK(value_of(homes.there.open()->load_blob(later)) == "later");
  }
}

TEST_CASE("what was in files stays on the machine, whichever way a session moves") {
  for (const auto& kinds : pairs()) {
    TwoHomes homes(kinds);
    const auto kept_of = [&](int number, const std::string& bytes) {
      std::string name = value_of(homes.from->keep_blob(bytes));
      model::payload::Checkpoint state{.phase = "before", .root = "/w", .coverage = "tools"};
      state.files = {{"secret", 0600, name, bytes.size()}};
      add(*homes.from, a, {{model::make_entry(state)}, says(number)});
      return name;
    };
    const auto is_there = [&](const std::string& name) {
      return bool(homes.there.open()->load_blob(name));
    };
    const std::string first = kept_of(11, "one");
    REQUIRE(move(*homes.from, *homes.to, a).how == How::whole);
    const std::string second = kept_of(12, "two");
    REQUIRE(move(*homes.from, *homes.to, a).how == How::extended);
    add(*homes.to, a, {says(13)});
    const std::string third = kept_of(14, "three");
    REQUIRE(move(*homes.from, *homes.to, a).how == How::branched);
    CHECK_FALSE(is_there(first));
    CHECK_FALSE(is_there(second));
    CHECK_FALSE(is_there(third));
  }
}

TEST_CASE("lines whose seals do not fit are not taken") {
  for (const Kind kind : {Kind::folder, Kind::database}) {
    if (kind == Kind::database && !has_postgres()) continue;
    const AnyHome home(kind), other(Kind::folder);
    const auto from = other.open(), to = home.open();
    value_of(from->create(header_of(a, "main:cli:user"), {}));
    add(*from, a, {says(1), says(2)});
    Lines lines = lines_of(*from, a);
    const auto give = [&](const VisitText& visit) -> Result<void> {
      for (const std::string& line : lines)
        if (!visit(line)) break;
      return {};
    };
    const Lines good = lines;
    lines[1][lines[1].find("hello")] = 'j';
    CHECK(to->import_lines(a, give).error().kind == Failure::Kind::damaged);
    lines = {good[0], good[1]};  // half of a batch
    CHECK(to->import_lines(a, give).error().kind == Failure::Kind::damaged);
    CHECK(to->open(a).error().kind == Failure::Kind::gone);
    lines = {good[0]};
    const Position end = value_of(to->import_lines(a, give)).bytes;
    CHECK(to->append_lines(a, end, Lines{good[1]}).error().kind == Failure::Kind::conflict);
    CHECK(to->append_lines(a, end + 1, Lines{good[1], good[2]}).error().kind ==
          Failure::Kind::conflict);
    CHECK(ok(to->append_lines(a, end, Lines{good[1], good[2]})));
    CHECK(lines_of(*home.open(), a) == good);
  }
}

TEST_CASE("two homes that are synced have the same entries, and doing it again changes nothing") {
  for (const auto& kinds : pairs()) {
    TwoHomes homes(kinds);
    const auto sync = [&] { return value_of(sync_session(*homes.from, *homes.to, a)); };
    CHECK(sync().there.how == How::whole);
    add(*homes.from, a, {says(4), says(5)});
    add(*homes.to, a, {says(6)});
    const Synced parted = sync();
    CHECK(parted.there.how == How::branched);
    CHECK(parted.there.entries == 2);
    CHECK(parted.here.how == How::branched);
    CHECK(parted.here.entries == 1);
    for (int again = 0; again < 3; ++again) {
      const Synced same = sync();
      CHECK(same.there.how == How::unchanged);
      CHECK(same.here.how == How::unchanged);
    }
    const SessionState here = value_of(homes.here.open()->open(a)).state,
                       there = value_of(homes.there.open()->open(a)).state;
    CHECK(here.head == entry_id(5));
    CHECK(there.head == entry_id(6));
    CHECK(here.leaves.size() == 2);
    CHECK(there.leaves.size() == 2);
    CHECK_FALSE(value_of(homes.from->examine(a)).any());
    CHECK_FALSE(value_of(homes.to->examine(a)).any());
  }
}

TEST_CASE("a head that the other side goes on from goes along") {
  for (const auto& kinds : pairs()) {
    TwoHomes homes(kinds);
    const auto sync = [&] { return value_of(sync_session(*homes.from, *homes.to, a)); };
    sync();
    add(*homes.from, a, {says(4)});
    add(*homes.to, a, {says(5)});
    sync();
    // They have parted. Who is there goes over to the branch from here, which then grows.
    add(*homes.to, a, {{model::make_entry(payload::Head{entry_id(4)})}});
    add(*homes.from, a, {says(6)});
    sync();
    CHECK(value_of(homes.there.open()->open(a)).state.head == entry_id(6));
    CHECK(value_of(homes.here.open()->open(a)).state.head == entry_id(6));
  }
}

TEST_CASE("a session that only the other home has comes, under a key of its own") {
  for (const auto& kinds : pairs()) {
    TwoHomes homes(kinds);
    value_of(homes.to->create(header_of(b, "main:cli:user"), {}));
    add(*homes.to, b, {says(9)});
    CHECK(value_of(sync_session(*homes.from, *homes.to, b)).here.how == How::whole);
    CHECK(value_of(sync_session(*homes.from, *homes.to, a)).there.how == How::whole);
    CHECK(value_of(homes.here.open()->open(b)).key == "main:cli:user.2");
    CHECK(value_of(homes.there.open()->open(a)).key == "main:cli:user.2");
    CHECK(value_of(sync_session(*homes.from, *homes.to, b)).there.how == How::unchanged);
  }
}

namespace {

std::unique_ptr<StorageBackend> home_on(CrashDisk& disk) {
  return std::make_unique<home::FileBackend>(disk.process());
}

// The sessions and what was set aside: all that a sync may change.
std::map<std::string, std::string> sessions_on(const CrashDisk& disk) {
  std::map<std::string, std::string> out;
  for (const char* folder : {"transcripts", "quarantine"})
    for (const std::string& path : disk.paths(folder)) out[path] = disk.bytes(path);
  return out;
}

// Two copies of a home, one or both of which something happens to before they are synced.
struct TwoCopies {
  explicit TwoCopies(const DiskImage& image) : here(image), there(image) {}

  Result<Synced> sync() { return sync_session(*home_on(here), *home_on(there), sample_session); }
  bool are_equal() const { return here.bytes(path) == there.bytes(path); }

  // Both have the same afterwards, or are as they were and that is told; and then it stays so.
  // Whether they have the same.
  bool settle() {
    const auto before = std::pair(sessions_on(here), sessions_on(there));
    const bool were_equal = are_equal();  // then there is nothing to bring, damaged or not
    const Result<Synced> first = sync();
    const auto after = std::pair(sessions_on(here), sessions_on(there));
    if (first) {
      CHECK(are_equal());
      for (CrashDisk* home : {&here, &there})
        CHECK((were_equal || !value_of(home_on(*home)->examine(sample_session)).any()));
    } else {
      CHECK(first.error().kind == Failure::Kind::damaged);
      CHECK(after == before);
    }
    const Result<Synced> second = sync();
    CHECK(bool(second) == bool(first));
    if (second) CHECK(second->there.how == How::unchanged);
    if (second) CHECK(second->here.how == How::unchanged);
    CHECK(std::pair(sessions_on(here), sessions_on(there)) == after);
    return bool(first);
  }

  // Whether some file of it still has these bytes.
  static bool holds(const CrashDisk& disk, const std::string& bytes) {
    return std::ranges::any_of(sessions_on(disk), [&](const auto& each) {
      return each.second.find(bytes) != std::string::npos;
    });
  }

  CrashDisk here, there;
  const std::string path = log::transcript_path(sample_session);
};

// A home with this session, its index written or not.
DiskImage image_of(const Sample& sample, bool indexed) {
  CrashDisk disk;
  put_transcript(disk, sample.bytes);
  if (indexed) value_of(home_on(disk)->list());
  return disk.now();
}

std::vector<Sample> small_samples() {
  return {make_sample("single lines", {{says(1)}, {says(2)}, {notes(3, R"({"kind":"x"})")}}),
          make_sample("batches", {{says(1), says(2), says(3)}, {says(4), says(5)}})};
}

// Places in it: those around the beginnings of lines, and some of all others.
std::vector<std::size_t> places_in(const Sample& sample) {
  std::set<std::size_t> out;
  for (std::size_t at = 0; at < sample.bytes.size(); at += 17) out.insert(at);
  for (const Sample::Line& line : sample.lines)
    for (const std::size_t at : {line.begin, line.begin + 1, line.end - 2, line.end - 1})
      out.insert(at);
  return {out.begin(), out.end()};
}

}  // namespace

TEST_CASE("a copy that was cut off anywhere is completed, and nothing of it is dropped") {
  for (const Sample& sample : small_samples())
    for (const bool indexed : {true, false})
      for (const std::size_t cut : places_in(sample))
        for (const bool here : {true, false}) {
          CAPTURE(sample.name);
          CAPTURE(indexed);
          CAPTURE(cut);
          TwoCopies homes(image_of(sample, indexed));
          CrashDisk& torn = here ? homes.here : homes.there;
          torn.put(homes.path, sample.bytes.substr(0, cut));
          CHECK(homes.settle());
          CHECK(torn.bytes(homes.path) == sample.bytes);
          const auto line = std::ranges::find_if(
              sample.lines, [&](const Sample::Line& each) { return each.end > cut; });
          CHECK(TwoCopies::holds(torn, sample.bytes.substr(line->begin, cut - line->begin)));
        }
}

TEST_CASE("a copy of which a byte was changed is completed, or both stay as they are") {
  for (const Sample& sample : small_samples()) {
    std::size_t completed = 0;
    const std::vector<std::size_t> places = places_in(sample);
    for (const std::size_t at : places) {
      CAPTURE(sample.name);
      CAPTURE(at);
      TwoCopies homes(image_of(sample, true));
      std::string bytes = sample.bytes;
      bytes[at] ^= 1;
      homes.there.put(homes.path, bytes);
      completed += homes.settle();
      CHECK(homes.here.bytes(homes.path) == sample.bytes);
    }
    CHECK(completed > places.size() / 2);
  }
}

TEST_CASE("two copies that were both cut off get what either has, or stay as they are") {
  const Sample sample = small_samples().back();
  std::size_t completed = 0, tried = 0;
  for (std::size_t ours = 0; ours < sample.bytes.size(); ours += 46)
    for (std::size_t theirs = 0; theirs < sample.bytes.size(); theirs += 58, ++tried) {
      CAPTURE(ours);
      CAPTURE(theirs);
      TwoCopies homes(image_of(sample, true));
      homes.here.put(homes.path, sample.bytes.substr(0, ours));
      homes.there.put(homes.path, sample.bytes.substr(0, theirs));
      completed += homes.settle();
    }
  CHECK(completed > tried / 6);
}

TEST_CASE("what a damaged copy has more than the other comes before it is replaced") {
  const Sample sample = small_samples().front();
  TwoCopies homes(image_of(sample, true));
  add(*home_on(homes.there), sample_session, {says(7)});
  std::string bytes = homes.there.bytes(homes.path);
  bytes[sample.lines[1].begin + 40] ^= 1;
  homes.there.put(homes.path, bytes);
  const Synced synced = value_of(homes.sync());
  CHECK(synced.here.entries == 1);
  CHECK(synced.there.replaced);
  CHECK(homes.are_equal());
  CHECK(TwoCopies::holds(homes.there, bytes));
  CHECK(value_of(home_on(homes.here)->open(sample_session)).state.head == entry_id(7));
  // An entry whose parent is only in the damaged part goes nowhere.
  TwoCopies others(image_of(sample, true));
  add(*home_on(others.there), sample_session, {says(7)});
  add(*home_on(others.there), sample_session, {says(8)});
  bytes = others.there.bytes(others.path);
  bytes[sample.bytes.size()] = '#';
  others.there.put(others.path, bytes);
  CHECK_FALSE(others.settle());
}

TEST_CASE("a copy without the file that its index names gets it") {
  const Sample sample = small_samples().front();
  DiskImage image = image_of(sample, true);
  TwoCopies homes(image);
  homes.there.process()->remove(homes.path);
  CHECK(homes.settle());
}

TEST_CASE("a file that is no transcript is never replaced") {
  const Sample sample = small_samples().front();
  for (const bool indexed : {true, false}) {
    TwoCopies homes(image_of(sample, indexed));
    homes.there.put(homes.path, "my shopping list\n");
    CHECK_FALSE(homes.settle());
    CHECK(homes.there.bytes(homes.path) == "my shopping list\n");
  }
}
