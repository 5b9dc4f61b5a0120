// Any bytes read as a session of pi give entries that keep the promises of a receiver.
#include "core/exchange/importers/pi.h"

#include <cstdlib>
#include <string>

#include "tests/fuzz/checking_receiver.h"

using namespace skein::exchange::importers;

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const SourceFile file = SourceFile::of_bytes(
      "/x/2026_id.jsonl", std::string(reinterpret_cast<const char*>(data), size));
  has_pi_lines(file);
  skein::test::CheckingReceiver receiver;
  pi().read(file, {.growing = size % 2 == 0}, receiver);
  if (receiver.sessions() != 1) std::abort();
  return 0;
}
