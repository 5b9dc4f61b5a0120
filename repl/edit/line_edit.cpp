#include "repl/edit/line_edit.h"

#include <algorithm>

#include "repl/layout/width.h"

namespace skein::edit {

namespace {

using Code = terminal::Key::Code;

constexpr std::size_t most_undos = 1000, most_kills = 32;

terminal::Key with_alt(Code code) {
  terminal::Key out = terminal::key(code);
  out.alt = true;
  return out;
}
terminal::Key with_ctrl(Code code) {
  terminal::Key out = terminal::key(code);
  out.ctrl = true;
  return out;
}
terminal::Key with_shift(Code code) {
  terminal::Key out = terminal::key(code);
  out.shift = true;
  return out;
}

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n'; }

}  // namespace

const std::vector<LineEdit::Binding>& LineEdit::bindings() {
  static const std::vector<Binding> table{
      {terminal::key(Code::left), &LineEdit::left},
      {terminal::ctrl('b'), &LineEdit::left},
      {terminal::key(Code::right), &LineEdit::right},
      {terminal::ctrl('f'), &LineEdit::right},
      {terminal::alt('b'), &LineEdit::word_left},
      {with_alt(Code::left), &LineEdit::word_left},
      {with_ctrl(Code::left), &LineEdit::word_left},
      {terminal::alt('f'), &LineEdit::word_right},
      {with_alt(Code::right), &LineEdit::word_right},
      {with_ctrl(Code::right), &LineEdit::word_right},
      {terminal::key(Code::home), &LineEdit::home},
      {terminal::ctrl('a'), &LineEdit::home},
      {terminal::key(Code::end), &LineEdit::end},
      {terminal::ctrl('e'), &LineEdit::end},
      {terminal::ctrl('j'), &LineEdit::newline},
      {with_alt(Code::enter), &LineEdit::newline},
      {with_shift(Code::enter), &LineEdit::newline},
      {terminal::key(Code::backspace), &LineEdit::backspace},
      {terminal::key(Code::del), &LineEdit::del},
      {terminal::ctrl('d'), &LineEdit::del},
      {terminal::ctrl('w'), &LineEdit::kill_to_space},
      {with_alt(Code::backspace), &LineEdit::kill_word_left},
      {terminal::alt('d'), &LineEdit::kill_word_right},
      {terminal::ctrl('u'), &LineEdit::kill_left},
      {terminal::ctrl('k'), &LineEdit::kill_right},
      {terminal::ctrl('y'), &LineEdit::yank},
      {terminal::alt('y'), &LineEdit::yank_older},
      {terminal::ctrl('t'), &LineEdit::transpose},
      {terminal::alt('u'), &LineEdit::upper},
      {terminal::alt('l'), &LineEdit::lower},
      {terminal::ctrl('_'), &LineEdit::undo},
  };
  return table;
}

bool LineEdit::apply(const terminal::Key& key) {
  next_last_ = Last::other;
  if (key.code == Code::paste) {
    paste(key.text);
  } else if (const std::string piece = terminal::typed(key); !piece.empty()) {
    // Undo takes back a whole word, not a single letter.
    if (last_ != Last::typed || (piece == " " && !text().ends_with(' '))) change();
    next_last_ = Last::typed;
    draft_.text.insert(cursor_, piece);
    cursor_ += piece.size();
    goal_.reset();
  } else {
    const auto found = std::ranges::find(bindings(), key, &Binding::key);
    if (found == bindings().end()) return false;
    (this->*found->run)();
    goal_.reset();
  }
  last_ = next_last_;
  return true;
}

void LineEdit::start(Draft draft) {
  past_.clear();
  draft_ = std::move(draft);
  cursor_ = text().size();
  last_ = Last::other;
}

void LineEdit::set(std::string text) {
  change();
  draft_.text = deserves_chip(text) ? make_chip(draft_, std::move(text)) : std::move(text);
  cursor_ = draft_.text.size();
}

void LineEdit::change() {
  if (past_.size() == most_undos) past_.erase(past_.begin());
  past_.push_back({text(), cursor_});
  last_ = Last::other;
}

void LineEdit::insert(std::string_view piece) {
  change();
  draft_.text.insert(cursor_, piece);
  cursor_ += piece.size();
}

void LineEdit::replace(std::size_t from, std::string_view piece) {
  change();
  draft_.text.replace(from, cursor_ - from, piece);
  cursor_ = from + piece.size();
}

void LineEdit::paste(const std::string& raw) {
  std::string piece = pasted_text(raw);
  auto image = dropped_image(piece);
  if (image) piece = std::move(*image);
  if (deserves_chip(piece) || (!image && mentions_something(piece))) {
    change();
    piece = make_chip(draft_, std::move(piece));
    draft_.text.insert(cursor_, piece);
    cursor_ += piece.size();
  } else {
    insert(piece);
  }
  goal_.reset();
}

void LineEdit::fold() {
  change();
  Draft before{text().substr(0, cursor_), draft_.pasted};
  const std::string rest = text().substr(cursor_);
  const std::string chip = make_chip(draft_, whole(before));
  draft_.text = chip + rest;
  cursor_ = chip.size();
}

std::size_t LineEdit::line_start(std::size_t at) const {
  return at == 0 ? 0 : text().rfind('\n', at - 1) + 1;  // npos + 1 is 0
}
std::size_t LineEdit::line_end(std::size_t at) const {
  return std::min(text().find('\n', at), text().size());
}

std::size_t LineEdit::unit_before(std::size_t at) const {
  if (at == 0) return 0;
  if (const std::size_t chip = chip_before(draft_, at)) return at - chip;
  std::size_t from = line_start(at);
  if (from == at) return at - 1;
  for (std::size_t next = from; next < at;) {
    from = next;
    next += layout::first_grapheme(std::string_view(text()).substr(next)).bytes;
  }
  return from;
}

std::size_t LineEdit::unit_after(std::size_t at) const {
  if (at >= text().size()) return text().size();
  if (const std::size_t chip = chip_after(draft_, at)) return at + chip;
  return at + layout::first_grapheme(std::string_view(text()).substr(at)).bytes;
}

std::size_t LineEdit::word_start_before(std::size_t at) const {
  while (at > 0 && !is_word(text()[at - 1])) at = unit_before(at);
  while (at > 0 && is_word(text()[at - 1])) at = unit_before(at);
  return at;
}

std::size_t LineEdit::word_end_after(std::size_t at) const {
  while (at < text().size() && !is_word(text()[at])) at = unit_after(at);
  while (at < text().size() && is_word(text()[at])) at = unit_after(at);
  return at;
}

void LineEdit::left() { cursor_ = unit_before(cursor_); }
void LineEdit::right() { cursor_ = unit_after(cursor_); }
void LineEdit::word_left() { cursor_ = word_start_before(cursor_); }
void LineEdit::word_right() { cursor_ = word_end_after(cursor_); }
void LineEdit::home() { cursor_ = line_start(cursor_); }
void LineEdit::end() { cursor_ = line_end(cursor_); }

void LineEdit::erase(std::size_t from, std::size_t to) {
  if (from == to) return;
  change();
  draft_.text.erase(from, to - from);
  cursor_ = from;
}

void LineEdit::backspace() { erase(unit_before(cursor_), cursor_); }
void LineEdit::del() { erase(cursor_, unit_after(cursor_)); }

// Consecutive kills are joined.
void LineEdit::kill(std::size_t from, std::size_t to) {
  if (from == to) return;
  const bool goes_on = last_ == Last::killed && !kills_.empty();
  const std::string piece = text().substr(from, to - from);
  if (!goes_on) {
    if (kills_.size() == most_kills) kills_.erase(kills_.begin());
    kills_.emplace_back();
  }
  kills_.back() = from < cursor_ ? piece + kills_.back() : kills_.back() + piece;
  erase(from, to);
  next_last_ = Last::killed;
}

void LineEdit::kill_word_left() { kill(word_start_before(cursor_), cursor_); }
void LineEdit::kill_word_right() { kill(cursor_, word_end_after(cursor_)); }
void LineEdit::kill_left() { kill(0, cursor_); }
void LineEdit::kill_right() { kill(cursor_, text().size()); }
void LineEdit::kill_to_space() {
  std::size_t from = cursor_;
  while (from > 0 && is_space(text()[from - 1])) from = unit_before(from);
  while (from > 0 && !is_space(text()[from - 1])) from = unit_before(from);
  kill(from, cursor_);
}

void LineEdit::yank() {
  if (kills_.empty()) return;
  insert(kills_.back());
  yanked_ = kills_.back().size();
  next_last_ = Last::yanked;
}

void LineEdit::yank_older() {
  if (last_ != Last::yanked) return;
  std::ranges::rotate(kills_, kills_.end() - 1);
  replace(cursor_ - yanked_, kills_.back());
  yanked_ = kills_.back().size();
  next_last_ = Last::yanked;
}

void LineEdit::transpose() {
  const std::size_t second = at_end() ? unit_before(cursor_) : cursor_;
  const std::size_t first = unit_before(second), after = unit_after(second);
  if (first == second) return;
  change();
  std::rotate(draft_.text.begin() + static_cast<std::ptrdiff_t>(first),
              draft_.text.begin() + static_cast<std::ptrdiff_t>(second),
              draft_.text.begin() + static_cast<std::ptrdiff_t>(after));
  cursor_ = after;
}

void LineEdit::change_case(bool up) {
  change();
  const std::size_t to = word_end_after(cursor_);
  for (; cursor_ < to; ++cursor_) {
    char& c = draft_.text[cursor_];
    if (up && c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    if (!up && c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
}
void LineEdit::upper() { change_case(true); }
void LineEdit::lower() { change_case(false); }

void LineEdit::undo() {
  if (past_.empty()) return;
  draft_.text = std::move(past_.back().text);
  cursor_ = past_.back().cursor;
  past_.pop_back();
}

void LineEdit::move_lines(std::size_t from, std::size_t to) {
  if (!goal_)
    goal_ = layout::display_width(
        std::string_view(text()).substr(line_start(cursor_), cursor_ - line_start(cursor_)));
  cursor_ = from;
  while (cursor_ < to) {
    const std::size_t next = unit_after(cursor_);
    if (layout::display_width(std::string_view(text()).substr(from, next - from)) > *goal_) break;
    cursor_ = next;
  }
  last_ = Last::other;
}

bool LineEdit::up() {
  const std::size_t start = line_start(cursor_);
  if (start == 0) return false;
  move_lines(line_start(start - 1), start - 1);
  return true;
}

bool LineEdit::down() {
  const std::size_t end = line_end(cursor_);
  if (end == text().size()) return false;
  move_lines(end + 1, line_end(end + 1));
  return true;
}

}  // namespace skein::edit
