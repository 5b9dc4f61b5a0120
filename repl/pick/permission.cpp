#include "repl/pick/permission.h"

#include "core/text/text.h"
#include "repl/layout/width.h"
#include "repl/pick/ask.h"
#include "repl/terminal/inline_panel.h"

namespace skein::pick {

namespace {

namespace style = layout::style;
using layout::painted;
using Choice = model::Answer::Choice;
using Code = terminal::Key::Code;
using Kind = model::Question::Kind;

constexpr std::size_t most_diff_rows = 30, narrowest_detail = 16;

std::string bar(const layout::TerminalStyle& look) { return painted("▌", style::warning, look); }

std::string title_of(const model::Question& question) {
  std::string text = layout::sanitized_row(question.text);
  if (question.kind != Kind::diff) return text;
  const auto [added, removed] = screen::markdown::counts_of_diff(question.detail);
  if (added + removed == 0) return text;
  return text + "  +" + std::to_string(added) + " −" + std::to_string(removed);
}

std::vector<std::string> detail_rows(const model::Question& question, std::size_t columns,
                                     const layout::TerminalStyle& look) {
  std::string detail = layout::sanitized(question.detail);
  while (detail.ends_with('\n')) detail.pop_back();
  if (detail.empty()) return {};
  if (question.kind == Kind::diff) return screen::markdown::diff_rows(detail, columns, look);
  const char* language = question.kind == Kind::command ? "sh" : detail[0] == '{' ? "json" : "";
  return screen::markdown::code_rows(detail, language, columns, look);
}

bool is_changed(const std::string& row) {
  const std::string plain = layout::without_styles(row);
  const std::size_t sign = plain.find_first_not_of(" 0123456789");
  return sign != plain.npos && sign > 1 && (plain[sign] == '+' || plain[sign] == '-');
}

// Leaves so many rows, of a diff those from the first change on; returns how many went.
std::size_t cut(std::vector<std::string>& rows, std::size_t room, std::size_t columns,
                const layout::TerminalStyle& look) {
  if (rows.size() <= room) return 0;
  const std::size_t before = rows.size(), shown = layout::left_of(room, 1);
  const auto first = std::ranges::find_if(rows, is_changed);
  if (first != rows.end())
    rows.erase(rows.begin(), std::min(first, rows.end() - static_cast<std::ptrdiff_t>(shown)));
  rows.resize(shown);
  const std::size_t left_out = before - shown;
  if (room > 0)
    rows.push_back(
        painted(layout::fit("… " + counted(left_out, "more line") + " (v shows all)", columns),
                style::dim, look));
  return left_out;
}

// The answer behind its key, in as many rows as it takes if it is to be shown whole.
void add_offer(const Offer& offer, bool chosen, bool whole, std::size_t columns,
               const layout::TerminalStyle& look, std::vector<std::string>& rows) {
  const std::string mark = std::string(chosen ? "› " : "  ") + offer.key + "  ";
  const std::size_t before = 2 + layout::display_width(mark);
  const std::size_t room = columns > before ? columns - before : 1;
  const std::string full = layout::sanitized_row(offer.text);
  std::string text =
      layout::display_width(full) <= room ? full : layout::sanitized_row(offer.brief);
  if (!whole) text = layout::fit(text, room);
  const layout::Style style = chosen ? style::prompt : style::plain;
  std::string start = mark;
  for (const std::string_view piece : layout::pieces_of(text, room)) {
    rows.push_back(bar(look) + " " + painted(start + std::string(piece), style, look));
    start = std::string(before - 2, ' ');
  }
}

// The question while it waits for its answer.
class OpenQuestion {
 public:
  OpenQuestion(terminal::Keyboard& keyboard, screen::Screen& screen,
               const model::Question& question)
      : keyboard_(keyboard),
        screen_(screen),
        question_(question),
        offers_(offers_of(question, true)),
        panel_(keyboard.terminal()) {}

  model::Answer ask(std::atomic<bool>& stop) {
    show();
    const terminal::TerminalMode keys(keyboard_.terminal(), terminal::Terminal::Mode::editing);
    for (;;) {
      const terminal::Key key = keyboard_.next_key(&stop, [this] { show(); });
      if (key == terminal::ctrl('c')) stop = true;
      if (key == terminal::ctrl('c') || key.code == Code::escape) return decided({Choice::no});
      if (is_letter(key, 'w')) {
        panel_.erase();
        return decided({Choice::no, ask_line(keyboard_, "why (optional) › ").value_or("")});
      }
      if (is_letter(key, 'v') && left_out_ > 0) show_all();
      if (key == terminal::ctrl('z')) panel_.suspend();
      const std::optional<Offer> offer = chosen_by(key);
      if (offer && offer->choice != Choice::amend) return decided({offer->choice});
      if (offer) {
        panel_.erase();
        const auto& [text, file] = *question_.amendable;
        if (const auto changed = edited(keyboard_, screen_, text, file))
          return {Choice::amend, *changed};
      }
      show();
    }
  }

