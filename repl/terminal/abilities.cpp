#include "repl/terminal/abilities.h"

namespace skein::terminal {

namespace {

// The first row that fits counts: `variable` begins with `start`, or is set at all if that is
// empty. Those that name a terminal by a variable of its own come first: inside of tmux, TERM and
// TERM_PROGRAM are tmux's.
struct Known {
  const char* variable;
  std::string_view start;
  NoticeForm notice;
  bool reports_focus = true;
};
constexpr Known known_terminals[] = {
    {"KITTY_WINDOW_ID", "", NoticeForm::osc99},
    {"ITERM_SESSION_ID", "", NoticeForm::osc9},
    {"WEZTERM_PANE", "", NoticeForm::osc9},
    {"GHOSTTY_RESOURCES_DIR", "", NoticeForm::osc9},
    {"ConEmuPID", "", NoticeForm::osc9},
    {"TERM", "xterm-kitty", NoticeForm::osc99},
    {"TERM_PROGRAM", "iTerm.app", NoticeForm::osc9},
    {"TERM_PROGRAM", "WezTerm", NoticeForm::osc9},
    {"TERM_PROGRAM", "ghostty", NoticeForm::osc9},
    {"TERM", "xterm-ghostty", NoticeForm::osc9},
    {"TERM", "wezterm", NoticeForm::osc9},
    {"TERM", "foot", NoticeForm::osc777},
    {"TERM", "rxvt-unicode", NoticeForm::osc777},
    {"TERM", "linux", NoticeForm::bell, false},
    {"TERM", "dumb", NoticeForm::bell, false},
};

bool fits(const Known& row, const Environment& environment) {
  const std::string value = environment(row.variable);
  return !value.empty() && value.starts_with(row.start);
}

}  // namespace

Abilities abilities_of(const Environment& environment) {
  Abilities out{.in_tmux = !environment("TMUX").empty()};
  for (const Known& row : known_terminals)
    if (fits(row, environment)) {
      out.notice = row.notice;
      out.reports_focus = row.reports_focus;
      return out;
    }
  return out;
}

std::string through_tmux(std::string_view sequence) {
  std::string out = "\x1bPtmux;";
  for (const char byte : sequence) {
    if (byte == '\x1b') out += byte;
    out += byte;
  }
  return out + "\x1b\\";
}

}  // namespace skein::terminal
