#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstdlib>

int main(int count, char** arguments) {
  // Only this process looks for leaks, if at all: in each of the thousands that tests start it
  // would take a second, and the time limits of tests with it.
  setenv("ASAN_OPTIONS", "detect_leaks=0:quarantine_size_mb=8", 1);
  return doctest::Context(count, arguments).run();
}
