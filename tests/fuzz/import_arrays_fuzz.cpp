// Bytes of any kind as messages of three services.
#include <cstddef>

#include "tests/fuzz/checked_import.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  for (const char* format : {"openai", "google", "anthropic"})
    skein::fuzz::check_import(format, "/nowhere/messages.json", data, size);
  return 0;
}
