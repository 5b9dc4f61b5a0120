#include "repl/pick/hit_picker.h"

#include <algorithm>

#include "repl/pick/hit_lines.h"
#include "repl/pick/list_keys.h"
#include "repl/terminal/inline_panel.h"

namespace skein::pick {

namespace {

using Code = terminal::Key::Code;
using Line = terminal::InlinePanel::Line;
constexpr std::size_t preview_lines = 8;

class HitList {
 public:
  HitList(terminal::Keyboard& keyboard, const std::vector<HitRow>& rows,
          const std::function<std::vector<std::string>(const search::Hit&)>& preview)
      : keyboard_(keyboard), rows_(rows), preview_(preview), panel_(keyboard.terminal()) {}

  HitChoice run() {
    while (const auto pressed = keyboard_.next_after([this] { draw(); })) {
      const terminal::Key& key = *pressed;
      const std::string letter = terminal::typed(key);
      if (leaves_list(keyboard_, key)) return {};
      if (key.code == Code::enter) return {HitChoice::What::open, chosen_};
      if (letter == "b" && rows_[chosen_].hit.entry) return {HitChoice::What::branch, chosen_};
      if (letter == " ") shows_ = !shows_;
      chosen_ = chosen_after(key, chosen_, rows_.size(), height() / 2);
    }
    return {};
  }

 private:
  std::size_t height() const {
    const int below = shows_ ? static_cast<int>(preview_lines) : 0;
    return static_cast<std::size_t>(
        std::clamp(keyboard_.terminal().size().rows - 3 - below, 2, 20));
  }

  void draw() {
    std::vector<Line> all;
    std::size_t at = 0;  // of the chosen one
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (!rows_[i].heading.empty()) all.push_back({Line::Style::dim, rows_[i].heading});
      if (i == chosen_) at = all.size();
      all.push_back({i == chosen_ ? Line::Style::chosen : Line::Style::plain,
                     (i == chosen_ ? "›" : " ") + hit_line(rows_[i].hit, {}).substr(1)});
    }
    const std::size_t shown = height();
    first_ = std::clamp(first_, at < shown ? 0 : at - shown + 1, at);
    if (first_ == at && at > 0 && !rows_[chosen_].heading.empty()) --first_;
    std::vector<Line> lines(
        all.begin() + static_cast<std::ptrdiff_t>(first_),
        all.begin() + static_cast<std::ptrdiff_t>(std::min(first_ + shown, all.size())));
    const terminal::Caret cursor{static_cast<int>(at - first_), 0};
    if (shows_) {
      const std::vector<std::string> text = preview_(rows_[chosen_].hit);
      for (std::size_t i = 0; i < std::min(text.size(), preview_lines); ++i)
        lines.push_back({Line::Style::dim, "  │ " + text[i]});
    }
    lines.push_back({Line::Style::dim,
                     "  " + std::to_string(chosen_ + 1) + " of " + std::to_string(rows_.size()) +
                         " · Enter opens · b branches there · Space shows more · Esc"});
    panel_.show(lines, cursor);
  }

  terminal::Keyboard& keyboard_;
  const std::vector<HitRow>& rows_;
  const std::function<std::vector<std::string>(const search::Hit&)>& preview_;
  terminal::InlinePanel panel_;
  std::size_t chosen_ = 0, first_ = 0;
  bool shows_ = false;
};

}  // namespace

HitChoice pick_hit(terminal::Keyboard& keyboard, const std::vector<HitRow>& rows,
                   const std::function<std::vector<std::string>(const search::Hit&)>& preview) {
  if (rows.empty()) return {};
  const terminal::TerminalMode keys(keyboard.terminal(), terminal::Terminal::Mode::editing);
  return HitList(keyboard, rows, preview).run();
}

}  // namespace skein::pick
