#include "repl/pick/hit_picker.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "repl/pick/hit_lines.h"
#include "repl/pick/list_keys.h"
#include "repl/terminal/inline_panel.h"

namespace skein::pick {

namespace {

using Code = terminal::Key::Code;
using Line = terminal::InlinePanel::Line;
constexpr std::size_t preview_lines = 8;

class HitList : public HitSink {
 public:
  HitList(terminal::Keyboard& keyboard,
          const std::function<std::vector<std::string>(const search::Hit&)>& preview)
      : keyboard_(keyboard), preview_(preview), panel_(keyboard.terminal()) {}

  HitChoice run(const HitSearch& search) {
    draw();
    complete_ = search(*this);
    searching_ = false;
    while (!left_ && !rows_.empty()) {
      const auto pressed = keyboard_.next_after([this] { draw(); });
      if (!pressed) break;
      press(*pressed);
    }
    return std::move(choice_);
  }

  void add(HitRow row) override {
    rows_.push_back(std::move(row));
    stale_ = true;
  }
  // Keys work while more is found.
  bool go_on(std::size_t looked_through, std::size_t sessions) override {
    using KeyResult = terminal::Keyboard::KeyResult;
    const std::size_t percent = sessions == 0 ? 100 : looked_through * 100 / sessions;
    stale_ = stale_ || percent != percent_;
    percent_ = percent;
    terminal::Key key;
    for (;;) {
      const KeyResult result = keyboard_.next(key, std::chrono::milliseconds(0));
      if (result == KeyResult::hang_up) return !(left_ = true);
      if (result == KeyResult::pause) break;
      stale_ = true;
      if (result == KeyResult::signal)
        keyboard_.terminal().take_resize();
      else if (stops(key) || !press(key))
        return false;
    }
    if (std::exchange(stale_, false)) draw();
    return true;
  }

 private:
  static bool stops(const terminal::Key& key) {
    return key.code == Code::escape || key == terminal::ctrl('c');
  }
  // False: it is left.
  bool press(const terminal::Key& key) {
    const std::string letter = terminal::typed(key);
    const search::Hit* hit = rows_.empty() ? nullptr : &rows_[chosen_].hit;
    left_ = leaves_list(keyboard_, key);
    if (left_ || hit == nullptr) return !left_;
    if (key.code == Code::enter) choice_ = {HitChoice::What::open, *hit};
    if (letter == "b" && hit->entry) choice_ = {HitChoice::What::branch, *hit};
    left_ = choice_.what != HitChoice::What::nothing;
    if (letter == " ") shows_ = !shows_;
    if (key == terminal::ctrl('z')) panel_.suspend();
    chosen_ = chosen_after(key, chosen_, rows_.size(), height() / 2);
    return !left_;
  }

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
    if (shows_ && !rows_.empty()) {
      const std::vector<std::string> text = preview_(rows_[chosen_].hit);
      for (std::size_t i = 0; i < std::min(text.size(), preview_lines); ++i)
        lines.push_back({Line::Style::dim, "  │ " + text[i]});
    }
    lines.push_back({Line::Style::dim, "  " + footer()});
    panel_.show(lines, cursor);
  }

  std::string footer() const {
    const std::string place =
        rows_.empty() ? std::string{}
                      : std::to_string(chosen_ + 1) + " of " + std::to_string(rows_.size()) + " · ";
    if (searching_)
      return place + "searching, " + std::to_string(percent_) + " % · Esc stops" +
             (rows_.empty() ? "" : " · Enter opens");
    return place + (complete_ ? "" : "stopped at " + std::to_string(percent_) + " % · ") +
           "Enter opens · b branches there · Space shows more · Esc";
  }

  terminal::Keyboard& keyboard_;
  std::vector<HitRow> rows_{};
  const std::function<std::vector<std::string>(const search::Hit&)>& preview_;
  terminal::InlinePanel panel_;
  std::size_t chosen_ = 0, first_ = 0;
  bool shows_ = false;
  bool searching_ = true, complete_ = true, left_ = false;
  bool stale_ = false;  // something changed since it was drawn
  std::size_t percent_ = 0;
  HitChoice choice_{};
};

}  // namespace

HitChoice pick_hit(terminal::Keyboard& keyboard, const HitSearch& search,
                   const std::function<std::vector<std::string>(const search::Hit&)>& preview) {
  const terminal::TerminalMode keys(keyboard.terminal(), terminal::Terminal::Mode::editing);
  return HitList(keyboard, preview).run(search);
}

}  // namespace skein::pick
