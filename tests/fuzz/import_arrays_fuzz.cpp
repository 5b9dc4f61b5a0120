// Arrays of messages of any kind: every session has an end, every entry an id of its own and a
// parent that came before.
#include "tests/fuzz/import_promises.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  for (const char* format : {"openai", "google"}) skein::test::read_any_bytes(format, data, size);
  return 0;
}
