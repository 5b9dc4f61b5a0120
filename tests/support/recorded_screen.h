// A screen on no terminal: what was written is kept, time is a number, the width is given.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "repl/screen/screen.h"

namespace skein::test {

class RecordedScreen {
 public:
  explicit RecordedScreen(layout::TerminalStyle look, std::size_t width = 80,
                          const model::Tools* tools = nullptr);

  screen::Screen& operator*() { return *screen_; }
  screen::Screen* operator->() { return screen_.get(); }
  std::string bytes() const;  // all that was written

  std::vector<std::string> writes{};
  std::int64_t now = 1'000'000;  // ms
  std::size_t width;

 private:
  std::unique_ptr<screen::Screen> screen_;
};

inline constexpr layout::TerminalStyle piped{};
inline constexpr layout::TerminalStyle at_terminal{.live = true, .colour = true, .links = true};
inline constexpr layout::TerminalStyle no_colour{.live = true};
inline constexpr layout::TerminalStyle screen_reader{.labels = true};

// A tool that only looks like one: its title is its name and its input.
model::Tool shown_tool(std::string name, model::Effect effect,
                       std::function<std::string(const JsonText&)> diff = {});

model::Event text_event(std::string text);
model::Event thinking_event(std::string text);
model::Event committed(const model::Message& message);

// What a terminal of that size shows after these bytes, for the few sequences a screen sends; lines
// that have scrolled off are kept. Fails loudly (returns "?…") on any other sequence.
std::string seen(std::string_view bytes, std::size_t width, std::size_t height = 24);

}  // namespace skein::test
