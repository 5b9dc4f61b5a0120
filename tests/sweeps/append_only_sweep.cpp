// Plays random sessions with everything that may happen to one, and judges every request in them:
// it begins with the bytes of the request before it on its branch to its model, on every wire, or a
// recorded step lies between them; and thinking stands behind what it was made behind. Then the
// same with a bug in it, which must be noticed.
//   append_only_sweep [count [first seed]]
#include <cstdio>
#include <cstdlib>
#include <string>

#include "tests/support/long_run.h"
#include "tests/support/random_session.h"

using namespace skein::test;

int main(int argc, char** argv) {
  const std::uint64_t count = argc > 1     ? std::strtoull(argv[1], nullptr, 10)
                              : long_run() ? 10'000
                                           : 4'000;
  const std::uint64_t first = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  int failures = 0;
  std::size_t requests = 0, compared = 0, steps = 0;
  for (std::uint64_t seed = first; seed < first + count && failures < 10; ++seed) {
    const SessionReport report = play_random_session(seed);
    requests += report.requests;
    compared += report.compared;
    steps += report.steps;
    if (report.trouble.empty()) continue;
    ++failures;
    std::printf("seed %llu: %s\n", static_cast<unsigned long long>(seed), report.trouble.c_str());
  }
  int unnoticed = 0;
  for (const SeededBug bug :
       {SeededBug::fresh_system, SeededBug::fresh_tools, SeededBug::pruned_results,
        SeededBug::lost_news, SeededBug::old_thinking}) {
    bool noticed = false;
    for (std::uint64_t seed = first; seed < first + 300 && !noticed; ++seed)
      noticed = !play_random_session(seed, bug).trouble.empty();
    unnoticed += !noticed;
  }
  std::printf(
      "append only: %llu sessions, %zu requests x 4 wires, %zu pairs alike, %zu with a step "
      "between, %d failures, %d of 5 seeded bugs unnoticed\n",
      static_cast<unsigned long long>(count), requests, compared, steps, failures, unnoticed);
  return failures == 0 && unnoticed == 0 && compared > 0 ? 0 : 1;
}
