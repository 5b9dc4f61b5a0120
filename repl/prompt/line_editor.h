// Where a line comes from: the interface over replxx at a terminal and over plain lines everywhere
// else (pipes, TERM=dumb, screen readers).
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "repl/edit/draft.h"
#include "repl/prompt/choice.h"
#include "repl/prompt/history.h"
#include "repl/terminal/keyboard.h"

namespace skein::prompt {

// What stands above the prompt while it waits, and is gone when the line is sent.
struct RowsAbove {
  struct Row {
    std::string text{};  // safe
    int columns = 0;
  };
  // As they are now; each is narrower than the terminal.
  std::function<std::vector<Row>(int columns)> rows = [](int) { return std::vector<Row>{}; };
  // How soon they may be others; whether they are; and what there is to say of that is printed.
  std::function<std::optional<std::chrono::milliseconds>()> look_again = [] {
    return std::optional<std::chrono::milliseconds>{};
  };
  std::function<bool()> changed = [] { return false; };
  std::function<void()> tell = [] {};
};

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
    return std::optional<std::chrono::milliseconds>{};
  };
  std::function<bool()> has_news = [] { return false; }, announce = [] { return false; };
  RowsAbove above{};
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
