#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstdlib>
#include <span>

#include "core/jobs/supervise.h"

int main(int count, char** arguments) {
  // Supervisors of programs that a test has started run this program again.
  const std::span words(arguments, static_cast<std::size_t>(count));
  if (const auto status = skein::jobs::supervise(words.subspan(1))) return *status;
  // Only this process looks for leaks, if at all: in each of the thousands that tests start it
  // would take a second, and the time limits of tests with it.
  setenv("ASAN_OPTIONS", "detect_leaks=0:quarantine_size_mb=8", 1);
  return doctest::Context(count, arguments).run();
}
