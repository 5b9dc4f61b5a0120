// Any lines in the windows of a conversation of OpenClaw give entries that keep the promises of a
// receiver. A line that is no record ends its window.
#include <cstdlib>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "core/import/pi/pi.h"
#include "core/text/text.h"
#include "tests/fuzz/checked_import.h"

using namespace skein;
using namespace skein::importers;

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  fuzz::CheckedImport receiver;
  receiver.begin({.id = "s"});
  std::deque<std::vector<std::string_view>> lines_of;
  std::vector<PiWindow> windows;
  const auto begin_window = [&](const std::string& before) {
    const std::vector<std::string_view>& lines = lines_of.emplace_back();
    windows.push_back({"w" + std::to_string(windows.size()), before, [&lines](const auto& each) {
                         for (const std::string_view line : lines)
                           if (!each(line)) return;
                       }});
  };
  begin_window("");
  for (const std::string_view line : split(text, '\n')) {
    lines_of.back().push_back(line);
    if (!each_object(line, [](const ForeignRecord&) {}))
      begin_window(line.empty() ? "" : windows.back().id);
  }
  const std::string current = windows.size() % 2 == 1 ? "w0" : "w1";
  give_pi_windows(windows, current, "openclaw", "s", receiver);
  return 0;
}
