// Bytes of any kind as a session of Claude Code.
#include <cstddef>

#include "tests/fuzz/checked_import.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  skein::fuzz::check_import("claude-code", "/nowhere/11111111-2222-4333-8444-555555555555.jsonl",
                            data, size);
  return 0;
}
