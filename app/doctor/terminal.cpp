// What the screen can show: kind, size, colours, characters.
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>

#include "app/doctor/checks.h"
#include "core/text/json.h"
#include "core/text/text.h"
#include "repl/layout/style.h"

namespace skein::doctor {

namespace {

// The one that any of the three standard streams is.
int terminal_descriptor() {
  for (const int fd : {STDOUT_FILENO, STDERR_FILENO, STDIN_FILENO})
    if (isatty(fd) == 1) return fd;
  return -1;
}

// As programs that ask the C library see it; skein itself always writes UTF-8.
std::string locale_name() {
  for (const char* variable : {"LC_ALL", "LC_CTYPE", "LANG"})
    if (std::string value = env(variable); !value.empty()) return value;
  return "C";
}

bool names_another_charset(const std::string& locale) {
  const std::size_t dot = locale.find('.');
  if (dot == std::string::npos) return false;
  const std::string charset = lower(locale.substr(dot + 1));
  return !charset.starts_with("utf-8") && !charset.starts_with("utf8");
}

}  // namespace

Finding look_at_terminal(const Surroundings& here) {
  Finding found;
  const int fd = terminal_descriptor();
  const std::string term = env("TERM"), locale = locale_name();
  const std::string colour = here.config.color.empty() ? "auto" : here.config.color;
  const layout::TerminalStyle look = layout::look_for({.terminal = fd >= 0,
                                                       .screen_reader = here.config.screen_reader,
                                                       .colour = colour,
                                                       .no_color = std::getenv("NO_COLOR"),
                                                       .force_color = std::getenv("FORCE_COLOR"),
                                                       .term = std::getenv("TERM")});
  winsize size{};
  const bool sized = fd >= 0 && ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  const std::string extent =
      sized ? std::to_string(size.ws_col) + "x" + std::to_string(size.ws_row) : "of unknown size";

  found.note = fd < 0 ? "none: standard input and output are files or pipes"
                      : (term.empty() ? "TERM is not set" : term) + ", " + extent + ", " +
                            (look.colour ? "colours" : "no colours") + ", locale " + locale;
  if (fd >= 0 && (term.empty() || term == "dumb"))
    found.problems.push_back((term.empty() ? "TERM is not set" : "TERM is dumb") +
                             std::string(": lines are edited without colours and panels; most "
                                         "terminals understand TERM=xterm-256color"));
  if (fd >= 0 && names_another_charset(locale))
    found.problems.push_back("the locale " + locale +
                             " is not UTF-8, which is what skein writes; set LANG=C.UTF-8");
  if (sized && (size.ws_col < 40 || size.ws_row < 10))
    found.problems.push_back("the window is " + extent + "; lists want 40x10 or more");
  if (std::getenv("NO_COLOR") != nullptr) found.details.emplace_back("NO_COLOR is set");
  found.facts = dump({{"terminal", fd >= 0},
                      {"term", term},
                      {"columns", sized ? Json(size.ws_col) : Json(nullptr)},
                      {"rows", sized ? Json(size.ws_row) : Json(nullptr)},
                      {"colours", look.colour},
                      {"locale", locale},
                      {"utf8", !names_another_charset(locale)}});
  return found;
}

}  // namespace skein::doctor
