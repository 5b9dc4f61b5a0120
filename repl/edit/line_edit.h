// A line being edited: its text with chips, the cursor, killed text and the undo history. Knows
// keys but no terminal, so that the prompt, a running turn and a search field edit alike.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "repl/edit/draft.h"
#include "repl/terminal/keys.h"

namespace skein::edit {

class LineEdit {
 public:
  const std::string& text() const { return draft_.text; }
  const Draft& draft() const { return draft_; }
  std::size_t cursor() const { return cursor_; }  // in bytes, between two whole characters
  bool at_end() const { return cursor_ == text().size(); }

  // Replaces the text and puts the cursor at its end. `set` can be undone (a long text becomes a
  // chip), `start` clears the undo history.
  void set(std::string text);
  void start(Draft draft);
  void insert(std::string_view text);
  // Replaces everything from `from` to the cursor with `text`.
  void replace(std::size_t from, std::string_view text);

  // Applies an editing key. Returns false if the key does not edit lines.
  bool apply(const terminal::Key& key);
  // Moves to the line above (below) in a text of several lines; false if there is none.
  bool up();
  bool down();

 private:
  // Pastes are not part of it: they are kept, so that a chip brought back by undo still works.
  struct State {
    std::string text{};
    std::size_t cursor = 0;
  };
  enum class Last { other, typed, killed, yanked };
  struct Binding {
    std::vector<terminal::Key> keys;
    void (*run)(LineEdit&);
  };
  static const std::vector<Binding>& bindings();

  void kill_to_space();
  void yank();
  void yank_older();
  void transpose();
  void undo();

  void paste(const std::string& raw);
  void change();  // undo can return to the current text
  void erase(std::size_t from, std::size_t to);
  void kill(std::size_t from, std::size_t to);
  void move_lines(std::size_t line_start, std::size_t line_end);
  void change_case(bool up);
  std::size_t unit_before(std::size_t at) const;  // where the character or chip before `at` begins
  std::size_t unit_after(std::size_t at) const;
  std::size_t word_start_before(std::size_t at) const;
  std::size_t word_end_after(std::size_t at) const;
  std::size_t line_start(std::size_t at) const;
  std::size_t line_end(std::size_t at) const;

  Draft draft_{};
  std::size_t cursor_ = 0;
  std::vector<State> past_{};
  std::vector<std::string> kills_{};
  std::size_t yanked_ = 0;             // how many bytes the last yank put before the cursor
  std::optional<std::size_t> goal_{};  // the column that Up and Down try to keep
  Last last_ = Last::other, next_last_ = Last::other;
};

}  // namespace skein::edit
