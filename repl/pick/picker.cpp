#include "repl/pick/picker.h"

#include <algorithm>

#include "repl/edit/line_edit.h"
#include "repl/layout/width.h"
#include "repl/pick/fuzzy.h"
#include "repl/terminal/inline_panel.h"

namespace skein::pick {

using terminal::ctrl, terminal::Key;

namespace {

using Code = Key::Code;
constexpr std::size_t most_rows = 10, most_preview = 3;

class Picker {
 public:
  Picker(terminal::Keyboard& keyboard, const PickList& list)
      : keyboard_(keyboard), list_(list), panel_(keyboard.terminal()) {
    query_.start({.text = list.query});
    filter();
    chosen_ = fits_.empty() ? 0 : std::min(list.chosen, fits_.size() - 1);
  }

  Picked run() {
    while (const auto pressed = keyboard_.next_after([this] { draw(); })) {
      const Key& key = *pressed;
      if (key == ctrl('c') || key.code == Code::escape || (key == ctrl('d') && !has_further(key)))
        return left();
      if (key == skein::terminal::key(Code::enter) || key == skein::terminal::key(Code::tab) ||
          has_further(key)) {
        if (!fits_.empty()) return {fits_[chosen_], key, query_.text(), chosen_};
        continue;
      }
      use(key);
    }
    return left();
  }

 private:
  Picked left() const { return {std::nullopt, {}, query_.text(), chosen_}; }
  bool has_further(const Key& key) const { return std::ranges::count(list_.further, key) > 0; }

  void use(const Key& key) {
    const std::size_t last = fits_.empty() ? 0 : fits_.size() - 1;
    const std::size_t page = rows();
    if (key.code == Code::up || key == ctrl('p'))
      chosen_ -= std::min<std::size_t>(chosen_, 1);
    else if (key.code == Code::down || key == ctrl('n'))
      chosen_ = std::min(chosen_ + 1, last);
    else if (key.code == Code::page_up)
      chosen_ -= std::min(chosen_, page);
    else if (key.code == Code::page_down)
      chosen_ = std::min(chosen_ + page, last);
    else if (const std::string before = query_.text(); query_.apply(key) && query_.text() != before)
      filter();
  }

  void filter() {
    fits_ = fuzzy_filter(query_.text(), list_.texts.empty() ? list_.lines : list_.texts);
    chosen_ = 0;
  }

  std::size_t rows() const {
    const int free = keyboard_.terminal().size().rows - (list_.preview ? 3 + 3 : 3);
    return std::clamp<std::size_t>(static_cast<std::size_t>(std::max(free, 1)), 1, most_rows);
  }

  void draw() {
    using Style = terminal::InlinePanel::Line::Style;
    const std::string label = list_.title + " › ";
    std::vector<terminal::InlinePanel::Line> lines{{Style::plain, label + query_.text()}};
    const std::size_t height = rows();
    const std::size_t first = chosen_ < height ? 0 : chosen_ - height + 1;
    for (std::size_t i = first; i < std::min(first + height, fits_.size()); ++i)
      lines.push_back({i == chosen_ ? Style::chosen : Style::plain,
                       (i == chosen_ ? "› " : "  ") + list_.lines[fits_[i]]});
    if (fits_.empty()) lines.push_back({Style::dim, "  no match"});
    if (list_.preview && !fits_.empty() && keyboard_.terminal().size().rows >= 10) {
      const std::vector<std::string> preview = list_.preview(fits_[chosen_]);
      for (std::size_t i = 0; i < std::min(preview.size(), most_preview); ++i)
        lines.push_back({Style::dim, "  │ " + preview[i]});
    }
    lines.push_back({Style::dim, "  " + std::to_string(fits_.size()) + " of " +
                                     std::to_string(list_.lines.size()) + " · Enter " +
                                     (list_.keys.empty() ? "chooses" : list_.keys) +
                                     " · Esc leaves"});
    const auto column = layout::display_width(label + query_.text().substr(0, query_.cursor()));
    panel_.show(lines, {0, static_cast<int>(column)});
  }

  terminal::Keyboard& keyboard_;
  const PickList& list_;
  terminal::InlinePanel panel_;
  edit::LineEdit query_{};
  std::vector<std::size_t> fits_{};  // indices of the matching lines, best first
  std::size_t chosen_ = 0;           // index into fits_
};

}  // namespace

Picked pick(terminal::Keyboard& keyboard, const PickList& list) {
  const terminal::TerminalMode keys(keyboard.terminal(), terminal::Terminal::Mode::editing);
  return Picker(keyboard, list).run();
}

}  // namespace skein::pick
