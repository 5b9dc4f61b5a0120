#include "repl/follow/follow.h"
#include "core/model/tree.h"

#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/model/entry.h"
#include "tests/support/any_home.h"
#include "tests/support/homes.h"
#include "tests/support/postgres_server.h"
#include "tests/support/store_samples.h"

using namespace skein;
using namespace skein::test;
using follow::FollowEnd, follow::FollowAction;

namespace {

using Lines = std::vector<std::string>;

// Somebody who follows, and another who writes whenever the first one waits.
struct Followed {
  explicit Followed(AnyHome::Kind kind) : home(kind), reader(home.open()), writer(home.open()) {
    session = session_called(writer, "main:cli:user");
    append(writer, session, {user_says("one"), user_says("two")});
  }

  FollowEnd run(std::vector<std::function<FollowAction()>> steps, std::size_t before = 1) {
    std::size_t step = 0;
    return follow::follow(reader, session, before,
                          {.show =
                               [&](const store::StoredEntry& placed) {
                                 shown.push_back(model::words_of(placed.entry));
                               },
                           .say = [&](const std::string& text) { said += text; },
                           .wait =
                               [&](int descriptor, std::chrono::milliseconds) {
                                 descriptors.push_back(descriptor);
                                 return step < steps.size() ? steps[step++]() : FollowAction::leave;
                               },
                           .can_take_over = true});
  }
  std::function<FollowAction()> says(const std::string& text,
                                     FollowAction wish = FollowAction::none) {
    return [this, text, wish] {
      append(writer, session, {user_says(text)});
      return wish;
    };
  }

  AnyHome home;
  store::SessionStore reader, writer;
  Id session{};
  Lines shown{};
  std::string said{};
  std::vector<int> descriptors{};
};

template <class Check>
void on_both(const Check& check) {
  for (const AnyHome::Kind kind : {AnyHome::Kind::folder, AnyHome::Kind::database}) {
    if (kind == AnyHome::Kind::database && !has_postgres()) return;
    Followed followed(kind);
    check(followed);
  }
}

}  // namespace

TEST_CASE("what others say is shown once, in order, behind what was said last") {
  on_both([](Followed& it) {
    CHECK(it.run({it.says("three"), [] { return FollowAction::none; }, it.says("four"),
                  it.says("five")}) == FollowEnd::left);
    CHECK(it.shown == Lines{"two", "three", "four", "five"});
    CHECK(it.descriptors.at(0) >= 0);  // the store tells of changes
  });
}

TEST_CASE("an empty session is followed from its beginning") {
  on_both([](Followed& it) {
    it.session = session_called(it.writer, "main:cli:new");
    it.run({it.says("first")});
    CHECK(it.shown == Lines{"first"});
  });
}

TEST_CASE("who follows takes over at once if nobody is at work") {
  on_both([](Followed& it) {
    CHECK(it.run({it.says("three"), [] { return FollowAction::take_over; }}) ==
          FollowEnd::taken_over);
    CHECK(it.said.find("no process is using this session; t takes over") != std::string::npos);
  });
}

TEST_CASE("who follows takes over when the turn is done, not before") {
  on_both([](Followed& it) {
    store::SessionLease at_work =
        value_of(it.writer.presence().hold(it.session, store::LockMode::shared));
    int waited = 0;
    const FollowEnd end =
        it.run({[] { return FollowAction::take_over; }, it.says("still at it"),
                [&] {
                  ++waited;
                  at_work.reset();
                  return FollowAction::none;
                },
                // A server notices a moment later.
                [] { return FollowAction::none; }, [] { return FollowAction::none; },
                [] { return FollowAction::none; }});
    CHECK(waited == 1);
    CHECK(end == FollowEnd::taken_over);
    CHECK(it.said.find(store::who_we_are() + " is using this session") != std::string::npos);
    CHECK(it.said.find("taking over when the current turn ends") != std::string::npos);
    CHECK(it.shown == Lines{"two", "still at it"});
  });
}

TEST_CASE("a wish to take over can be taken back") {
  on_both([](Followed& it) {
    const store::SessionLease at_work =
        value_of(it.writer.presence().hold(it.session, store::LockMode::shared));
    CHECK(it.run({[] { return FollowAction::take_over; },
                  [] { return FollowAction::take_over; }}) == FollowEnd::left);
    CHECK(it.said.find("not taking over") != std::string::npos);
  });
}

TEST_CASE("what is redacted is masked, and a session that is deleted ends it") {
  on_both([](Followed& it) {
    CHECK_THROWS_AS(
        it.run({[&] {
                  const auto last = it.writer.open(it.session).state.head;
                  value_of(it.writer.mark(it.session, model::payload::Redaction{*last, "x"}));
                  return FollowAction::none;
                },
                [&] {
                  value_of(it.writer.life_cycle().erase(it.session));
                  return FollowAction::none;
                }}),
        Error);
    CHECK(it.shown.at(0) == "two");
  });
}
