// A screen's parts on a file descriptor.
#include <sys/ioctl.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>

#include "repl/screen/screen.h"

namespace skein::screen {

namespace {

winsize size_of(int fd) {
  winsize size{};
  if (ioctl(fd, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0) {
    size.ws_col = 80;
    size.ws_row = 24;
  }
  return size;
}

std::int64_t steady_ms() {
  using namespace std::chrono;
  return duration_cast<milliseconds>(steady_clock::now().time_since_epoch()).count();
}

}  // namespace

Screen::Parts screen_parts(int fd, std::string_view colour, bool screen_reader) {
  return {.port = {.write = [fd](std::string_view bytes) { write_all(fd, bytes); },
                   .clock = steady_ms,
                   .width = [fd] { return std::size_t{size_of(fd).ws_col}; },
                   .height = [fd] { return std::size_t{size_of(fd).ws_row}; }},
          .look = layout::look_for({.terminal = isatty(fd) == 1,
                                    .screen_reader = screen_reader,
                                    .colour = colour,
                                    .no_color = std::getenv("NO_COLOR"),
                                    .force_color = std::getenv("FORCE_COLOR"),
                                    .term = std::getenv("TERM")})};
}

}  // namespace skein::screen
