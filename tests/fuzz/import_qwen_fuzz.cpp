// Lines of Qwen Code's of any kind: every session has an end, every entry an id of its own and a
// parent that came before.
#include "tests/fuzz/import_promises.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  skein::test::read_any_bytes("qwen", data, size);
  return 0;
}
