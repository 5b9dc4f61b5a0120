// A line being edited: its text with chips, the cursor, killed text and the undo history. Knows
// keys but no terminal, so that the prompt, a running turn and a search field edit alike. Long
// pastes appear in it as chips, "[Pasted text #1 +84 lines]", and are sent in full.
#pragma once

#include "core/text/std.h"

#include "repl/terminal/keys.h"

namespace skein::edit {

// The text in the line that has not been sent yet.
struct Draft {
  std::string text{};                 // with its chips
  std::vector<std::string> pasted{};  // what the chips stand for, in the order of their numbers

  bool empty() const { return text.empty(); }
  bool operator==(const Draft&) const = default;
};

// A paste as text: lines end with LF, tabs stay, other control characters go.
std::string pasted_text(std::string_view raw);
// When an image is dropped on a terminal, it pastes the image's path, quoted in some way. Returns
// how a prompt mentions that file, or nullopt if the text is something else.
std::optional<std::string> dropped_image(std::string_view text);
// Whether the text is too long to be shown in the line.
bool deserves_chip(std::string_view text);
// Pasted text attaches no files, so a paste that contains an @path must not look typed.
bool mentions_something(std::string_view text);
// Remembers `text` and returns the chip that represents it.
std::string make_chip(Draft& draft, std::string text);
// The length of the chip that ends (begins) at byte `at` of the draft's text; 0 if none does.
std::size_t chip_before(const Draft& draft, std::size_t at);
std::size_t chip_after(const Draft& draft, std::size_t at);
// The draft as it will be sent.
std::string whole(const Draft& draft);

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
  void insert(std::string_view text) { replace(cursor_, text); }
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

  void yank(std::size_t over);  // in the place of so many bytes before the cursor
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
  std::size_t word_start_before(std::size_t at, bool (*in_word)(char)) const;
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
