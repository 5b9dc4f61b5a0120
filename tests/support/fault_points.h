// Every system call of every operation on every kind of home, as a place to strike: strace kills
// the process before the call or lets it fail. What must hold afterwards is the same for both.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace skein::test {

// An operation of the command line on a home in a certain state.
struct FaultCase {
  std::size_t operation = 0, state = 0;
};
std::vector<FaultCase> fault_cases();
std::string name(const FaultCase& each);

struct FaultPoint {
  FaultCase where{};
  std::string call{};
  int number = 0;        // among the calls of that name
  bool changes = false;  // what is on the disk, or when it is there
};
// In the order they happen, from the first that has to do with the home or the input.
std::vector<FaultPoint> points_of(const FaultCase& each);

struct Fault {
  std::string kind{};    // as strace's inject= takes it: signal=KILL, error=EIO
  bool lasting = false;  // every later call of that name fails as well
};

// Runs the operation with the faults at the point, one run for each, and looks at what is left;
// then runs it without and looks again. The complaint, or nothing.
std::string strike(const FaultPoint& point, const std::vector<Fault>& faults);

}  // namespace skein::test
