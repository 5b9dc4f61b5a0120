// Bytes of any kind as a session of Qwen Code.
#include <cstddef>

#include "tests/fuzz/checked_import.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  skein::fuzz::check_import("qwen", "/nowhere/session.jsonl", data, size);
  return 0;
}
