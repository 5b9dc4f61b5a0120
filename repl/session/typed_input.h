// What the user types besides the current line: ahead of time, queued, unsent, and answers.
#pragma once

#include "core/model/event.h"
#include "core/text/base.h"
#include "repl/edit/line_edit.h"
#include "repl/pick/ask.h"
#include "repl/prompt/history.h"
#include "repl/prompt/line_editor.h"
#include "repl/prompt/type_ahead.h"
#include "repl/screen/screen.h"
#include "repl/terminal/keyboard.h"

namespace skein::session {

class TypedInput {
 public:
  struct Parts {
    screen::Screen& screen;
    std::atomic<bool>& stop;                 // ^C
    std::atomic<unsigned>* stops = nullptr;  // how often; none: not counted
    terminal::Keyboard* keyboard = nullptr;  // none: questions are answered with a line
    prompt::Drafts drafts{};
    // The user sees questions and can answer. In a pipe the next line is a prompt, not an answer.
    bool attended = false;
    prompt::History* history = nullptr;  // none: lines typed during a turn find nothing in it
  };
  explicit TypedInput(Parts parts) : parts_(std::move(parts)) {}

  // Needed before anything can be read or asked. `complete`: for lines typed during a turn.
  void use(prompt::LineEditor& editor, prompt::Complete complete = {}) {
    editor_ = &editor;
    complete_ = std::move(complete);
  }
  terminal::Keyboard* keyboard() const { return parts_.keyboard; }
  bool attended() const { return parts_.attended; }
  bool can_ask() const { return parts_.attended && editor_ != nullptr; }

  // Reads the next line behind `prompt`, which starts out with the unsent draft.
  prompt::LineEditor::ReadResult read(const std::string& prompt, edit::Draft& line);
  // The oldest line that was sent while a turn ran.
  std::optional<edit::Draft> take_queued();

  // The line being handled; `typed` is the part of it that may mention files.
  void begin_line(const edit::Draft& line, const std::string& typed) {
    line_ = line;
    typed_ = typed;
  }
  const std::string& typed() const { return typed_; }
  // Nothing was sent: the prompt becomes the draft again, with its pastes still folded.
  void put_back(const std::string& prompt);

  // A text that was sent before, as the user changed it; nothing: Esc or ^C. It is the current
  // line.
  std::optional<std::string> revise(const std::string& text);

  // Drafts on disk belong to a session.
  void enter(Id session);
  void keep(const edit::Draft& draft) const {
    if (session_) parts_.drafts.keep(*session_, draft);
  }
  void keep_unsent() const {  // after a line was handled
    if (queued_.empty()) keep(draft_);
  }
  // Once the prompt is saved, only what was typed since is a draft.
  void keep_ahead() { keep(ahead_ ? ahead_->all() : edit::Draft{}); }

  // Reads the keyboard while a turn runs. At its end queued lines come next; after a stopped turn
  // everything goes back into the line.
  void begin_ahead(prompt::Steering steering);
  void end_ahead();
  // The keyboard's part in a turn's poll.
  model::Ports::Input port() { return ahead_ ? ahead_->input() : model::Ports::Input{}; }
  const std::atomic<unsigned>* stops() const { return parts_.stops; }
  std::atomic<bool>& to_background() { return to_background_; }  // set by ^B while a turn runs
  void delivered(Id message);  // a line that steers is saved and on its way to the model

  model::Answer ask(const model::Question& question);  // Enter alone means no
  // See model::Ports.
  std::optional<std::string> inquire(const model::Inquiry& inquiry);
  model::PlanReview review(const model::Plan& plan);
  bool confirm(const std::string& question, pick::Enter enter = pick::Enter::no);
  // Whether lists are read out and answered with a number; and the one that was chosen, if any.
  bool chooses_by_number() const { return can_ask() && keyboard() == nullptr; }
  std::optional<std::size_t> choose(const std::string& title,
                                    const std::vector<std::string>& lines);
  // A line; nullopt: the user left it with Esc or ^C, and the latter also stops what runs.
  std::optional<std::string> ask_line(const model::LineQuestion& question);

 private:
  std::optional<std::string> read_answer();

  Parts parts_;
  prompt::LineEditor* editor_ = nullptr;
  prompt::Complete complete_{};
  prompt::History no_history_{};
  std::optional<Id> session_{};
  std::atomic<bool> to_background_{false};
  std::atomic<unsigned> uncounted_{0};
  std::optional<prompt::TypeAhead> ahead_{};  // while a turn runs at a terminal
  std::vector<edit::Draft> queued_{};         // sent during a turn: handled next, in this order
  edit::Draft draft_{};                       // typed and not sent: goes into the next line
  edit::Draft line_{};
  std::string typed_{};
};

}  // namespace skein::session
