// What keys mean at the prompt: editing, the way through the history, ghost text, and the wishes
// that somebody with a terminal must fulfil. Has none itself.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "repl/input/history.h"
#include "repl/input/line_edit.h"

namespace skein {

class PromptLine {
 public:
  enum class Wish {
    none,
    send,
    abort,  // ^C: what was typed goes to the history
    leave,
    search,  // in the history
    complete,
    edit_elsewhere,
    clear_screen,
    expand,
    show_thinking,
    cycle_mode,
    suspend,
  };

  PromptLine(History& history, std::function<std::string(std::string_view)> hint)
      : history_(history), hint_(std::move(hint)) {}

  void start(Draft draft);
  Wish use(const Key& key);
  LineEdit& line() { return line_; }
  const std::string& text() const { return line_.text(); }
  // What could follow, to be shown behind the line: what the shell knows, else the rest of an
  // earlier line, which Right and End take over.
  std::string hint();

 private:
  struct Binding {
    Key key;
    Wish (PromptLine::*run)();
  };
  static const std::vector<Binding>& bindings();

  // As if it had been typed and sent.
  Wish say(std::string_view text);
  Wish enter();
  Wish leave_or_delete();
  Wish escape();
  Wish right();
  Wish end();
  Wish word_right();
  Wish up();
  Wish down();
  Wish begin_chord();
  Wish show_thinking_or_transpose();
  template <Wish wish>
  Wish wants() {
    return wish;
  }
  Wish accept_or(const Key& key);
  void recall(std::optional<std::size_t> (History::*find)(std::size_t, std::string_view));

  History& history_;
  std::function<std::string(std::string_view)> hint_;
  LineEdit line_{};
  std::string ghost_{};                    // the rest of an earlier line, shown behind this one
  std::optional<std::size_t> recalled_{};  // the line of the history that stands here
  std::string typed_{};                    // what stood here before
  bool chord_ = false;                     // Ctrl+X was the last key
  std::chrono::steady_clock::time_point escaped_{};
};

}  // namespace skein
