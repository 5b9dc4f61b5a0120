#include "core/checkpoints/bisect.h"

#include <doctest/doctest.h>

#include <set>

using namespace skein::checkpoints;

TEST_CASE("the step that broke it is found in few tests, wherever it is") {
  for (std::size_t states = 2; states < 70; ++states)
    for (std::size_t broken = 1; broken < states; ++broken) {
      std::set<std::size_t> asked;
      const Bisected end = bisect(states, [&](std::size_t state) {
        CHECK(asked.insert(state).second);
        return state >= broken ? Verdict::bad : Verdict::good;
      });
      REQUIRE(end.kind == Bisected::Kind::found);
      CHECK(end.good == broken - 1);
      CHECK(end.bad == broken);
      CHECK(end.tests <= 9);
    }
}

TEST_CASE("states that cannot be tested widen the answer, and no more") {
  const Bisected end = bisect(10, [](std::size_t state) {
    return state == 4 || state == 5 ? Verdict::skip : state >= 6 ? Verdict::bad : Verdict::good;
  });
  REQUIRE(end.kind == Bisected::Kind::found);
  CHECK(end.good == 3);
  CHECK(end.bad == 6);
}

TEST_CASE("what is good at the end or bad at the start is not searched") {
  const auto always = [](Verdict verdict) { return [=](std::size_t) { return verdict; }; };
  CHECK(bisect(5, always(Verdict::good)).kind == Bisected::Kind::good_at_end);
  CHECK(bisect(5, always(Verdict::bad)).kind == Bisected::Kind::bad_at_start);
  CHECK(bisect(5, always(Verdict::skip)).kind == Bisected::Kind::unclear);
  CHECK(bisect(5, always(Verdict::good)).tests == 1);
}
