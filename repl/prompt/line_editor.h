// Where a line comes from: replxx at a terminal, else plain lines (pipes, dumb, screen readers).
#pragma once

#include "repl/edit/line_edit.h"
#include "repl/prompt/history.h"
#include "repl/prompt/prompt_line.h"
#include "repl/terminal/keyboard.h"

namespace skein::prompt {

// The rows above the prompt while it waits, which are gone when the line is sent. Here are none.
class RowsAbove {
 public:
  struct Row {
    std::string text{};       // safe
    std::size_t columns = 0;  // how wide it is
  };
  virtual ~RowsAbove() = default;
  // As they are now; each is narrower than the terminal, which has so many columns.
  virtual std::vector<Row> rows(std::size_t) { return {}; }
  // How soon they may change; whether they have; and printing a message about that.
  virtual std::optional<std::chrono::milliseconds> look_again() { return std::nullopt; }
  virtual bool changed() { return false; }
  virtual void tell() {}
};
inline RowsAbove no_rows_above{};

// What the editor needs from the loop.
struct EditorHelp {
  Complete complete = [](std::string_view) { return Completion{}; };
  std::function<std::string(std::string_view line)> hint{};  // shown dim after the line
  std::function<std::string()> prompt{};  // as it is by now; empty: as it was given
  std::function<void(const edit::Draft&)> keep = [](const edit::Draft&) {};  // what is typed so far
  // Ctrl+O, Ctrl+T on an empty line, Shift+Tab. They may print; the line is drawn again after it.
  std::function<void()> expand = [] {}, show_thinking = [] {}, cycle_mode = [] {};
  std::function<bool()> stopped = [] { return false; };  // a signal wants the prompt to end
  // While something may come that the user should hear of at once: how often to look; and then
  // whether there is something, which `announce` prints. True: an empty prompt is to end.
  std::function<std::optional<std::chrono::milliseconds>()> look_again = [] {
    return std::nullopt;
  };
  std::function<bool()> has_news = [] { return false; }, announce = [] { return false; };
  RowsAbove* above = &no_rows_above;
  bool color = true;
};

class LineEditor {
 public:
  // interrupt: ^C on an empty line or a signal; end: ^D on an empty line or the end of input;
  // woken: see EditorHelp::announce.
  enum class ReadResult { line, interrupt, end, woken };
  virtual ~LineEditor() = default;
  // Starts with the text in `line`, and leaves the typed text there.
  virtual ReadResult read(const std::string& prompt, edit::Draft& line) = 0;
  // The same for a text that is to be changed: Esc and ^C leave it, as an interrupt.
  virtual ReadResult revise(const std::string& prompt, edit::Draft& line) {
    return read(prompt, line);
  }
  // Adds a line to the history that was typed while a turn read the keys.
  virtual void remember(const edit::Draft&) {}
};

std::unique_ptr<LineEditor> make_replxx_editor(terminal::Keyboard& keyboard, History& history,
                                               EditorHelp help);
// `stopped`: a signal wants the line to end.
std::unique_ptr<LineEditor> make_plain_editor(int fd, bool show_prompt,
                                              std::function<bool()> stopped);

}  // namespace skein::prompt
