// Bytes of any kind as a session of Gemini CLI.
#include <cstddef>

#include "tests/fuzz/checked_import.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  skein::fuzz::check_import("gemini", "/nowhere/session.jsonl", data, size);
  return 0;
}
