#include "repl/terminal/terminal.h"

#include "core/text/std.h"

#include <sys/ioctl.h>
#include <termios.h>

#include "core/text/text.h"

namespace skein::terminal {

namespace {

constexpr std::string_view begin_paste_marks = "\x1b[?2004h";
constexpr std::string_view begin_focus_reports = "\x1b[?1004h";
constexpr std::string_view sane = "\x1b[?1004l\x1b[?2004l\x1b[?25h\x1b[0m";
// Kitty's protocol and xterm's, of each the least; then: which is in force, and who are you.
constexpr std::string_view begin_extended_keys = "\x1b[>1u\x1b[>4;1m";
constexpr std::string_view end_extended_keys = "\x1b[<u\x1b[>4m";
constexpr std::string_view ask_extended_keys = "\x1b[?u\x1b[?4m\x1b[c";

// What a signal handler needs. Written before `changed`, read after it.
termios found{};
int found_in = -1, found_out = -1;
std::atomic<bool> changed{false};
std::atomic<bool> extended{false};
std::atomic<bool> resized{false};
static_assert(std::atomic<bool>::is_always_lock_free);

constexpr std::array deaths{SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGQUIT};
std::array<struct sigaction, deaths.size()> before{};

// Restores the terminal first, then lets the signal take its usual course.
void die(int signal) {
  restore_terminal();
  for (std::size_t i = 0; i < deaths.size(); ++i)
    if (deaths[i] == signal) sigaction(signal, &before[i], nullptr);
  raise(signal);
}

// The first row whose `variable` is set and begins with `start` counts. Variables of one terminal
// come first: inside of tmux, TERM and TERM_PROGRAM are tmux's.
struct KnownTerminal {
  const char* variable;
  std::string_view start;
  NoticeWay notice;
  bool reports_focus = true;
};
constexpr KnownTerminal known_terminals[] = {
    {"KITTY_WINDOW_ID", "", NoticeWay::osc99},
    {"ITERM_SESSION_ID", "", NoticeWay::osc9},
    {"WEZTERM_PANE", "", NoticeWay::osc9},
    {"GHOSTTY_RESOURCES_DIR", "", NoticeWay::osc9},
    {"ConEmuPID", "", NoticeWay::osc9},
    {"TERM", "xterm-kitty", NoticeWay::osc99},
    {"TERM_PROGRAM", "iTerm.app", NoticeWay::osc9},
    {"TERM_PROGRAM", "WezTerm", NoticeWay::osc9},
    {"TERM_PROGRAM", "ghostty", NoticeWay::osc9},
    {"TERM", "xterm-ghostty", NoticeWay::osc9},
    {"TERM", "wezterm", NoticeWay::osc9},
    {"TERM", "foot", NoticeWay::osc777},
    {"TERM", "rxvt-unicode", NoticeWay::osc777},
    {"TERM", "linux", NoticeWay::bell, false},
    {"TERM", "dumb", NoticeWay::bell, false},
};

}  // namespace

void restore_terminal() noexcept {
  if (!changed.exchange(false)) return;
  const int error = errno;
  if (extended.exchange(false)) write_all(found_out, end_extended_keys);
  write_all(found_out, sane);
  tcsetattr(found_in, TCSANOW, &found);
  errno = error;
}

Terminal::Terminal(int in, int out) : in_(in), out_(out) {
  tcgetattr(in, &found);
  found_in = in;
  found_out = out;

  struct sigaction action {};
  action.sa_handler = die;
  for (std::size_t i = 0; i < deaths.size(); ++i) {
    sigaction(deaths[i], nullptr, &before[i]);
    // A signal that our parent process ignores does not end us, so the terminal must stay as it is.
    if (before[i].sa_handler != SIG_IGN) sigaction(deaths[i], &action, nullptr);
  }
  action.sa_handler = [](int) { resized = true; };
  sigaction(SIGWINCH, &action, nullptr);
}

Terminal::~Terminal() {
  restore_terminal();
  for (std::size_t i = 0; i < deaths.size(); ++i) sigaction(deaths[i], &before[i], nullptr);
  std::signal(SIGWINCH, SIG_DFL);
}

void Terminal::set(Mode mode) {
  mode_ = mode;
  if (mode == Mode::found) return restore_terminal();
  termios modes = found;
  modes.c_iflag &= ~static_cast<tcflag_t>(BRKINT | ICRNL | INPCK | ISTRIP | IXON);
  modes.c_cflag |= CS8;
  modes.c_lflag &= ~static_cast<tcflag_t>(ECHO | ICANON | IEXTEN | ISIG);
  // A signal must not discard what was typed before it.
  if (mode == Mode::turn) modes.c_lflag |= ISIG | NOFLSH;
  modes.c_cc[VMIN] = 1;
  modes.c_cc[VTIME] = 0;
  modes.c_cc[VQUIT] = modes.c_cc[VSUSP] = _POSIX_VDISABLE;  // of the signals, only ^C
  const bool first = !changed.exchange(true);
  tcsetattr(in_, TCSANOW, &modes);  // at once: a stopped terminal would never finish draining
  if (!first) return;
  take_early_input();
  write(begin_paste_marks);
  if (reports_focus_) write(begin_focus_reports);
  if (extended_keys_) begin_extended();
}

void Terminal::begin_extended() {
  extended = true;
  write(begin_extended_keys);
}

bool Terminal::ask_for_extended_keys() {
  if (env("TERM") == "linux") return false;  // the console shows what it does not know
  extended_keys_ = true;
  if (mode_ != Mode::found) begin_extended();
  write(ask_extended_keys);
  return true;
}

// In what was typed before the mode was set, Enter is a line feed, which means Ctrl+J to us.
void Terminal::take_early_input() {
  int waiting = 0;
  if ((found.c_iflag & ICRNL) == 0 || ioctl(in_, FIONREAD, &waiting) != 0 || waiting <= 0) return;
  std::string bytes(static_cast<std::size_t>(waiting), '\0');
  const ssize_t count = ::read(in_, bytes.data(), bytes.size());
  bytes.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  std::ranges::replace(bytes, '\n', '\r');
  early_ += bytes;
}

Terminal::Size Terminal::size() const {
  winsize window{};
  if (ioctl(out_, TIOCGWINSZ, &window) != 0 || window.ws_col == 0 || window.ws_row == 0) return {};
  return {window.ws_col, window.ws_row};
}

Wake Terminal::wait(std::optional<std::chrono::milliseconds> pause,
                    const std::function<bool()>& due) const {
  if (has_early_input()) return Wake::ready;
  const Deadline end = pause ? std::chrono::steady_clock::now() + *pause : no_deadline;
  return skein::wait(in_, end, [&] { return resized || (due && due()); });
}

std::string Terminal::read() {
  if (has_early_input()) return std::exchange(early_, {});
  std::array<char, 4096> buffer;
  for (;;) {
    const ssize_t count = ::read(in_, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    return {buffer.data(), count > 0 ? static_cast<std::size_t>(count) : 0};
  }
}

void Terminal::write(std::string_view bytes) const { write_all(out_, bytes); }

bool Terminal::take_resize() const { return resized.exchange(false); }

void Terminal::suspend() {
  const Mode mode = mode_;
  set(Mode::found);
  kill(0, SIGTSTP);  // the whole group, as the terminal would
  set(mode);
}

Abilities abilities_of(const Environment& environment) {
  Abilities out{.in_tmux = !environment("TMUX").empty()};
  for (const auto& [variable, start, notice, reports_focus] : known_terminals)
    if (const std::string value = environment(variable); !value.empty() && value.starts_with(start))
      return {notice, reports_focus, out.in_tmux};
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
