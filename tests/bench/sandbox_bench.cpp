// A command that does nothing, in the sandbox this machine has: in an empty workspace and in one of
// 10,000 folders with some repositories. One line per workload; the first command of a session
// looks through everything, the others only at what has changed.
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <thread>

#include "tests/support/workbench.h"

using namespace skein;
using namespace skein::test;
namespace fs = std::filesystem;

namespace {

using Clock = std::chrono::steady_clock;

double run_once(TestWorkspace& bench) {
  const auto start = Clock::now();
  bench.call("bash", {{"command", "true"}});
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

double own_time_ms() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
}

void furnish(const fs::path& root) {
  for (int a = 0; a < 20; ++a)
    for (int b = 0; b < 25; ++b)
      for (int c = 0; c < 20; ++c)
        write_file(root / ("area" + std::to_string(a)) / ("part" + std::to_string(b)) /
                       ("leaf" + std::to_string(c)) / "file",
                   "");
  for (int a = 0; a < 20; ++a) {
    const fs::path git = root / ("area" + std::to_string(a)) / ".git";
    for (const char* folder : {"objects", "refs", "hooks"}) fs::create_directories(git / folder);
    write_file(git / "HEAD", "ref: refs/heads/main\n");
    write_file(git / "config", "[core]\n\tbare = false\n");
  }
}

void measure(const char* what, TestWorkspace& bench) {
  bench.tools();
  // What has just been made is looked at again and again: wait until it no longer is.
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  const double first = run_once(bench);
  run_once(bench);
  std::vector<double> all;
  const double busy = own_time_ms();
  constexpr int rounds = 51;
  for (int i = 0; i < rounds; ++i) all.push_back(run_once(bench));
  const double own = (own_time_ms() - busy) / rounds;
  std::ranges::sort(all);
  std::printf("%-28s first %7.1f ms, then median %6.2f ms, least %6.2f ms, own time %5.2f ms\n",
              what, first, all[rounds / 2], all.front(), own);
}

}  // namespace

int main() {
  std::printf("sandbox: %s\n", std::string(sandbox::name(sandbox::best_sandbox())).c_str());
  TestWorkspace empty, large;
  for (TestWorkspace* each : {&empty, &large})
    each->settings.command_records = (each->outside() / "commands").string();
  furnish(large.root());
  measure("true, empty workspace", empty);
  measure("true, 10,000 folders", large);
}
