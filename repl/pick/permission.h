// The question whether a call may run: how it is shown, its answers, and what was decided.
#pragma once

#include "core/model/event.h"
#include "repl/layout/style.h"
#include "repl/screen/screen.h"
#include "repl/terminal/keyboard.h"

namespace skein::pick {

// One answer: its key and what it means, in a sentence and in a few words.
struct Offer {
  char key;
  model::Answer::Choice choice;
  std::string text, brief;
};
// In the order in which they are shown. Only the first ones need an editor or a rule.
std::vector<Offer> offers_of(const model::Question& question, bool with_editor);
// "✓ allowed once: make check": what was decided, in one line. Untrusted.
std::string decision_line(const model::Question& question, const model::Answer& answer);
// What `line` answers, where there are no keys; `y`, `s`, `a`, a number of the list, or no and why.
model::Answer permission_in(const model::Question& question, std::string_view line);

// The question as rows for a window of that size, each safe and narrower than `columns`.
struct QuestionRows {
  std::vector<std::string> rows{};
  std::size_t chosen = 0;    // the row of the chosen answer
  std::size_t left_out = 0;  // rows of the detail
  bool cut_offers = false;   // an answer may not be shown to its end
};
// `with_detail`: else it is above already.
QuestionRows question_rows(const model::Question& question, std::size_t chosen,
                           terminal::Terminal::Size size, bool with_detail,
                           const layout::TerminalStyle& look);

// Shows the question and takes the key of an answer, its number, or arrows and Enter; w says no
// with a reason, v shows all of a long detail. Enter alone and Esc mean no, ^C means no and sets
// `stop`. The question is replaced by decision_line().
model::Answer ask_permission(terminal::Keyboard& keyboard, screen::Screen& screen,
                             const model::Question& question, std::atomic<bool>& stop);

}  // namespace skein::pick
