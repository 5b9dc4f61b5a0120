// Kills skein before each system call of each operation on each kind of home: what was acknowledged
// is there, no batch is there by halves, and the same command, given again, finishes the work.
#include <algorithm>
#include <cstdio>
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
  // A kill before a call that changes nothing leaves what the kill before the next call leaves; the
  // long job tries them all the same.
  std::vector<FaultPoint> points;
  for (const FaultCase& each : fault_cases())
    for (FaultPoint& point : points_of(each))
      if (long_run() || point.changes) points.push_back(std::move(point));

  const Fault kill{"signal=KILL"}, disk{"error=EIO"};
  std::size_t complaints =
      complaints_of(points.size(), 2, [&](std::size_t i) { return strike(points[i], {kill}); });
  // A fault while what the first one left is being repaired.
  const std::size_t compound = std::min<std::size_t>(points.size(), long_run() ? 7'000 : 1'100);
  complaints += complaints_of(compound, 2, [&](std::size_t i) {
    return strike(points[i * points.size() / compound], {kill, i % 2 == 0 ? kill : disk});
  });
  std::printf("kill_points: %zu points in %zu cases, %zu struck twice, %zu complaints\n",
              points.size(), fault_cases().size(), compound, complaints);
  return complaints == 0 && points.size() >= 1400 ? 0 : 1;
}