 private:
  void show() {
    screen_.pause();
    QuestionRows drawn = rows();
    // Part of a command is not enough to decide on, nor is a title that is cut.
    const bool low = keyboard_.terminal().size().rows < 10;
    if (drawn.cut_offers || (drawn.left_out > 0 && (low || question_.kind != Kind::diff))) {
      show_all();
      drawn = rows();
    }
    left_out_ = drawn.left_out;
    std::vector<terminal::InlinePanel::Line> lines;
    for (std::string& row : drawn.rows)
      lines.push_back({terminal::InlinePanel::Line::Style::drawn, std::move(row)});
    panel_.show(lines, {drawn.chosen, 2});
  }

  // The offer that the key chooses, if it does.
  std::optional<Offer> chosen_by(const terminal::Key& key) {
    if (key.code == Code::enter) return offers_[chosen_];
    const std::size_t count = offers_.size();
    if (key.code == Code::up) chosen_ = (chosen_ + count - 1) % count;
    if (key.code == Code::down) chosen_ = (chosen_ + 1) % count;
    for (const Offer& offer : offers_)
      if (terminal::is_letter(key, offer.key)) return offer;
    if (const auto number = number_in(terminal::typed(key), count)) return offers_[*number];
    return std::nullopt;
  }

  // Leaves all of the detail above the answers.
  void show_all() {
    if (!with_detail_) return;
    panel_.erase();
    std::string all = "\n" + layout::wrapped(title_of(question_), columns() - 1) + "\n";
    for (const std::string& row : detail_rows(question_, columns() - 3, screen_.look()))
      all += "  " + row + "\n";
    if (rows().cut_offers)
      for (const Offer& offer : offers_)
        all += layout::wrapped(
                   "  " + std::string(1, offer.key) + "  " + layout::sanitized_row(offer.text),
                   columns() - 1) +
               "\n";
    screen_.print_drawn(all);
    with_detail_ = false;
  }

  model::Answer decided(const model::Answer& answer) {
    panel_.erase();
    const std::string line = layout::sanitized_row(decision_line(question_, answer));
    screen_.note(layout::fit(line, columns() - 1));
    return answer;
  }

  std::size_t columns() const {
    return std::max<std::size_t>(keyboard_.terminal().size().columns, 8);
  }
  QuestionRows rows() const {
    return question_rows(question_, chosen_, keyboard_.terminal().size(), with_detail_,
                         screen_.look());
  }

