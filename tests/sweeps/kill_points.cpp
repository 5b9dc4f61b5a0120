// Kills skein before each system call of each operation on each kind of home: what was acknowledged
// is there, no batch is there by halves, and the same command, given again, finishes the work.
#include <cstdio>
#include <set>
#include <string>

#include "tests/support/fault_points.h"
#include "tests/support/long_run.h"
#include "tests/support/process.h"

using namespace skein::test;

int main() {
  use_memory_disk();
  if (!is_installed("strace")) {
    std::puts("kill_points: skipped, strace is not installed");
    return 0;
  }
  // A kill before a call that only looks leaves what the kill before the next call leaves; the long
  // job tries them all the same.
  const std::set<std::string> looks{"read",       "pread64",    "fstat",    "newfstatat",
                                    "statx",      "lseek",      "fcntl",    "getdents64",
                                    "readlinkat", "faccessat2", "faccessat"};
  std::vector<FaultPoint> points;
  for (const FaultCase& each : fault_cases())
    for (FaultPoint& point : points_of(each))
      if (long_run() || !looks.contains(point.call)) points.push_back(std::move(point));

  const Fault kill{"signal=KILL"}, disk{"error=EIO"};
  std::size_t complaints =
      complaints_of(points.size(), 2, [&](std::size_t i) { return strike(points[i], {kill}); });
  // A fault while what the first one left is being repaired.
  const std::size_t step = long_run() ? 2 : 6;
  const std::size_t compound = points.size() / step;
  complaints += complaints_of(compound, 2, [&](std::size_t i) {
    return strike(points[i * step], {kill, i % 2 == 0 ? kill : disk});
  });
  std::printf("kill_points: %zu points in %zu cases, %zu struck twice, %zu complaints\n",
              points.size(), fault_cases().size(), compound, complaints);
  return complaints == 0 && points.size() >= 1400 ? 0 : 1;
}
