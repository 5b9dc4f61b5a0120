// Any lines in the windows of a conversation of OpenClaw give entries that keep the promises of a
// receiver. A line that is no record begins the next window.
#include <cstdlib>
#include <string>
#include <string_view>

#include "core/import/pi/pi.h"
#include "core/text/text.h"
#include "tests/fuzz/checked_import.h"

using namespace skein;
using namespace skein::importers;

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  fuzz::CheckedImport receiver;
  receiver.begin({.id = "s"});
  PiLines lines("openclaw", "s", receiver);
  int window = 0;
  lines.begin_window("w0", "");
  for (const std::string_view line : split(text, '\n')) {
    if (lines.add(line)) continue;
    const std::string before = "w" + std::to_string(window);
    lines.begin_window("w" + std::to_string(++window), line.empty() ? "" : before);
  }
  receiver.end(lines.leaf_of(window % 2 == 0 ? "w0" : "w1"));
  return 0;
}
