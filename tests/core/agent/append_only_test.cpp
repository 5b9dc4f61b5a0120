// Requests are as append-only as the log; tests/sweeps/append_only_sweep plays ten thousand
// sessions.
#include <doctest/doctest.h>

#include "tests/support/random_session.h"

using namespace skein::test;

TEST_CASE("a request begins with the bytes of the one before, or a recorded step lies between") {
  std::size_t compared = 0, steps = 0;
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    const SessionReport report = play_random_session(seed);
    CAPTURE(seed);
    REQUIRE(report.trouble == "");
    compared += report.compared;
    steps += report.steps;
  }
  CHECK(compared > 500);
  CHECK(steps > 100);
}

TEST_CASE("a request that does not is noticed") {
  for (const SeededBug bug :
       {SeededBug::fresh_system, SeededBug::fresh_tools, SeededBug::pruned_results,
        SeededBug::lost_news, SeededBug::old_thinking}) {
    CAPTURE(static_cast<int>(bug));
    std::size_t noticed = 0;
    for (std::uint64_t seed = 1; seed <= 150 && noticed == 0; ++seed)
      noticed += !play_random_session(seed, bug).trouble.empty();
    CHECK(noticed > 0);
  }
}
