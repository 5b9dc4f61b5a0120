#include "core/store/children.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/support/homes.h"
#include "tests/support/temp_dir.h"

using namespace skein;
using namespace skein::store;

namespace {

Id child_of(SessionStore& store, Id parent) {
  const Id id = random_id();
  const SessionHeader header{.session = id,
                             .key = child_key(id),
                             .cwd = "/w",
                             .created_by = "test",
                             .created_at = now_utc(),
                             .parent_session = SessionHeader::Origin{parent, random_id()}};
  value_or_throw(store.sessions().create(header, {}));
  return id;
}

}  // namespace

TEST_CASE("the sessions of sub-agents are folded under the one they work for") {
  const test::TempDir dir;
  SessionStore store = test::store_at((dir / "home").string());
  const Id parent = value_or_throw(store.create_session({.key = "main:a:b"})).session_id;
  const Id other = value_or_throw(store.create_session({.key = "main:a:c"})).session_id;
  const Id first = child_of(store, parent), second = child_of(store, parent);
  child_of(store, other);

  std::vector<SessionRecord> all = store.list();
  const auto counts = fold_children(all);

  CHECK(all.size() == 2);
  CHECK(counts.at(parent) == 2);
  CHECK(counts.at(other) == 1);
  const std::vector<SessionRecord> children = children_of(store, parent);
  REQUIRE(children.size() == 2);
  for (const SessionRecord& each : children)
    CHECK((each.header.session == first || each.header.session == second));
}

TEST_CASE("a branch is no child, and a key alone makes none") {
  CHECK_FALSE(is_child({.key = "main:sub:1", .header = {.key = "main:sub:1"}}));
  SessionRecord branch{.key = "main:cli:1"};
  branch.header.parent_session = SessionHeader::Origin{random_id(), random_id()};
  CHECK_FALSE(is_child(branch));
}

TEST_CASE("whoever deletes or archives a session does so with its sub-agents'") {
  const test::TempDir dir;
  SessionStore store = test::store_at((dir / "home").string());
  const Id parent = value_or_throw(store.create_session({.key = "main:a:b"})).session_id;
  const Id other = value_or_throw(store.create_session({.key = "main:a:c"})).session_id;
  child_of(store, parent);
  const Id stays = child_of(store, other);

  value_or_throw(archive_family(store, other));
  CHECK(store.open(stays).archived);
  value_or_throw(unarchive_family(store, other));
  CHECK_FALSE(store.open(stays).archived);
  value_or_throw(erase_family(store, parent));

  CHECK(store.list().size() == 2);
  CHECK(value_or_throw(store.life_cycle().trash()).size() == 2);
}

TEST_CASE("whoever brings a session back brings its sub-agents' back") {
  const test::TempDir dir;
  SessionStore store = test::store_at((dir / "home").string());
  const Id parent = value_or_throw(store.create_session({.key = "main:a:b"})).session_id;
  const Id other = value_or_throw(store.create_session({.key = "main:a:c"})).session_id;
  const Id first = child_of(store, parent), second = child_of(store, parent);
  child_of(store, other);
  value_or_throw(archive_family(store, parent));
  value_or_throw(erase_family(store, parent));
  value_or_throw(erase_family(store, other));

  CHECK(value_or_throw(store.life_cycle().restore("main:a:b")).header.session == parent);

  CHECK(store.list().size() == 3);
  CHECK(children_of(store, parent).size() == 2);
  for (const Id each : {first, second}) CHECK(store.open(each).key == child_key(each));
  CHECK(value_or_throw(store.life_cycle().trash()).size() == 2);
}
