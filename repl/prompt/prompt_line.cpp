#include "repl/prompt/prompt_line.h"

#include <algorithm>
#include <utility>

namespace skein::prompt {

using terminal::Action, terminal::ctrl, terminal::key;

using Code = terminal::Key::Code;

// What moves, whatever the table of keys says.
const std::vector<PromptLine::Binding>& PromptLine::bindings() {
  using P = PromptLine&;
  static const std::vector<Binding> table{
      {{key(Code::up), ctrl('p')}, [](P p) { return p.up(); }},
      {{key(Code::down), ctrl('n')}, [](P p) { return p.down(); }},
      {{ctrl('c')}, [](P) { return EditorAction::abort; }},
  };
  return table;
}

PromptLine::EditorAction PromptLine::run(Action action, const terminal::Key& pressed) {
  using enum EditorAction;
  switch (action) {
    case Action::send: return enter();
    case Action::complete: return tab();
    case Action::rewind: return text().empty() ? say("/rewind") : none;
    case Action::leave: return edit_unless_empty(pressed, EditorAction::leave);
    case Action::accept: return accept_or(pressed);
    case Action::accept_word: return word_right(pressed);
    case Action::search_history: return search;
    case Action::mode: return cycle_mode;
    case Action::editor: return edit_elsewhere;
    case Action::clear_screen: return EditorAction::clear_screen;
    case Action::unfold: return expand;
    case Action::thinking: return edit_unless_empty(pressed, show_thinking);
    case Action::suspend: return EditorAction::suspend;
    case Action::newline: return edit(ctrl('j'));
    case Action::delete_word: return edit(ctrl('w'));
    case Action::delete_to_start: return edit(ctrl('u'));
    case Action::delete_to_end: return edit(ctrl('k'));
    case Action::put_back: return edit(ctrl('y'));
    case Action::undo: return edit(ctrl('_'));
    case Action::none:
    case Action::steer:
    case Action::stop:
    case Action::background: break;  // during a turn: see TypeAhead
  }
  return none;
}

PromptLine::EditorAction PromptLine::edit(const terminal::Key& as) {
  if (line_.apply(as)) recalled_.reset();
  return EditorAction::none;
}

void PromptLine::start(edit::Draft draft) {
  line_.start(std::move(draft));
  ghost_.clear();
  recalled_.reset();
  chords_.forget();
  popup_.forget();
}

Popup& PromptLine::refreshed_popup() {
  popup_.refresh(std::string_view(text()).substr(0, line_.cursor()));
  return popup_;
}

PromptLine::EditorAction PromptLine::use(const terminal::Key& pressed) {
  const Action action = chords_.read(pressed);
  if (text().empty() && terminal::typed(pressed) == "?") return say("?");
  if (const auto done = use_popup(pressed, action)) return *done;
  if (escape_aborts_ && pressed == key(Code::escape)) return EditorAction::abort;
  // Only typing opens the list; a line from the history stays as it is.
  const bool types = !terminal::typed(pressed).empty() || pressed.code == Code::backspace;
  types ? popup_.changed() : popup_.rest();
  if (action != Action::none) return run(action, pressed);
  if (chords_.begun() || keys_.taken_away(pressed)) return EditorAction::none;
  const auto found = std::ranges::find_if(
      bindings(), [&](const Binding& row) { return std::ranges::count(row.keys, pressed) > 0; });
  if (found != bindings().end()) return found->run(*this);
  return edit(pressed);
}

std::optional<PromptLine::EditorAction> PromptLine::use_popup(const terminal::Key& pressed,
                                                              Action action) {
  if (action == Action::complete) return tab();
  if (!popup_.shown()) return std::nullopt;
  if (pressed == key(Code::down) || pressed == ctrl('n')) {
    popup_.move(1);
    return EditorAction::none;
  }
  if ((pressed == key(Code::up) || pressed == ctrl('p')) && popup_.move(-1))
    return EditorAction::none;
  if (pressed == key(Code::escape)) {
    popup_.dismiss();
    return EditorAction::none;
  }
  const Choice* const chosen = popup_.chosen();
  const bool takes = action == Action::send || pressed == key(Code::enter);
  if (!takes || chosen == nullptr) return std::nullopt;
  const bool whole = chosen->whole;
  take(*chosen);
  return whole ? EditorAction::send : EditorAction::none;
}

PromptLine::EditorAction PromptLine::tab() {
  popup_.reopen();
  Popup& popup = refreshed_popup();
  const std::string typed = text().substr(std::min(popup.from(), line_.cursor()),
                                          line_.cursor() - std::min(popup.from(), line_.cursor()));
  if (const Choice* chosen = popup.chosen())
    take(*chosen);
  else if (popup.count() == 1)
    take(*popup.first());
  else if (const std::string start = popup.common_start(typed); !start.empty())
    line_.replace(popup.from(), start);
  else if (popup.open())
    popup.choose_first();
  return EditorAction::none;
}

// Copies what it needs: the list changes with the line.
void PromptLine::take(const Choice& choice) {
  const std::string piece = choice.text;
  line_.replace(popup_.from(), piece);
  recalled_.reset();
  popup_.dismiss();
}

PromptLine::EditorAction PromptLine::say(std::string_view text) {
  line_.start({.text = std::string(text)});
  return EditorAction::send;
}

PromptLine::EditorAction PromptLine::enter() {
  const std::size_t cursor = line_.cursor();
  if (cursor == 0 || text()[cursor - 1] != '\\') return EditorAction::send;
  line_.replace(cursor - 1, "\n");
  return EditorAction::none;
}

PromptLine::EditorAction PromptLine::edit_unless_empty(const terminal::Key& pressed,
                                                       EditorAction when_empty) {
  if (text().empty()) return when_empty;
  line_.apply(pressed);
  return EditorAction::none;
}

PromptLine::EditorAction PromptLine::accept_or(const terminal::Key& pressed) {
  recalled_.reset();
  if (!ghost_.empty() && line_.at_end())
    line_.insert(std::exchange(ghost_, {}));
  else
    line_.apply(pressed);
  return EditorAction::none;
}

PromptLine::EditorAction PromptLine::word_right(const terminal::Key& pressed) {
  if (ghost_.empty() || !line_.at_end()) return accept_or(pressed);
  const std::size_t word = std::min(ghost_.find_first_not_of(" \n"), ghost_.size());
  line_.insert(ghost_.substr(0, ghost_.find_first_of(" \n", word)));
  recalled_.reset();
  return EditorAction::none;
}

PromptLine::EditorAction PromptLine::up() {
  if (!line_.up()) recall(&History::before);
  return EditorAction::none;
}

PromptLine::EditorAction PromptLine::down() {
  if (!line_.down() && recalled_) recall(&History::after);
  return EditorAction::none;
}

// Moving through the history begins and ends at the line as it was typed.
void PromptLine::recall(std::optional<std::size_t> (History::*find)(std::size_t,
                                                                    std::string_view)) {
  const std::size_t newest = history_.lines().size();
  if (!recalled_) typed_ = text();
  const auto found = (history_.*find)(recalled_.value_or(newest), typed_);
  if (!found && find == &History::before) return;
  recalled_ = found;
  line_.set(found ? history_.lines()[*found] : typed_);
}

std::string PromptLine::hint() {
  ghost_.clear();
  if (!line_.at_end() || text().empty()) return {};
  if (std::string known = hint_ ? hint_(text()) : std::string{}; !known.empty()) return known;
  if (!recalled_) ghost_ = history_.rest_of(text());
  return ghost_.substr(0, ghost_.find('\n'));
}

}  // namespace skein::prompt