  terminal::Keyboard& keyboard_;
  screen::Screen& screen_;
  const model::Question& question_;
  std::vector<Offer> offers_;
  std::size_t chosen_ = offers_.size() - 1;  // what Enter gives at first: no
  terminal::InlinePanel panel_;
  bool with_detail_ = true;
  std::size_t left_out_ = 0;
};

}  // namespace

std::vector<Offer> offers_of(const model::Question& question, bool with_editor) {
  const bool call = !question.about.empty();
  std::vector<Offer> out{{'y', Choice::yes, call ? "yes, this once" : "yes", "yes"}};
  if (!question.remember.empty()) {
    const std::string scope = question.scope.empty() ? question.remember : question.scope;
    out.push_back(
        {'s', Choice::always, "yes, " + scope + " for this session", "session: " + scope});
    out.push_back({'a', Choice::here, "always in this project: " + question.remember,
                   "always: " + question.remember});
  }
  if (with_editor && question.amendable)
    out.push_back({'e', Choice::amend, "edit it first", "edit it first"});
  out.push_back({'n', Choice::no, "no (w: no, and say why)", "no (w: say why)"});
  return out;
}

std::string decision_line(const model::Question& question, const model::Answer& answer) {
  const bool yes = answer.choice != Choice::no;
  if (question.about.empty()) return question.text + " → " + (yes ? "yes" : "no");
  const std::string scope = question.scope.empty() ? question.remember : question.scope;
  switch (answer.choice) {
    case Choice::always: return "✓ allowed for this session: " + scope;
    case Choice::here: return "✓ always allowed in this project: " + question.remember;
    case Choice::amend: return "✓ edited: " + question.about;
    case Choice::yes: return "✓ allowed once: " + question.about;
    case Choice::no: break;
  }
  return "✗ not allowed: " + question.about + (answer.text.empty() ? "" : " (" + answer.text + ")");
}

model::Answer permission_in(const model::Question& question, std::string_view line) {
  const std::vector<Offer> offers = offers_of(question, false);
  const auto [first, rest] = first_word(trimmed(line));
  const std::string word = skein::lower(first);
  if (const auto number = number_in(first, offers.size()))
    return {offers[*number].choice, std::string(trimmed(rest))};
  const bool no = word.empty() || word == "n" || word == "no" || word == "w";
  if (no) return {Choice::no, std::string(trimmed(rest))};
  constexpr std::pair<std::string_view, char> words[] = {
      {"yes", 'y'}, {"session", 's'}, {"always", 'a'}};
  for (const Offer& offer : offers)
    for (const auto& [whole, key] : words)
      if (offer.key == key && (word == whole || word == whole.substr(0, 1))) return {offer.choice};
  return {Choice::no, std::string(trimmed(line))};
}

QuestionRows question_rows(const model::Question& question, std::size_t chosen,
                           terminal::Terminal::Size size, bool with_detail,
                           const layout::TerminalStyle& look) {
  const std::size_t columns = size.columns > 9 ? size.columns - 1 : 8;
  std::vector<std::string> head, answers;
  const std::string title = title_of(question);
  for (const std::string_view piece : layout::pieces_of(title, columns - 2))
    head.push_back(bar(look) + " " + painted(piece, style::warning | style::strong, look));
  const std::vector<Offer> offers = offers_of(question, true);
  std::size_t chosen_row = 0;
  QuestionRows out;
  const auto draw_offers = [&](bool whole) {
    answers.clear();
    for (std::size_t i = 0; i < offers.size(); ++i) {
      if (i == chosen) chosen_row = answers.size();
      add_offer(offers[i], i == chosen, whole, columns, look, answers);
    }
  };
  const std::size_t left = size.rows > 1 ? size.rows - 1 : 1;
  draw_offers(true);
  if (head.size() + answers.size() > left && answers.size() > offers.size()) {
    out.cut_offers = true;
    draw_offers(false);
  }
  std::vector<std::string> detail;
  if (with_detail) detail = detail_rows(question, columns - 4, look);
  if (with_detail && !question.note.empty())
    detail.push_back(
        painted(layout::fit(layout::sanitized_row(question.note), columns - 4), style::dim, look));
  // Empty rows go first where the window is low, then rows of the detail, then of the title.
  const std::size_t fixed = head.size() + answers.size();
  const bool airy = fixed + 3 + std::min<std::size_t>(detail.size(), 3) < size.rows;
  std::size_t room = layout::left_of(size.rows, fixed + (airy ? 4 : 1));
  if (question.kind == Kind::diff) room = std::min(room, most_diff_rows);
  if (columns < narrowest_detail) room = 0;
  out.left_out = cut(detail, room, columns - 4, look);
  if (airy) out.rows.emplace_back();
  out.rows.insert(out.rows.end(), head.begin(), head.end());
  if (airy && !detail.empty()) out.rows.push_back(bar(look));
  for (const std::string& row : detail) out.rows.push_back(bar(look) + "   " + row);
  if (airy) out.rows.push_back(bar(look));
  // Where not even the answers fit: those around the chosen one.
  if (out.rows.size() + answers.size() > left) {
    out.rows.resize(std::min(out.rows.size(), left > 1 ? std::size_t{1} : 0));
    const std::size_t most = std::min(answers.size(), left - out.rows.size());
    const std::size_t from = std::min(chosen_row, answers.size() - most);
    answers = {answers.begin() + static_cast<std::ptrdiff_t>(from),
               answers.begin() + static_cast<std::ptrdiff_t>(from + most)};
    chosen_row -= from;
  }
  out.chosen = out.rows.size() + chosen_row;
  out.rows.insert(out.rows.end(), answers.begin(), answers.end());
  return out;
}

model::Answer ask_permission(terminal::Keyboard& keyboard, screen::Screen& screen,
                             const model::Question& question, std::atomic<bool>& stop) {
  return OpenQuestion(keyboard, screen, question).ask(stop);
}

}  // namespace skein::pick
