#include "repl/pick/picker.h"

#include <algorithm>
#include <atomic>
#include <chrono>

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
    if (list_.refresh)
      if (std::optional<Picked> end = refresh()) return *std::move(end);
    while (const auto pressed = keyboard_.next_after([this] { draw(); })) {
      if (std::optional<Picked> end = take(*pressed)) return *std::move(end);
    }
    return left();
  }

 private:
  Picked left() const { return {std::nullopt, {}, query_.text(), chosen_}; }
  bool has_further(const Key& key) const { return std::ranges::count(list_.further, key) > 0; }

  // Nothing: the list stays open.
  std::optional<Picked> take(const Key& key) {
    if (key == ctrl('c') || key.code == Code::escape || (key == ctrl('d') && !has_further(key)))
      return left();
    if (std::ranges::count(list_.switches, key) > 0)
      return Picked{std::nullopt, key, query_.text(), chosen_};
    if (key == skein::terminal::key(Code::enter) || key == skein::terminal::key(Code::tab) ||
        has_further(key)) {
      if (fits_.empty()) return std::nullopt;
      return Picked{fits_[chosen_], key, query_.text(), chosen_};
    }
    key == ctrl('z') ? panel_.suspend() : use(key);
    return std::nullopt;
  }

  // The keyboard is watched by whatever waits, so the list can be used all the while.
  std::optional<Picked> refresh() {
    std::atomic<bool> stop{false};
    std::optional<Picked> end;
    const auto use_keys = [&] {
      Key key;
      while (!end) {
        const auto came = keyboard_.next(key, std::chrono::milliseconds(0));
        if (came == terminal::Keyboard::KeyResult::hang_up) end = left();
        if (came != terminal::Keyboard::KeyResult::key) break;
        end = take(key);
      }
      if (end)
        stop = true;
      else
        draw();
    };
    busy_ = true;
    use_keys();  // what was typed before is not reported by a poll
    if (end) return end;
    const bool changed =
        list_.refresh(list_, {.stop = &stop, .input = {keyboard_.terminal().in(), use_keys}});
    busy_ = false;
    if (changed && !end) keep_place();
    return end;
  }

  // After the lines have changed: what was chosen by hand stays chosen.
  void keep_place() {
    const std::string before = moved_ ? chosen_text_ : std::string{};
    filter();
    const auto same = std::ranges::find_if(
        fits_, [&](std::size_t i) { return !before.empty() && texts()[i] == before; });
    if (same != fits_.end()) chosen_ = static_cast<std::size_t>(same - fits_.begin());
  }
  const std::vector<std::string>& texts() const {
    return list_.texts.empty() ? list_.lines : list_.texts;
  }

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
    moved_ = chosen_ > 0;
    if (moved_) chosen_text_ = texts()[fits_[chosen_]];
  }

  void filter() {
    fits_ = fuzzy_filter(query_.text(), texts());
    chosen_ = 0;
  }

  std::size_t rows() const {
    const int taken = (list_.preview ? 3 : 0) + 2 + static_cast<int>(hints().size());
    const int free = keyboard_.terminal().size().rows - taken;
    return std::clamp<std::size_t>(static_cast<std::size_t>(std::max(free, 1)), 1, most_rows);
  }

  // How many there are and what the keys do, in as many rows as it takes.
  std::vector<std::string> hints() const {
    constexpr std::string_view between = " · ";
    const auto columns = static_cast<std::size_t>(keyboard_.terminal().size().columns);
    const std::string all = std::to_string(fits_.size()) + " of " +
                            std::to_string(list_.lines.size()) +
                            (busy_ ? ", asking for more …" : "") + " · Enter " +
                            (list_.keys.empty() ? "chooses" : list_.keys) + " · Esc leaves";
    std::vector<std::string> out{"  "};
    std::string_view rest = all;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find(between), rest.size());
      const std::string part(rest.substr(0, end));
      rest.remove_prefix(std::min(rest.size(), end + between.size()));
      const bool begins = out.back().size() == 2;
      if (!begins && layout::display_width(out.back() + std::string(between) + part) >= columns)
        out.push_back("  " + part);
      else
        out.back() += (begins ? "" : std::string(between)) + part;
    }
    return out;
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
    for (const std::string& hint : hints()) lines.push_back({Style::dim, hint});
    const auto column = layout::display_width(label + query_.text().substr(0, query_.cursor()));
    panel_.show(lines, {0, static_cast<int>(column)});
  }

  terminal::Keyboard& keyboard_;
  PickList list_;
  terminal::InlinePanel panel_;
  edit::LineEdit query_{};
  std::vector<std::size_t> fits_{};  // indices of the matching lines, best first
  std::size_t chosen_ = 0;           // index into fits_
  bool moved_ = false;               // another than the first was chosen by hand
  std::string chosen_text_{};        // then: which
  bool busy_ = false;
};

}  // namespace

Picked pick(terminal::Keyboard& keyboard, const PickList& list) {
  const terminal::TerminalMode keys(keyboard.terminal(), terminal::Terminal::Mode::editing);
  return Picker(keyboard, list).run();
}

}  // namespace skein::pick
