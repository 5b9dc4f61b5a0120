// Whether `./tests/run --long` was asked for: a test that tries as much as it has time for tries
// more.
#pragma once

#include <cstdlib>
#include <string_view>

namespace skein::test {

inline bool long_run() {
  const char* value = std::getenv("SKEIN_LONG");
  return value != nullptr && std::string_view(value) != "" && std::string_view(value) != "0";
}

}  // namespace skein::test
