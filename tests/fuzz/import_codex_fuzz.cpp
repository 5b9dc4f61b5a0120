// Bytes of any kind as a rollout of Codex.
#include <cstddef>

#include "tests/fuzz/checked_import.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  skein::fuzz::check_import("codex", "/nowhere/rollout-2026-05-06T07-08-09-x.jsonl", data, size);
  return 0;
}
