#include "repl/pick/inquire.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "core/text/text.h"
#include "repl/layout/flow.h"
#include "repl/layout/sanitize.h"
#include "repl/pick/ask.h"
#include "repl/terminal/inline_panel.h"

namespace skein::pick {

namespace {

using Code = terminal::Key::Code;
using Line = terminal::InlinePanel::Line;

constexpr const char* other_label = "something else…";

// The digit that was typed, as the number of a line; none: it is no such digit.
std::optional<std::size_t> line_typed(const terminal::Key& key, std::size_t lines) {
  const std::string text = terminal::typed(key);
  if (text.size() != 1 || text[0] < '1') return std::nullopt;
  const auto number = static_cast<std::size_t>(text[0] - '1');
  return number < lines ? std::optional(number) : std::nullopt;
}

// The options with something else behind them, one of which is chosen and some are marked.
class OptionList {
 public:
  explicit OptionList(const model::Inquiry& inquiry) : inquiry_(inquiry) {}

  std::size_t size() const { return inquiry_.options.size() + 1; }
  std::size_t chosen() const { return chosen_; }
  bool is_other() const { return chosen_ == inquiry_.options.size(); }
  void move(std::size_t by) { chosen_ = (chosen_ + by) % size(); }
  void choose(std::size_t line) { chosen_ = line; }
  void mark() {
    if (is_other()) return;
    if (!marked_.erase(chosen_)) marked_.insert(chosen_);
  }

  // At most a dozen lines, however many rows there are: only the chosen option is explained.
  std::vector<Line> lines(std::size_t width) const {
    std::vector<Line> out;
    for (std::size_t i = 0; i < size(); ++i)
      out.push_back({i == chosen_ ? Line::Style::chosen : Line::Style::plain,
                     std::to_string(i + 1) + " " + box(i) + label(i)});
    if (!is_other() && !inquiry_.options[chosen_].description.empty()) {
      const std::string about = layout::wrapped(
          layout::sanitized_row(inquiry_.options[chosen_].description), width > 4 ? width - 4 : 0);
      const std::vector<std::string_view> rows = split(about, '\n');
      for (std::size_t i = 0; i < std::min<std::size_t>(rows.size(), 3); ++i)
        out.push_back({Line::Style::dim, "  " + std::string(rows[i])});
    }
    out.push_back({Line::Style::dim, inquiry_.multiple
                                         ? "Space marks, Enter answers, Esc: no answer"
                                         : "Enter or the number answers, Esc: no answer"});
    return out;
  }

  // What the marked ones, else the chosen one, are called.
  std::string answer() const {
    if (marked_.empty()) return label(chosen_);
    std::vector<std::string> labels;
    for (const std::size_t i : marked_) labels.push_back(label(i));
    return listed(labels);
  }

 private:
  std::string label(std::size_t line) const {
    return line < inquiry_.options.size() ? inquiry_.options[line].label : other_label;
  }
  std::string box(std::size_t line) const {
    if (!inquiry_.multiple || line == inquiry_.options.size()) return {};
    return marked_.contains(line) ? "[x] " : "[ ] ";
  }

  const model::Inquiry& inquiry_;
  std::size_t chosen_ = 0;
  std::set<std::size_t> marked_{};
};

// What the user says to the list; "" where they would rather say something else.
std::optional<std::string> answer_from(OptionList& list, terminal::Keyboard& keyboard,
                                       const model::Inquiry& inquiry, std::atomic<bool>& stop) {
  const terminal::TerminalMode keys(keyboard.terminal(), terminal::Terminal::Mode::editing);
  terminal::InlinePanel panel(keyboard.terminal());
  const auto draw = [&] {
    const int columns = keyboard.terminal().size().columns;
    panel.show(list.lines(static_cast<std::size_t>(std::max(columns, 1))),
               {static_cast<int>(list.chosen()), 0});
  };
  const auto answer = [&] { return list.is_other() ? std::string{} : list.answer(); };
  for (;;) {
    draw();
    const terminal::Key key = next_key(keyboard, &stop, draw);
    if (key == terminal::ctrl('z')) panel.suspend();
    if (key == terminal::ctrl('c')) stop = true;
    if (key == terminal::ctrl('c') || key.code == Code::escape) return std::nullopt;
    if (key.code == Code::up) list.move(list.size() - 1);
    if (key.code == Code::down) list.move(1);
    if (key.code == Code::enter) return answer();
    if (inquiry.multiple && terminal::typed(key) == " ") list.mark();
    if (const auto line = line_typed(key, list.size())) {
      list.choose(*line);
      if (!inquiry.multiple || list.is_other()) return answer();
      list.mark();
    }
  }
}

}  // namespace

std::optional<std::string> inquire(terminal::Keyboard& keyboard, screen::Screen& screen,
                                   const model::Inquiry& inquiry, std::atomic<bool>& stop) {
  OptionList list(inquiry);
  for (;;) {
    std::optional<std::string> answer = answer_from(list, keyboard, inquiry, stop);
    // Esc in the line leads back to the options.
    if (answer && answer->empty()) {
      answer = ask_line(keyboard, "› ");
      if (!answer || trimmed(*answer).empty()) continue;
    }
    screen.print_untrusted("→ " + answer.value_or("no answer") + "\n");
    return answer;
  }
}

std::string options_text(const model::Inquiry& inquiry) {
  std::string out;
  for (std::size_t i = 0; i < inquiry.options.size(); ++i) {
    const auto& [label, description] = inquiry.options[i];
    out += std::to_string(i + 1) + ": " + label +
           (description.empty() ? "" : " (" + description + ")") + "\n";
  }
  return out + (inquiry.multiple ? "numbers with commas between" : "a number") +
         ", or your own words; nothing: no answer › ";
}

std::optional<std::string> answer_in(const model::Inquiry& inquiry, std::string_view line) {
  const std::string_view said = trimmed(line);
  if (said.empty()) return std::nullopt;
  std::vector<std::string> labels;
  for (const std::string_view each : split(said, ',')) {
    const std::string_view word = trimmed(each);
    const bool digit = word.size() == 1 && word[0] >= '1' && word[0] <= '9';
    const auto number = digit ? static_cast<std::size_t>(word[0] - '1') : inquiry.options.size();
    if (number >= inquiry.options.size()) return std::string(said);
    labels.push_back(inquiry.options[number].label);
  }
  if (labels.size() > 1 && !inquiry.multiple) return std::string(said);
  return listed(labels);
}

}  // namespace skein::pick
