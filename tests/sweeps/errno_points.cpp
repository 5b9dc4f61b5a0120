// Lets each system call of each operation fail with each error, once or for good: the exit status
// is honest, nothing acknowledged is lost, and the same command works when the fault is over.
#include <cstdio>

#include "tests/support/fault_points.h"
#include "tests/support/long_run.h"
#include "tests/support/process.h"

using namespace skein::test;

int main() {
  use_memory_disk();
  if (!is_installed("strace")) {
    std::puts("errno_points: skipped, strace is not installed");
    return 0;
  }
  struct Try {
    FaultPoint point;
    Fault fault;
  };
  std::vector<Try> all;
  for (const FaultCase& each : fault_cases())
    for (const FaultPoint& point : points_of(each)) {
      // A close that fails has closed all the same; one that strace lets fail has not, and the lock
      // is still held.
      if (point.call == "close") continue;
      for (const char* error : {"ENOSPC", "EIO", "EINTR", "EDQUOT", "EACCES", "EROFS", "EFBIG",
                                "ENOLCK", "EBADF", "ENOMEM", "EMFILE", "ESTALE"})
        for (const bool lasting : {false, true}) {
          // A call that is interrupted for ever is no fault a system has.
          if (lasting && std::string_view(error) == "EINTR") continue;
          all.push_back({point, {std::string("error=") + error, lasting}});
        }
    }
  // Every call of every case is struck; with which errors changes from one to the next.
  const std::size_t wanted = long_run() ? 46'000 : 4'600;
  const std::size_t step = all.size() <= wanted ? 1 : all.size() / wanted | 1;
  const std::size_t count = all.size() / step;
  const std::size_t complaints = complaints_of(
      count, 2, [&](std::size_t i) { return strike(all[i * step].point, {all[i * step].fault}); });
  std::printf("errno_points: %zu of %zu faults, %zu complaints\n", count, all.size(), complaints);
  return complaints == 0 && count >= 4000 ? 0 : 1;
}
