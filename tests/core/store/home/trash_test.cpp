#include <doctest/doctest.h>

#include <filesystem>

#include "core/context/history.h"
#include "core/store/expiry.h"
#include "core/text/json.h"
#include "tests/support/homes.h"
#include "tests/support/temp_dir.h"

using namespace skein;
using namespace skein::test;

namespace {

struct Home {
  TempDir dir{};
  store::SessionStore store = store_at((dir / "home").string());
  Id session = session_called(store, "main:cli:user");

  Home() {
    append(store, session, {user_says("one", numbered_id(1)), user_says("two", numbered_id(2))});
  }
  model::SessionState state() { return store.open(session).state; }
  model::SessionState state_after_restart() {
    return store_at((dir / "home").string()).open(session).state;
  }
};

store::Failure::Kind kind_of(const store::Result<store::AppendResult>& outcome) {
  REQUIRE(!outcome);
  return outcome.error().kind;
}

}  // namespace

TEST_CASE("a snapshot names an entry, a rollback goes back to it, and what came after stays") {
  Home home;
  value_of(home.store.mark(home.session, model::payload::Snapshot{"before", numbered_id(1)}));
  CHECK(home.state().snapshots == std::map<std::string, Id>{{"before", numbered_id(1)}});
  CHECK(home.state().head == numbered_id(2));  // a snapshot moves nothing

  value_of(rollback(home.store, home.session, "before"));
  CHECK(home.state_after_restart().head == numbered_id(1));
  append(home.store, home.session, {user_says("other", numbered_id(3))});

  const std::vector<Id> leaves{numbered_id(2), numbered_id(3)};
  CHECK(home.state().leaves == leaves);
}

TEST_CASE("a snapshot is replaced by its name and deleted by its name") {
  Home home;
  value_of(home.store.mark(home.session, model::payload::Snapshot{"here", numbered_id(1)}));
  value_of(home.store.mark(home.session, model::payload::Snapshot{"here", numbered_id(2)}));
  CHECK(home.state().snapshots == std::map<std::string, Id>{{"here", numbered_id(2)}});

  value_of(home.store.mark(home.session, model::payload::Snapshot{"here", std::nullopt}));

  CHECK(home.state_after_restart().snapshots.empty());
  CHECK(kind_of(rollback(home.store, home.session, "here")) == store::Failure::Kind::gone);
  CHECK(kind_of(home.store.mark(home.session, model::payload::Snapshot{"here", std::nullopt})) ==
        store::Failure::Kind::gone);
}

TEST_CASE("a snapshot of nothing is refused") {
  Home home;
  CHECK(kind_of(home.store.mark(home.session, model::payload::Snapshot{"x", numbered_id(9)})) ==
        store::Failure::Kind::gone);
  CHECK(kind_of(home.store.mark(home.session, model::payload::Snapshot{"", numbered_id(1)})) ==
        store::Failure::Kind::refused);
  const Id marginal =
      *value_of(home.store.mark(home.session, model::payload::Title{"a title"})).last;
  CHECK(kind_of(home.store.mark(home.session, model::payload::Snapshot{"x", marginal})) ==
        store::Failure::Kind::refused);
}

TEST_CASE("a label stands at its entry until it is taken away") {
  Home home;
  value_of(home.store.mark(home.session, model::payload::Label{numbered_id(1), "the good one"}));
  CHECK(home.state_after_restart().labels ==
        std::map<Id, std::string>{{numbered_id(1), "the good one"}});
  value_of(home.store.mark(home.session, model::payload::Label{numbered_id(1), ""}));
  CHECK(home.state().labels.empty());
}

TEST_CASE("a redacted prompt is masked in what a model sees and gives the session no title") {
  Home home;
  REQUIRE(home.state().title == "one");

  value_of(home.store.mark(home.session, model::payload::Redaction{numbered_id(1), "a secret"}));

  const model::SessionState state = home.state_after_restart();
  CHECK(state.redacted == std::set<Id>{numbered_id(1)});
  CHECK(state.title == "[redacted]");
  std::vector<model::Entry> path;
  for (const store::StoredEntry& placed :
       value_of(home.store.path(home.session, *state.head)).entries)
    path.push_back(placed.entry);
  const std::vector<model::Message> seen = context::messages_of(path, state.redacted);
  REQUIRE(seen.size() == 2);
  CHECK(model::plain_text(seen[0]) == "[redacted]");
  CHECK(model::plain_text(seen[1]) == "two");
}

TEST_CASE("a title that was given survives a redaction") {
  Home home;
  value_of(home.store.mark(home.session, model::payload::Title{"my own"}));
  value_of(home.store.mark(home.session, model::payload::Redaction{numbered_id(1), ""}));
  CHECK(home.state().title == "my own");
}

TEST_CASE("the summary of another branch is masked when it is redacted") {
  const model::Entry summary =
      model::make_entry(model::type::branch_summary, R"({"summary":"a secret"})");
  const std::vector<model::Message> seen =
      context::messages_of(std::span(&summary, 1), {summary.id});
  REQUIRE(seen.size() == 1);
  CHECK(model::plain_text(seen.front()).find("secret") == std::string::npos);
}

TEST_CASE("an emptied trash is empty, and what is not in it is untouched") {
  Home home;
  const Id other = session_called(home.store, "main:cli:other");
  REQUIRE(home.store.life_cycle().erase(other));
  const std::vector<std::string> before = listing(home.store);

  CHECK(value_of(home.store.life_cycle().empty_trash()).sessions == 1);

  CHECK(std::filesystem::is_empty(home.dir / "home" / "trash"));
  CHECK(listing(home.store) == before);
  CHECK(value_of(home.store.life_cycle().empty_trash()).sessions == 0);
}

TEST_CASE("only sessions nobody wrote to for so long count as unused, the oldest first") {
  Home home;
  const auto written = [&](const std::string& key, std::int64_t days_ago) {
    const Id session = session_called(home.store, key);
    store::NewEntry entry = user_says("then");
    entry.entry.timestamp = utc_from_ms(now_ms() - days_ago * 86'400'000);
    append(home.store, session, {entry});
    return session;
  };
  const Id older = written("main:cli:older", 40), old = written("main:cli:old", 31);
  written("main:cli:fresh", 29);

  std::vector<Id> found;
  for (const store::SessionRecord& record : unused_for(home.store, std::int64_t{30} * 86'400'000))
    found.push_back(record.header.session);

  CHECK(found == std::vector<Id>{older, old});
}

TEST_CASE(
    "of two sessions thrown away under one key the last comes back, whatever the clock says") {
  Home home;
  namespace fs = std::filesystem;
  REQUIRE(home.store.life_cycle().erase(home.session));
  const fs::path trash = home.dir / "home/trash";
  // As if the clock had been set back since.
  fs::rename(trash / fs::directory_iterator(trash)->path().filename(),
             trash / (to_string(home.session) + ".4102444800000.jsonl"));
  const Id later = session_called(home.store, "main:cli:user");
  REQUIRE(home.store.life_cycle().erase(later));

  CHECK(value_of(home.store.life_cycle().restore("main:cli:user")).header.session == later);
}
