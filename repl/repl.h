// The loop at the prompt: hands "/…" to the commands, "!…" to the shell, the rest to the session.
#pragma once

#include "repl/edit/line_edit.h"
#include "repl/prompt/line_editor.h"
#include "repl/session/session.h"

namespace skein::repl {

class Repl {
 public:
  // `piped`: the lines were not typed by a person, so files they mention are not attached.
  Repl(session::Session& session, session::TypedInput& input, bool piped = false)
      : session_(session), input_(input), piped_(piped) {}

  void run();
  void handle(const edit::Draft& line) { handle(line, line.text); }
  // The same for a line that was not typed at the prompt just now; it is shown as if it had been.
  void send(const edit::Draft& line);
  prompt::EditorHelp editor_help();

 private:
  using Clock = std::chrono::steady_clock;

  void read_line();
  // `typed`: the part of the line in which files can be mentioned.
  void handle(const edit::Draft& line, const std::string& typed);
  // An error is shown, and the prompt comes again.
  void attempt(const std::function<void()>& work);
  void dispatch(std::string_view command_line);

  session::Session& session_;
  session::TypedInput& input_;
  bool piped_;
  std::optional<Clock::time_point> warned_{};  // that a second Ctrl+C leaves
  std::set<std::string> explained_{};          // modes
};

}  // namespace skein::repl
