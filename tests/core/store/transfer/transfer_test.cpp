#include "core/store/transfer/transfer.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "core/store/session_store.h"
#include "tests/support/any_home.h"
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
  return value_of(move_session(from, to, value_of(from.open(session))));
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
    const auto refused = move_session(*homes.from, *homes.to, value_of(homes.from->open(a)));
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
    CHECK(to->admit(a, give).error().kind == Failure::Kind::damaged);
    lines = {good[0], good[1]};  // half of a batch
    CHECK(to->admit(a, give).error().kind == Failure::Kind::damaged);
    CHECK(to->open(a).error().kind == Failure::Kind::gone);
    lines = {good[0]};
    const Position end = value_of(to->admit(a, give)).bytes;
    CHECK(to->extend(a, end, Lines{good[1]}).error().kind == Failure::Kind::conflict);
    CHECK(to->extend(a, end + 1, Lines{good[1], good[2]}).error().kind == Failure::Kind::conflict);
    CHECK(ok(to->extend(a, end, Lines{good[1], good[2]})));
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
