// What is asked of the terminal besides showing text: the title in its title bar, marks at prompts
// and answers, the clipboard, and notifications for a user who looks elsewhere.
#pragma once

#include "core/text/base.h"
#include "repl/terminal/terminal.h"

namespace skein::terminal {

// The session's title, and where prompts and answers begin and end (OSC 133, to jump to them).
class TerminalMarks {
 public:
  using Write = std::function<void(std::string_view bytes)>;
  explicit TerminalMarks(Write write = {}) : write_(std::move(write)) {}  // none: writes nothing

  void title(std::string_view untrusted);
  void prompt() { tell("\x1b]133;A\a"); }  // a line is about to be read
  void sent();                             // it was read: what follows is the answer
  void done(bool well);
  void leave();                                  // restores the original title
  bool pass_on(std::string_view request) const;  // something else to ask of it; false: it is none

 private:
  void tell(std::string_view bytes) const {
    if (write_) write_(bytes);
  }

  Write write_;
  bool titled_ = false, sent_ = false;
};

// How a terminal is asked to put the text on its clipboard (OSC 52). A tmux in between takes it
// itself or is asked to pass it on, whichever it has been set up for.
std::string clipboard_request(std::string_view text, bool in_tmux);

// Asks what colour its background is (OSC 11). The answer is a Key::Code::report.
inline constexpr std::string_view background_request = "\x1b]11;?\a";
// From 0 to 1, of the answer "rgb:RRRR/GGGG/BBBB"; nullopt: it is no such answer.
std::optional<double> luminance(std::string_view answer);
inline bool is_light(double luminance) { return luminance > 0.5; }
// By COLORFGBG, "FOREGROUND;BACKGROUND", the numbers of two of the sixteen colours.
std::optional<bool> is_light(std::string_view colorfgbg);

// Copies the text with a program of this desktop if there is one, since that says whether it
// worked; else by asking the terminal, which is all that reaches through ssh. `tell_terminal` is
// false if there is none. Returns what was done, "copied 312 bytes with wl-copy"; throws Error.
std::string copy_text(std::string_view text,
                      const std::function<bool(std::string_view request)>& tell_terminal);

// A message to the user, already harmless to a terminal.
struct Notification {
  std::string_view event;  // "done", "failed" or "question"
  std::string title;       // of the session
  std::string text;        // "done in 3 min 12 s", "asks: bash make"
};

// Notifies the user that a long turn is over or a question waits.
class Notifier {
 public:
  using Way = NoticeWay;
  struct Parts {
    Way way = Way::off;
    Abilities abilities{};
    std::function<void(std::string_view bytes)> write{};  // to the terminal
    // Whether its window is in front; nullopt: not known.
    std::function<std::optional<bool>()> in_front = [] { return std::optional<bool>{}; };
    std::function<void(const Notification&)> run{};  // the user's own program
    std::function<std::int64_t()> clock = now_ms;
  };
  Notifier() = default;
  explicit Notifier(Parts parts) : parts_(std::move(parts)) {}

  void turn_begins() { began_ = parts_.clock(); }
  void turn_ends(std::string_view title, bool well);
  // If it is unknown what is in front, a common question notifies only in a long turn.
  enum class Question { common, rare };
  void question_waits(std::string_view title, std::string_view about, Question kind);

 private:
  bool is_long() const;
  void call(std::string_view event, std::string_view title, const std::string& text) const;

  Parts parts_{};
  std::int64_t began_ = 0;
};

std::optional<Notifier::Way> parse_way(std::string_view name);

}  // namespace skein::terminal
