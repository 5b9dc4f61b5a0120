// How fast Markdown is shown in a pipe and at a terminal, against a plain copy through harmless(),
// and how many bytes it takes. Pieces of 64 bytes, as a model sends them. Processor time, the
// median of five runs.
#include <algorithm>
#include <cstdio>
#include <ctime>

#include "tests/support/markdown_samples.h"
#include "tests/support/recorded_screen.h"

using namespace skein;
using namespace skein::test;

namespace {

constexpr std::size_t piece = 64;

template <class Run>
double megabytes_a_second(std::size_t bytes, const Run& run) {
  std::vector<double> speeds;
  for (int i = 0; i < 5; ++i) {
    const std::clock_t start = std::clock();
    run();
    const double took = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    speeds.push_back(static_cast<double>(bytes) / 1e6 / took);
  }
  std::ranges::nth_element(speeds, speeds.begin() + 2);
  return speeds[2];
}

// The bytes sent for `text`, streamed; the clock stands still between pieces of a write.
std::size_t shown(const std::string& text, const layout::TerminalStyle& look) {
  std::size_t sent = 0;
  std::int64_t now = 0;
  screen::Screen::Parts parts;
  parts.port = {.write = [&](std::string_view bytes) { sent += bytes.size(); },
                .clock = [&] { return now; },
                .width = [] { return std::size_t{80}; }};
  parts.look = look;
  screen::Screen screen(std::move(parts));
  for (std::size_t at = 0; at < text.size(); at += piece, ++now)
    screen.show(text_event(text.substr(at, piece)));
  screen.end_turn(model::Stop::stop, "");
  return sent;
}

}  // namespace

int main() {
  const std::pair<const char*, std::string> texts[] = {{"prose", plain_prose(8'000'000)},
                                                       {"answer", long_answer(8'000'000)}};
  const std::pair<const char*, layout::TerminalStyle> looks[] = {
      {"pipe", piped}, {"pipe, --color always", {.colour = true}}, {"terminal", at_terminal}};
  for (const auto& [name, text] : texts) {
    const double copy = megabytes_a_second(text.size(), [&] {
      layout::Sanitizer door;
      std::string out;
      for (std::size_t at = 0; at < text.size(); at += piece)
        door.feed(std::string_view(text).substr(at, piece), out);
      door.end(out);
    });
    for (const auto& [look_name, look] : looks) {
      std::size_t sent = 0;
      const double speed = megabytes_a_second(text.size(), [&] { sent = shown(text, look); });
      std::printf(
          "markdown %-6s %-21s %7.1f MB/s, %.2f of a plain copy (%.0f MB/s), %.3f bytes a byte\n",
          name, look_name, speed, speed / copy, copy,
          static_cast<double>(sent) / static_cast<double>(text.size()));
    }
  }
  return 0;
}
