#include "repl/prompt/prompt_line.h"

#include "repl/layout/sanitize.h"
#include "repl/layout/width.h"
#include "repl/pick/fuzzy.h"

namespace skein::prompt {

using terminal::ctrl, terminal::key;

using Code = terminal::Key::Code;

namespace {

bool is_up(const terminal::Key& pressed) {
  return pressed == key(Code::up) || pressed == ctrl('p');
}
bool is_down(const terminal::Key& pressed) {
  return pressed == key(Code::down) || pressed == ctrl('n');
}

std::string_view searched(const CompletionChoice& choice) {
  return choice.letters.empty() ? std::string_view(choice.text) : std::string_view(choice.letters);
}

// A file is known by its own name as well as by its path.
bool begins_with(std::string_view text, std::string_view letters) {
  return text.starts_with(letters) || text.substr(text.rfind('/') + 1).starts_with(letters);
}

}  // namespace

Action PromptLine::run(Action action, const terminal::Key& pressed) {
  switch (action) {
    case Action::send: return enter();
    case Action::complete: return tab();
    case Action::rewind: return text().empty() ? say("/rewind") : Action::none;
    case Action::leave:
    case Action::thinking:  // keys that edit unless the line is empty
      if (text().empty()) return action;
      line_.apply(pressed);
      return Action::none;
    case Action::accept: return accept(pressed, false);
    case Action::accept_word: return accept(pressed, true);
    case Action::newline: return edit(ctrl('j'));
    case Action::delete_word: return edit(ctrl('w'));
    case Action::delete_to_start: return edit(ctrl('u'));
    case Action::delete_to_end: return edit(ctrl('k'));
    case Action::put_back: return edit(ctrl('y'));
    case Action::undo: return edit(ctrl('_'));
    case Action::steer:
    case Action::stop:
    case Action::background: return Action::none;  // during a turn: see TypeAhead
    default: return action;
  }
}

Action PromptLine::edit(const terminal::Key& as) {
  if (line_.apply(as)) recalled_.reset();
  return Action::none;
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

Action PromptLine::use(const terminal::Key& pressed) {
  const Action action = chords_.read(pressed);
  if (text().empty() && terminal::typed(pressed) == "?") return say("?");
  if (const auto done = use_popup(pressed, action)) return *done;
  if (escape_aborts_ && pressed == key(Code::escape)) return Action::abort;
  // Only typing opens the list; a line from the history stays as it is.
  const bool types = !terminal::typed(pressed).empty() || pressed.code == Code::backspace;
  types ? popup_.changed() : popup_.rest();
  if (action != Action::none) return run(action, pressed);
  if (chords_.begun() || keys_.taken_away(pressed)) return Action::none;
  // What moves, whatever the table of keys says.
  if (pressed == ctrl('c')) return Action::abort;
  if (is_up(pressed)) {
    if (!line_.up()) recall(&History::before);
  } else if (is_down(pressed)) {
    if (!line_.down() && recalled_) recall(&History::after);
  } else {
    edit(pressed);
  }
  return Action::none;
}

std::optional<Action> PromptLine::use_popup(const terminal::Key& pressed, Action action) {
  if (action == Action::complete) return tab();
  if (!popup_.shown()) return std::nullopt;
  if (is_down(pressed)) {
    popup_.move(1);
    return Action::none;
  }
  if (is_up(pressed) && popup_.move(-1)) return Action::none;
  if (pressed == key(Code::escape)) {
    popup_.dismiss();
    return Action::none;
  }
  const CompletionChoice* const chosen = popup_.chosen();
  const bool takes = action == Action::send || pressed == key(Code::enter);
  if (!takes || chosen == nullptr) return std::nullopt;
  const bool whole = chosen->whole;
  take(*chosen);
  return whole ? Action::send : Action::none;
}

Action PromptLine::tab() {
  popup_.reopen();
  Popup& popup = refreshed_popup();
  const std::size_t from = std::min(popup.from(), line_.cursor());
  const std::string typed = text().substr(from, line_.cursor() - from);
  if (const CompletionChoice* chosen = popup.chosen())
    take(*chosen);
  else if (popup.count() == 1)
    take(*popup.first());
  else if (const std::string start = popup.common_start(typed); !start.empty())
    line_.replace(popup.from(), start);
  else if (popup.open())
    popup.choose_first();
  return Action::none;
}

// Copies what it needs: the list changes with the line.
void PromptLine::take(const CompletionChoice& choice) {
  const std::string piece = choice.text;
  line_.replace(popup_.from(), piece);
  recalled_.reset();
  popup_.dismiss();
}

Action PromptLine::say(std::string_view text) {
  line_.start({.text = std::string(text)});
  return Action::send;
}

Action PromptLine::enter() {
  const std::size_t cursor = line_.cursor();
  if (cursor == 0 || text()[cursor - 1] != '\\') return Action::send;
  line_.replace(cursor - 1, "\n");
  return Action::none;
}

Action PromptLine::accept(const terminal::Key& pressed, bool word) {
  recalled_.reset();
  if (ghost_.empty() || !line_.at_end()) return line_.apply(pressed), Action::none;
  std::size_t end = ghost_.size();
  if (word) end = ghost_.find_first_of(" \n", std::min(ghost_.find_first_not_of(" \n"), end));
  line_.insert(std::exchange(ghost_, {}).substr(0, end));
  return Action::none;
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

void Popup::refresh(std::string_view before_cursor) {
  Completion place = complete_ ? complete_(before_cursor) : Completion{};
  if (place.key != dismissed_) dismissed_.clear();
  if (place.key.empty() || !dismissed_.empty() || resting_) {
    close();
    if (place.key.empty()) forget();
    return;
  }
  const std::string_view letters = before_cursor.substr(place.letters);
  const bool same = place.key == place_.key;
  place_ = std::move(place);
  if (!same) {
    choices_ = place_.choices();
    texts_.clear();
    for (const CompletionChoice& each : choices_) texts_.emplace_back(searched(each));
    fits_.clear();
  }
  if (same && letters == letters_ && open()) return;
  const bool narrower = same && open() && letters.starts_with(letters_) && !letters_.empty();
  if (!narrower) {
    fits_.resize(texts_.size());
    for (std::size_t i = 0; i < fits_.size(); ++i) fits_[i] = i;
  }
  letters_ = letters;
  if (!letters.empty()) {
    if (!std::ranges::is_sorted(fits_)) std::ranges::sort(fits_);  // ties keep their order
    fits_ = pick::fuzzy_among(letters, texts_, fits_);
  }
  if (count() == 1) {  // and it has been typed already
    const std::string_view only = first()->text;
    if (only.substr(0, only.find_last_not_of(' ') + 1) == before_cursor.substr(place_.from))
      fits_.clear();
  }
  choose_eagerly(letters);
}

void Popup::choose_eagerly(std::string_view letters) {
  chosen_ = none;
  if (!place_.eager || letters.empty() || !open()) return;
  const auto find = [&](const auto& fits) {
    return std::ranges::find_if(fits_, [&](std::size_t at) { return fits(texts_[at], letters); });
  };
  // What was typed may be a name itself: Enter means that one.
  auto found = find(std::equal_to<>());
  if (found == fits_.end()) {
    found = find(begins_with);
    if (found == fits_.end()) return;
    chosen_ = 0;
  }
  std::rotate(fits_.begin(), found, found + 1);
}

void Popup::forget() {
  place_ = {};
  choices_.clear();
  texts_.clear();
  letters_.clear();
  dismissed_.clear();
  close();
}

bool Popup::move(int by) {
  if (by < 0 && (chosen_ == none || chosen_ == 0)) return false;
  if (by > 0) chosen_ = chosen_ == none ? 0 : std::min(chosen_ + 1, fits_.size() - 1);
  if (by < 0) --chosen_;
  return true;
}

const CompletionChoice* Popup::chosen() const {
  return open() && chosen_ != none ? &choices_[fits_[chosen_]] : nullptr;
}

std::string Popup::common_start(std::string_view typed) const {
  if (!open()) return {};
  std::string out = choices_[fits_.front()].text;
  for (const std::size_t at : fits_)
    while (!choices_[at].text.starts_with(out)) out.pop_back();
  while (!is_valid_utf8(out)) out.pop_back();
  return out.size() > typed.size() && out.starts_with(typed) ? out : std::string{};
}

std::vector<screen::LiveRow> Popup::rows(std::size_t columns, std::size_t most) const {
  std::vector<screen::LiveRow> out;
  if (!open() || most < 2 || columns < 10) return out;
  const std::size_t height = std::min(most - 1, count());
  const std::size_t chosen = chosen_ == none ? 0 : chosen_;
  const std::size_t first = chosen < height ? 0 : chosen - height + 1;
  std::size_t widest = 0;
  bool alone = true;  // nothing is shown next to the names
  for (std::size_t i = first; i < first + height; ++i) {
    widest = std::max(widest, layout::display_width(choices_[fits_[i]].text));
    alone = alone && choices_[fits_[i]].about.empty();
  }
  const std::size_t names =
      std::min(widest, alone ? columns - 4 : std::max<std::size_t>(16, columns * 3 / 5));
  for (std::size_t i = first; i < first + height; ++i) {
    const CompletionChoice& choice = choices_[fits_[i]];
    const bool is_chosen = i == chosen_;
    out.push_back(
        {.text = (is_chosen ? "› " : "  ") +
                 layout::padded(layout::fit(layout::sanitized_row(choice.text), names), names),
         .style = is_chosen ? layout::style::strong : layout::style::plain,
         .aside = choice.about.empty() ? "" : "  " + layout::sanitized_row(choice.about)});
  }
  const std::string key = chosen_ == none ? (columns < 48 ? "Tab chooses" : "Tab or Down chooses")
                          : columns < 48  ? "Tab inserts"
                                          : "Enter or Tab inserts";
  out.push_back({.text = {},
                 .aside = "  " + std::to_string(height) + " of " + std::to_string(count()) + " · " +
                          key + " · Esc closes"});
  return out;
}

}  // namespace skein::prompt
