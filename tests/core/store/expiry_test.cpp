#include "core/store/expiry.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/store/children.h"
#include "tests/support/homes.h"
#include "tests/support/temp_dir.h"

using namespace skein;
using namespace skein::test;
using store::Expired, store::Expiring, store::expiring, store::ExpiryRules;

namespace {

constexpr std::int64_t day = 24 * 60 * 60 * 1000;

struct Home {
  TempDir dir{};
  store::SessionStore store = store_at((dir / "home").string());
  std::int64_t later = now_ms();

  Id session(const std::string& key) {
    const Id made = session_called(store, key);
    append(store, made, {user_says("hello")});
    store.presence().remember(made, "");
    later = now_ms();
    return made;
  }
  std::vector<std::string> after(std::int64_t days, const ExpiryRules& rules,
                                 std::optional<Id> open = {}) {
    std::vector<std::string> out;
    for (const Expiring& each : expiring(store.list(), rules, later + days * day, open))
      out.push_back((each.what == Expiring::What::trash ? "trash " : "archive ") + each.record.key);
    std::ranges::sort(out);
    return out;
  }
};

using Names = std::vector<std::string>;
const ExpiryRules both{.archive_after_ms = 30 * day, .trash_after_ms = 365 * day};

}  // namespace

TEST_CASE("without a rule nothing ever expires") {
  Home home;
  home.session("main:cli:one");
  CHECK(home.after(10'000, {}) == Names{});
}

TEST_CASE("what was brought in counts from then on, however old it is") {
  Home home;
  const Id one = session_called(home.store, "main:claude:one");
  store::NewEntry old = user_says("years ago");
  old.entry.timestamp = "2020-01-02T03:04:05.000Z";
  append(
      home.store, one,
      {{model::make_entry(model::payload::Import{.from = "claude-code", .at = now_utc()})}, old});
  home.store.presence().remember(one, "");
  home.later = now_ms();
  CHECK(home.after(29, both) == Names{});
  CHECK(home.after(31, both) == Names{"archive main:claude:one"});
  CHECK(home.after(366, both) == Names{"trash main:claude:one"});
}

TEST_CASE("unused sessions are archived first and thrown away much later") {
  Home home;
  const Id one = home.session("main:cli:one");
  CHECK(home.after(29, both) == Names{});
  CHECK(home.after(31, both) == Names{"archive main:cli:one"});
  CHECK(home.after(366, both) == Names{"trash main:cli:one"});
  value_of(home.store.life_cycle().archive(one));
  CHECK(home.after(31, both) == Names{});
  CHECK(home.after(366, both) == Names{"trash main:cli:one"});
}

TEST_CASE("pinned and labelled sessions and the open one are left alone") {
  Home home;
  const Id pinned = home.session("main:cli:pinned");
  const Id named = home.session("main:cli:named");
  const Id open = home.session("main:cli:open");
  value_of(home.store.mark(pinned, model::payload::Pin{true}));
  value_of(
      home.store.mark(named, model::payload::Label{*home.store.open(named).state.head, "here"}));
  for (const Id id : {pinned, named}) home.store.presence().remember(id, "");
  home.later = now_ms();
  CHECK(home.after(1000, both, open) == Names{});
  value_of(home.store.mark(pinned, model::payload::Pin{false}));
  home.store.presence().remember(pinned, "");
  home.later = now_ms();
  CHECK(home.after(1000, both, open) == Names{"trash main:cli:pinned"});
}

TEST_CASE("a sub-agent's session expires with its parent, not before") {
  Home home;
  const Id parent = home.session("main:cli:one");
  const Id child = random_id();
  const store::SessionHeader header{
      .session = child,
      .key = store::child_key(child),
      .cwd = "/w",
      .created_by = "test",
      .created_at = "2020-01-02T03:04:05.000Z",
      .parent_session = store::SessionHeader::Origin{parent, random_id()}};
  store::value_or_throw(home.store.sessions().create(header, {}));
  CHECK(home.after(1, both) == Names{});
  CHECK(home.after(366, both) == Names{"trash main:cli:one"});
  const auto planned = expiring(home.store.list(), both, home.later + 366 * day, std::nullopt);
  CHECK(store::value_or_throw(store::expire(home.store, planned.at(0))) == Expired::done);
  CHECK(home.store.list().empty());
}

TEST_CASE("a session's own time to live counts without any rule, and instead of one") {
  Home home;
  const Id one = home.session("main:cli:one");
  value_of(home.store.mark(one, model::payload::Ttl{"2w"}));
  home.store.presence().remember(one, "");
  home.later = now_ms();
  CHECK(home.after(13, {}) == Names{});
  CHECK(home.after(15, {}) == Names{"trash main:cli:one"});
  value_of(home.store.mark(one, model::payload::Ttl{"1000d"}));
  home.store.presence().remember(one, "");
  home.later = now_ms();
  CHECK(home.after(400, {.trash_after_ms = 365 * day}) == Names{});
  value_of(home.store.mark(one, model::payload::Ttl{""}));
  home.store.presence().remember(one, "");
  home.later = now_ms();
  CHECK(home.after(10'000, {}) == Names{});
}

TEST_CASE("what was used or pinned since it was planned is left alone") {
  Home home;
  const Id one = home.session("main:cli:one"), two = home.session("main:cli:two");
  const Id three = home.session("main:cli:three");
  std::vector<Expiring> plan =
      expiring(home.store.list(), {.trash_after_ms = day}, now_ms() + 2 * day);
  REQUIRE(plan.size() == 3);
  append(home.store, one, {user_says("still here")});
  value_of(home.store.mark(two, model::payload::Pin{true}));
  for (const Expiring& each : plan) {
    const bool goes = each.record.header.session == three;
    CHECK((value_of(store::expire(home.store, each)) == Expired::done) == goes);
  }
  CHECK(home.store.list().size() == 2);
  const std::vector<store::TrashedSession> trash = value_of(home.store.life_cycle().trash());
  REQUIRE(trash.size() == 1);
  CHECK(trash[0].key == "main:cli:three");
  CHECK(trash[0].messages == 1);
}

TEST_CASE("a session somebody works in does not expire") {
  Home home;
  const Id one = home.session("main:cli:one");
  const std::vector<Expiring> plan =
      expiring(home.store.list(), {.archive_after_ms = day}, now_ms() + 2 * day);
  REQUIRE(plan.size() == 1);
  store::SessionStore other = store_at((home.dir / "home").string());
  {
    const auto lease = value_of(other.presence().hold(one, store::LockMode::shared));
    CHECK(value_of(store::expire(home.store, plan[0])) == Expired::left_alone);
  }
  CHECK(value_of(store::expire(home.store, plan[0])) == Expired::done);
  CHECK(home.store.open(one).archived);
}

TEST_CASE("a session that was brought back is in use again") {
  Home home;
  const Id one = session_called(home.store, "main:cli:one");
  store::NewEntry old = user_says("long ago");
  old.entry.timestamp = "2020-01-01T00:00:00.000Z";
  append(home.store, one, {old});
  home.store.presence().remember(one, "");
  home.later = now_ms();
  CHECK(home.after(0, both) == Names{"trash main:cli:one"});
  value_of(home.store.life_cycle().erase(one));
  CHECK(value_of(store::restore_for_use(home.store, "main:cli:one")).header.session == one);
  CHECK(home.after(0, both) == Names{});
  CHECK(entries_of(home.store, one).size() == 2);
  // One that was in use anyway stays as it is.
  value_of(home.store.life_cycle().erase(one));
  value_of(store::restore_for_use(home.store, "main:cli:one"));
  CHECK(entries_of(home.store, one).size() == 2);
}

TEST_CASE("pins and times to live are known without reading the transcript") {
  Home home;
  const Id one = home.session("main:cli:one");
  value_of(home.store.mark(one, model::payload::Pin{true}));
  value_of(home.store.mark(one, model::payload::Ttl{"30d"}));
  home.store.presence().remember(one, "");
  store::SessionStore fresh = store_at((home.dir / "home").string());
  const std::vector<store::SessionRecord> all = fresh.list();
  REQUIRE(all.size() == 1);
  CHECK(all[0].state.pinned);
  CHECK(all[0].state.ttl == "30d");
}
