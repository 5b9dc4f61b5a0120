// Bytes of any kind as a session of pi.
#include <cstddef>

#include "tests/fuzz/checked_import.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  skein::fuzz::check_import("pi", "/nowhere/2026_id.jsonl", data, size);
  return 0;
}
