// What keys mean at the prompt: editing, moving through the history, ghost text, completion, and
// requests that the caller, who has the terminal, must carry out.
#pragma once

#include "repl/edit/line_edit.h"
#include "repl/prompt/history.h"
#include "repl/screen/output.h"
#include "repl/terminal/key_map.h"

namespace skein::prompt {

// What could be inserted at the cursor: the names of commands, files, sessions, models.
struct CompletionChoice {
  std::string text;       // as it would stand in the line
  std::string about{};    // a few words on it; untrusted
  std::string letters{};  // what is searched; empty: the text
  bool whole = false;     // the line could be sent with it: nothing must follow
};

// A place in the line where one of several texts can be inserted.
struct Completion {
  std::string key{};     // which place it is; empty: there is nothing to complete
  std::size_t from = 0;  // from here to the cursor the text is replaced
  // From here it is searched for, by letters in order but with gaps.
  std::size_t letters = 0;
  bool eager = false;  // Enter takes the first choice if it begins with what was typed
  std::function<std::vector<CompletionChoice>()>
      choices{};  // all of them; asked for once for each place
};

using Complete = std::function<Completion(std::string_view before_cursor)>;

// The list that opens below the line while a name is typed. It knows neither keys nor a terminal:
// the line passes on what was typed, and what draws the line draws its rows.
class Popup {
 public:
  explicit Popup(Complete complete) : complete_(std::move(complete)) {}

  // Finds what fits; called when nothing more has been typed for now.
  void refresh(std::string_view before_cursor);
  // It was drawn in its current form: only then do Enter and the arrows mean it.
  void set_shown() { shown_ = open(); }
  // The line has changed otherwise than by typing: closed until something is typed.
  void rest() { close(), resting_ = true; }
  // The text has changed: what was shown no longer counts.
  void changed() { shown_ = resting_ = false; }
  void reopen() { changed(), dismissed_.clear(); }
  // Closed for this place in the line.
  void dismiss() { close(), dismissed_ = place_.key; }
  void forget();  // another line begins

  bool open() const { return !fits_.empty(); }
  bool shown() const { return shown_; }
  bool move(int by);  // false: there is nothing in that direction
  void choose_first() { chosen_ = 0; }
  const CompletionChoice* chosen() const;  // what Enter takes; null: nothing
  const CompletionChoice* first() const { return open() ? &choices_[fits_.front()] : nullptr; }
  // What all of them begin with, if that is longer than what was typed.
  std::string common_start(std::string_view typed) const;
  std::size_t count() const { return fits_.size(); }
  std::size_t from() const { return place_.from; }

  // At most `most` rows, each `columns` wide; the last one says how many there are.
  std::vector<screen::LiveRow> rows(std::size_t columns, std::size_t most) const;

 private:
  void close() { fits_.clear(), shown_ = false; }
  void choose_eagerly(std::string_view letters);

  Complete complete_;
  Completion place_{};
  std::vector<CompletionChoice> choices_{};  // of the place
  std::vector<std::string> texts_{};         // that are searched
  std::string letters_{};                    // that `fits_` were found with
  std::vector<std::size_t> fits_{};          // the best first
  std::size_t chosen_ = none;                // among them
  bool shown_ = false, resting_ = false;
  std::string dismissed_{};  // the key of the place

  static constexpr std::size_t none = static_cast<std::size_t>(-1);
};

using terminal::Action;

class PromptLine {
 public:
  PromptLine(History& history, std::function<std::string(std::string_view)> hint,
             Complete complete = {}, const terminal::KeyMap& keys = terminal::usual_keys())
      : history_(history), hint_(std::move(hint)), popup_(std::move(complete)), keys_(keys) {}

  void start(edit::Draft draft);
  // Until it is said otherwise, Esc aborts.
  void let_escape_abort(bool aborts) { escape_aborts_ = aborts; }
  // What is left to the caller; none: nothing.
  Action use(const terminal::Key& key);
  edit::LineEdit& line() { return line_; }
  const std::string& text() const { return line_.text(); }
  // The current list below the line; to be drawn, and Popup::set_shown() called then.
  Popup& refreshed_popup();
  // Shown dim after the line: a command's hint, else the rest of an earlier line, which Right
  // takes.
  std::string hint();

 private:
  Action run(Action action, const terminal::Key& pressed);
  Action edit(const terminal::Key& as);
  // As if it had been typed and sent.
  Action say(std::string_view text);
  Action enter();
  Action tab();
  // Nothing: the key means what it always does.
  std::optional<Action> use_popup(const terminal::Key& key, Action action);
  void take(const CompletionChoice& choice);
  // All of the grey text, or a word of it; without any the key edits.
  Action accept(const terminal::Key& key, bool word);
  void recall(std::optional<std::size_t> (History::*find)(std::size_t, std::string_view));

  History& history_;
  std::function<std::string(std::string_view)> hint_;
  Popup popup_;
  edit::LineEdit line_{};
  std::string ghost_{};                    // the rest of an earlier line, shown behind this one
  std::optional<std::size_t> recalled_{};  // the history line shown here
  std::string typed_{};                    // what was here before it
  bool escape_aborts_ = false;
  const terminal::KeyMap& keys_;
  terminal::ChordReader chords_{keys_, terminal::KeyContext::prompt};
};

}  // namespace skein::prompt
