// What keys mean at the prompt: editing, moving through the history, ghost text, completion, and
// requests that the caller, who has the terminal, must carry out.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "repl/edit/line_edit.h"
#include "repl/prompt/history.h"
#include "repl/prompt/popup.h"
#include "repl/terminal/key_map.h"

namespace skein::prompt {

class PromptLine {
 public:
  enum class EditorAction {
    none,
    send,
    abort,  // ^C: the line goes to the history
    leave,
    search,  // in the history
    edit_elsewhere,
    clear_screen,
    expand,
    show_thinking,
    cycle_mode,
    suspend,
    announce,  // no key: something has happened meanwhile
    redraw,    // nor here: what stands above the prompt is another
  };

  PromptLine(History& history, std::function<std::string(std::string_view)> hint,
             Complete complete = {}, const terminal::KeyMap& keys = terminal::usual_keys())
      : history_(history), hint_(std::move(hint)), popup_(std::move(complete)), keys_(keys) {}

  void start(edit::Draft draft);
  // Until it is said otherwise, Esc aborts.
  void let_escape_abort(bool aborts) { escape_aborts_ = aborts; }
  EditorAction use(const terminal::Key& key);
  edit::LineEdit& line() { return line_; }
  const std::string& text() const { return line_.text(); }
  // The list below the line, as it is now; to be drawn, and Popup::set_shown() called then.
  Popup& refreshed_popup();
  // What to show dim after the line: a hint from the command table, else the rest of an earlier
  // line, which Right and End accept.
  std::string hint();

 private:
  struct Binding {
    std::vector<terminal::Key> keys;
    EditorAction (*run)(PromptLine&);
  };
  static const std::vector<Binding>& bindings();

  EditorAction run(terminal::Action action, const terminal::Key& pressed);
  EditorAction edit(const terminal::Key& as);
  // As if it had been typed and sent.
  EditorAction say(std::string_view text);
  EditorAction enter();
  EditorAction word_right(const terminal::Key& pressed);
  EditorAction up();
  EditorAction down();
  EditorAction tab();
  // Nothing: the key means what it always does.
  std::optional<EditorAction> use_popup(const terminal::Key& key, terminal::Action action);
  void take(const Choice& choice);
  // A key that edits, but means something else on an empty line.
  EditorAction edit_unless_empty(const terminal::Key& key, EditorAction when_empty);
  EditorAction accept_or(const terminal::Key& key);
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
  terminal::ChordReader chords_{keys_, terminal::Place::prompt};
};

}  // namespace skein::prompt
