#include "repl/edit/line_edit.h"

#include "core/model/attachments.h"
#include "core/text/base.h"
#include "core/text/encoding.h"
#include "core/text/text.h"
#include "repl/layout/width.h"

namespace skein::edit {

using terminal::alt, terminal::ctrl, terminal::key, terminal::shift;

namespace {

using Code = terminal::Key::Code;

constexpr std::size_t most_undos = 1000, most_kills = 32;

bool is_word(char c) {
  return is_alphanumeric(c) || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}
bool is_no_space(char c) { return c != ' ' && c != '\t' && c != '\n'; }

constexpr std::size_t most_lines = 5, most_bytes = 800;

std::size_t lines_in(std::string_view text) {
  const auto ends = static_cast<std::size_t>(std::ranges::count(text, '\n'));
  return ends + (text.ends_with('\n') ? 0 : 1);
}

// A path as terminals quote it: 'in quotes', with\ backslashes, or as file:///a%20url.
std::string unquoted(std::string_view text) {
  constexpr std::string_view scheme = "file://";
  std::string out;
  if (text.starts_with(scheme)) return percent_decoded(text.substr(scheme.size()));
  for (const char quote : {'\'', '"'})
    if (text.size() > 2 && text.front() == quote && text.back() == quote)
      return std::string(text.substr(1, text.size() - 2));
  for (; !text.empty(); text.remove_prefix(1)) {
    if (text[0] == '\\' && text.size() > 1) text.remove_prefix(1);
    out += text[0];
  }
  return out;
}

bool has_image_suffix(std::string_view path) {
  constexpr std::string_view suffixes[] = {".png", ".jpg", ".jpeg", ".gif", ".webp"};
  return std::ranges::any_of(suffixes,
                             [&](std::string_view each) { return lower(path).ends_with(each); });
}

std::string chip(const std::string& text, std::size_t number) {
  const std::size_t lines = lines_in(text);
  return "[Pasted text #" + std::to_string(number) +
         (lines > 1 ? " +" + std::to_string(lines) + " lines]"
                    : ", " + std::to_string(text.size()) + " bytes]");
}

struct Chip {
  std::size_t length = 0;  // 0: there is none
  std::string_view text{};
};

// The first chip that `fits`.
Chip find_chip(const Draft& draft, const auto& fits) {
  for (std::size_t i = 0; i < draft.pasted.size(); ++i)
    if (const std::string mark = chip(draft.pasted[i], i + 1); fits(mark))
      return {mark.size(), draft.pasted[i]};
  return {};
}

}  // namespace

const std::vector<LineEdit::Binding>& LineEdit::bindings() {
  using E = LineEdit&;
  static const std::vector<Binding> table{
      {{key(Code::left), ctrl('b')}, [](E e) { e.cursor_ = e.unit_before(e.cursor_); }},
      {{key(Code::right), ctrl('f')}, [](E e) { e.cursor_ = e.unit_after(e.cursor_); }},
      {{alt('b'), alt(Code::left), ctrl(Code::left)},
       [](E e) { e.cursor_ = e.word_start_before(e.cursor_, is_word); }},
      {{alt('f'), alt(Code::right), ctrl(Code::right)},
       [](E e) { e.cursor_ = e.word_end_after(e.cursor_); }},
      {{key(Code::home), ctrl('a')}, [](E e) { e.cursor_ = e.line_start(e.cursor_); }},
      {{key(Code::end), ctrl('e')}, [](E e) { e.cursor_ = e.line_end(e.cursor_); }},
      {{ctrl('j'), alt(Code::enter), shift(Code::enter)}, [](E e) { e.insert("\n"); }},
      {{key(Code::backspace)}, [](E e) { e.erase(e.unit_before(e.cursor_), e.cursor_); }},
      {{key(Code::del), ctrl('d')}, [](E e) { e.erase(e.cursor_, e.unit_after(e.cursor_)); }},
      {{ctrl('w')}, [](E e) { e.kill(e.word_start_before(e.cursor_, is_no_space), e.cursor_); }},
      {{alt(Code::backspace)},
       [](E e) { e.kill(e.word_start_before(e.cursor_, is_word), e.cursor_); }},
      {{alt('d')}, [](E e) { e.kill(e.cursor_, e.word_end_after(e.cursor_)); }},
      {{ctrl('u')}, [](E e) { e.kill(0, e.cursor_); }},
      {{ctrl('k')}, [](E e) { e.kill(e.cursor_, e.text().size()); }},
      {{ctrl('y')}, [](E e) { e.yank(0); }},
      {{alt('y')}, [](E e) { e.yank_older(); }},
      {{ctrl('t')}, [](E e) { e.transpose(); }},
      {{alt('u')}, [](E e) { e.change_case(true); }},
      {{alt('l')}, [](E e) { e.change_case(false); }},
      {{ctrl('_')}, [](E e) { e.undo(); }},
  };
  return table;
}

bool LineEdit::apply(const terminal::Key& pressed) {
  next_last_ = Last::other;
  if (pressed.code == Code::paste) {
    paste(pressed.text);
  } else if (const std::string piece = terminal::typed(pressed); !piece.empty()) {
    // Undo takes back a whole word, not a single letter.
    if (last_ != Last::typed || (piece == " " && !text().ends_with(' '))) change();
    next_last_ = Last::typed;
    draft_.text.insert(cursor_, piece);
    cursor_ += piece.size();
    goal_.reset();
  } else {
    const auto found = std::ranges::find_if(
        bindings(), [&](const Binding& row) { return std::ranges::count(row.keys, pressed) > 0; });
    if (found == bindings().end()) return false;
    found->run(*this);
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

void LineEdit::replace(std::size_t from, std::string_view piece) {
  change();
  draft_.text.replace(from, cursor_ - from, piece);
  cursor_ = from + piece.size();
}

void LineEdit::paste(const std::string& raw) {
  std::string piece = pasted_text(raw);
  auto image = dropped_image(piece);
  if (image) piece = std::move(*image);
  if (deserves_chip(piece) || (!image && mentions_something(piece)))
    piece = make_chip(draft_, std::move(piece));
  insert(piece);
  goal_.reset();
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

std::size_t LineEdit::word_start_before(std::size_t at, bool (*in_word)(char)) const {
  while (at > 0 && !in_word(text()[at - 1])) at = unit_before(at);
  while (at > 0 && in_word(text()[at - 1])) at = unit_before(at);
  return at;
}

std::size_t LineEdit::word_end_after(std::size_t at) const {
  while (at < text().size() && !is_word(text()[at])) at = unit_after(at);
  while (at < text().size() && is_word(text()[at])) at = unit_after(at);
  return at;
}

void LineEdit::erase(std::size_t from, std::size_t to) {
  if (from == to) return;
  change();
  draft_.text.erase(from, to - from);
  cursor_ = from;
}

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

void LineEdit::yank(std::size_t over) {
  if (kills_.empty()) return;
  replace(cursor_ - over, kills_.back());
  yanked_ = kills_.back().size();
  next_last_ = Last::yanked;
}

void LineEdit::yank_older() {
  if (last_ != Last::yanked) return;
  std::ranges::rotate(kills_, kills_.end() - 1);
  yank(yanked_);
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

std::string pasted_text(std::string_view raw) {
  std::string out;
  const std::string text = valid_utf8(raw);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\r') {
      out += '\n';
      if (i + 1 < text.size() && text[i + 1] == '\n') ++i;
    } else if (c == '\n' || c == '\t' || static_cast<unsigned char>(c) >= 0x20) {
      if (c != 0x7F) out += c;
    }
  }
  return out;
}

std::optional<std::string> dropped_image(std::string_view text) {
  while (text.ends_with(' ') || text.ends_with('\n')) text.remove_suffix(1);
  std::string path = unquoted(text);
  if (!path.starts_with('/') || !has_image_suffix(path)) return std::nullopt;
  std::error_code failed;
  if (!std::filesystem::is_regular_file(path, failed)) return std::nullopt;
  return model::mention(path) + " ";
}

bool deserves_chip(std::string_view text) {
  return text.size() > most_bytes || lines_in(text) > most_lines;
}

bool mentions_something(std::string_view text) {
  for (std::size_t at = text.find('@'); at != std::string_view::npos; at = text.find('@', at + 1))
    if (at == 0 || std::string_view(" \t\n").find(text[at - 1]) != std::string_view::npos)
      return true;
  return false;
}

std::string make_chip(Draft& draft, std::string text) {
  draft.pasted.push_back(std::move(text));
  return chip(draft.pasted.back(), draft.pasted.size());
}

std::size_t chip_before(const Draft& draft, std::size_t at) {
  const std::string_view before = std::string_view(draft.text).substr(0, at);
  return find_chip(draft, [&](std::string_view mark) { return before.ends_with(mark); }).length;
}

std::size_t chip_after(const Draft& draft, std::size_t at) {
  const std::string_view after = std::string_view(draft.text).substr(at);
  return find_chip(draft, [&](std::string_view mark) { return after.starts_with(mark); }).length;
}

// Chips are expanded only in the line, never inside the text of another chip.
std::string whole(const Draft& draft) {
  std::string out;
  for (std::string_view rest = draft.text; !rest.empty();) {
    Chip next = find_chip(draft, [&](std::string_view mark) { return rest.starts_with(mark); });
    if (next.length == 0) next = {1, rest.substr(0, 1)};
    out += next.text;
    rest.remove_prefix(next.length);
  }
  return out;
}

}  // namespace skein::edit
