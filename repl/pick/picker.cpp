#include "repl/pick/picker.h"

#include "core/store/session_name.h"
#include "core/text/text.h"
#include "core/text/utf8.h"
#include "repl/edit/line_edit.h"
#include "repl/layout/sanitize.h"
#include "repl/layout/width.h"
#include "repl/pick/fuzzy.h"
#include "repl/terminal/inline_panel.h"

namespace skein::pick {

using layout::painted, layout::sanitized_row, terminal::ctrl, terminal::Key;

namespace {

using Code = Key::Code;
using Line = terminal::InlinePanel::Line;
using Style = Line::Style;
constexpr std::size_t most_preview = 3, most_hit_preview = 8;
constexpr std::string_view preview_bar = "  │ ";

// "2 of 7 · Enter opens · Esc" in as many rows as it takes.
std::vector<std::string> hint_rows(std::string_view hints, const terminal::Terminal& terminal) {
  constexpr std::string_view between = " · ", indent = "  ";
  std::vector<std::string> out{std::string(indent)};
  while (!hints.empty()) {
    const std::size_t end = std::min(hints.find(between), hints.size());
    const std::string part(hints.substr(0, end));
    hints.remove_prefix(std::min(hints.size(), end + between.size()));
    const bool begins = out.back().size() == indent.size();
    if (!begins &&
        layout::display_width(out.back() + std::string(between) + part) >= terminal.size().columns)
      out.push_back(std::string(indent) + part);
    else
      out.back() += (begins ? "" : std::string(between)) + part;
  }
  return out;
}

// How many rows a list has above so many others.
std::size_t list_rows(const terminal::Terminal& terminal, std::size_t below, std::size_t least,
                      std::size_t most) {
  return std::clamp(layout::left_of(terminal.size().rows, below + 2), least, most);
}

Line row_of(const std::string& text, bool chosen) {
  return {chosen ? Style::chosen : Style::plain, (chosen ? "› " : "  ") + text};
}

// Below a list: hints, or the first lines of a preview.
void add_below(std::vector<Line>& lines, const std::vector<std::string>& texts,
               std::string_view before = {}, std::size_t most = std::string::npos) {
  for (std::size_t i = 0; i < std::min(texts.size(), most); ++i)
    lines.push_back({Style::dim, std::string(before) + texts[i]});
}

// Where a list begins that shows the chosen line and scrolls no further than that needs.
std::size_t scrolled(std::size_t first, std::size_t chosen, std::size_t height) {
  return std::clamp(first, chosen < height ? 0 : chosen - height + 1, chosen);
}

// For lists that are read rather than typed into: whether the key leaves the list: Esc, q, Ctrl+C,
// Ctrl+D, or a / that begins a command, which is put back for the prompt.
bool leaves_list(terminal::Keyboard& keyboard, const Key& key) {
  const bool command = terminal::typed(key) == "/";
  if (command) keyboard.put_back('/');
  return command || terminal::leaves(key);
}

// The line that is chosen after the key, of so many; `page`: how many a page key moves by.
std::size_t chosen_after(const Key& key, std::size_t chosen, std::size_t lines, std::size_t page) {
  const std::string letter = terminal::typed(key);
  const std::size_t last = lines - 1;
  if (key.code == Code::up || letter == "k") return layout::left_of(chosen, 1);
  if (key.code == Code::down || letter == "j") return std::min(chosen + 1, last);
  if (key.code == Code::page_up) return layout::left_of(chosen, page);
  if (key.code == Code::page_down) return std::min(chosen + page, last);
  if (key.code == Code::home) return 0;
  return key.code == Code::end ? last : chosen;
}

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
    for (;;)
      if (std::optional<Picked> end = take(keyboard_.next_after([this] { draw(); })))
        return *std::move(end);
  }

 private:
  Picked left(const Key& key = {}, std::optional<std::size_t> index = {}) const {
    return {index, key, query_.text(), chosen_};
  }
  bool has_further(const Key& key) const { return std::ranges::count(list_.further, key) > 0; }

  // Nothing: the list stays open.
  std::optional<Picked> take(const Key& key) {
    if (key == ctrl('c') || key.code == Code::escape || (key == ctrl('d') && !has_further(key)))
      return left();
    if (std::ranges::count(list_.switches, key) > 0) return left(key);
    if (key == skein::terminal::key(Code::enter) || key == skein::terminal::key(Code::tab) ||
        has_further(key)) {
      if (fits_.empty()) return std::nullopt;
      return left(key, fits_[chosen_]);
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
    constexpr Code moves[] = {Code::up, Code::down, Code::page_up, Code::page_down};
    const Code code = key == ctrl('p') ? Code::up : key == ctrl('n') ? Code::down : key.code;
    if (std::ranges::count(moves, code) > 0)
      chosen_ =
          chosen_after({.code = code}, chosen_, std::max<std::size_t>(fits_.size(), 1), rows());
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
    return list_rows(keyboard_.terminal(), (list_.preview ? most_preview : 0) + hints().size(), 1,
                     10);
  }

  // How many there are and what the keys do, in as many rows as it takes.
  std::vector<std::string> hints() const {
    const std::string all = std::to_string(fits_.size()) + " of " +
                            std::to_string(list_.lines.size()) + (busy_ ? ", loading more …" : "") +
                            " · Enter " + (list_.keys.empty() ? "chooses" : list_.keys) +
                            " · Esc leaves";
    return hint_rows(all, keyboard_.terminal());
  }

  void draw() {
    const std::string label = list_.title + " › ";
    std::vector<Line> lines{{Style::plain, label + query_.text()}};
    const std::size_t height = rows();
    const std::size_t first = scrolled(0, chosen_, height);
    for (std::size_t i = first; i < std::min(first + height, fits_.size()); ++i)
      lines.push_back(row_of(list_.lines[fits_[i]], i == chosen_));
    if (fits_.empty()) lines.push_back({Style::dim, "  no match"});
    if (list_.preview && !fits_.empty() && keyboard_.terminal().size().rows >= 10)
      add_below(lines, list_.preview(fits_[chosen_]), preview_bar, most_preview);
    add_below(lines, hints());
    const auto column = layout::display_width(label + query_.text().substr(0, query_.cursor()));
    panel_.show(lines, {0, column});
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

// The bytes of the first so many characters.
std::size_t bytes_of(std::string_view text, std::size_t characters) {
  std::size_t at = 0;
  for (; characters > 0 && at < text.size(); --characters)
    at += first_character(text.substr(at)).length;
  return at;
}

std::string marked(const search::Snippet& snippet, const layout::TerminalStyle& look) {
  std::string out;
  std::string_view rest = snippet.text;
  std::size_t done = 0;  // characters
  const auto take = [&](std::size_t until) {
    const std::string_view piece = rest.substr(0, bytes_of(rest, until - done));
    rest.remove_prefix(piece.size());
    done = until;
    return sanitized_row(piece);
  };
  for (const auto& [begin, end] : snippet.offsets) {
    out += take(begin);
    out += painted(take(end), layout::style::strong, look);
  }
  return out + sanitized_row(rest);
}

class HitList : public HitSink {
 public:
  HitList(terminal::Keyboard& keyboard,
          const std::function<std::vector<std::string>(const search::Hit&)>& preview)
      : keyboard_(keyboard), preview_(preview), panel_(keyboard.terminal()) {}

  HitChoice run(const HitSearch& search) {
    draw();
    complete_ = search(*this);
    searching_ = false;
    while (!left_ && !rows_.empty()) press(keyboard_.next_after([this] { draw(); }));
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
      else if (key.code == Code::escape || key == ctrl('c') || !press(key))
        return false;
    }
    if (std::exchange(stale_, false)) draw();
    return true;
  }

 private:
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
    const std::size_t below =
        (shows_ ? most_hit_preview : 0) + hint_rows(footer(), keyboard_.terminal()).size();
    return list_rows(keyboard_.terminal(), below, 2, 20);
  }

  void draw() {
    std::vector<Line> all;
    std::size_t at = 0;  // of the chosen one
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (!rows_[i].heading.empty()) all.push_back({Style::dim, rows_[i].heading});
      if (i == chosen_) at = all.size();
      all.push_back(row_of(hit_line(rows_[i].hit, {}).substr(2), i == chosen_));
    }
    const std::size_t shown = height();
    first_ = scrolled(first_, at, shown);
    if (first_ == at && at > 0 && !rows_[chosen_].heading.empty()) --first_;
    std::vector<Line> lines(
        all.begin() + static_cast<std::ptrdiff_t>(first_),
        all.begin() + static_cast<std::ptrdiff_t>(std::min(first_ + shown, all.size())));
    if (shows_ && !rows_.empty())
      add_below(lines, preview_(rows_[chosen_].hit), preview_bar, most_hit_preview);
    add_below(lines, hint_rows(footer(), keyboard_.terminal()));
    panel_.show(lines, {at - first_, 0});
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

Picked pick(terminal::Keyboard& keyboard, const PickList& list) {
  const terminal::TerminalMode keys(keyboard.terminal(), terminal::Terminal::Mode::editing);
  return Picker(keyboard, list).run();
}

TreeChoice walk_tree_view(terminal::Keyboard& keyboard, const model::Tree& tree,
                          std::optional<Id> head,
                          const std::function<std::string(const model::Tree::Node&)>& label) {
  using What = TreeChoice::What;
  if (tree.roots().empty()) return {};
  const terminal::TerminalMode keys(keyboard.terminal(), terminal::Terminal::Mode::editing);
  terminal::InlinePanel panel(keyboard.terminal());
  const std::vector<model::TreeLine> all = model::tree_lines(tree, {.nested_depth = 6});
  const auto at_head =
      std::ranges::find_if(all, [&](const model::TreeLine& line) { return line.node->id == head; });
  std::size_t chosen = at_head == all.end() ? 0 : static_cast<std::size_t>(at_head - all.begin());
  std::size_t first = 0;
  const auto hints = [&] {
    return hint_rows(std::to_string(chosen + 1) + " of " + std::to_string(all.size()) +
                         " · Enter continues here · b branch · s snapshot · Esc",
                     keyboard.terminal());
  };
  const auto rows = [&] { return list_rows(keyboard.terminal(), hints().size(), 1, 20); };
  // Keeps the chosen line on the screen, with its ancestors above.
  const auto draw = [&] {
    const std::size_t height = rows();
    first = scrolled(first, chosen, height);
    std::vector<Line> lines;
    for (std::size_t i = first; i < std::min(first + height, all.size()); ++i)
      lines.push_back(row_of(all[i].stem + label(*all[i].node), i == chosen));
    add_below(lines, hints());
    panel.show(lines, {chosen - first, 0});
  };
  for (;;) {
    const Key key = keyboard.next_after(draw);
    const std::string letter = terminal::typed(key);
    if (leaves_list(keyboard, key)) return {};
    const Id entry = all[chosen].node->id;
    if (key.code == Code::enter) return {What::go_on, entry};
    if (letter == "b") return {What::branch, entry};
    if (letter == "s") return {What::snapshot, entry};
    if (key == ctrl('z')) panel.suspend();
    chosen = chosen_after(key, chosen, all.size(), rows());
  }
}

std::string age(std::string_view timestamp) {
  const auto then = ms_from_utc(timestamp);
  if (!then) return "-";
  const std::int64_t seconds = std::max<std::int64_t>(0, (now_ms() - *then) / 1000);
  if (seconds < 60) return "now";
  if (seconds < 3600) return std::to_string(seconds / 60) + " min";
  if (seconds < 86'400) return std::to_string(seconds / 3600) + " h";
  return counted(static_cast<std::size_t>(seconds / 86'400), "day");
}

std::string hit_heading(const store::SessionRecord& record, std::string_view key,
                        const layout::TerminalStyle& look) {
  const std::string name = store::shown_name(record);
  std::string rest;
  if (name != record.key) rest += " · " + sanitized_row(key);
  const std::string old = age(record.used_at());
  rest += old == "-" ? "" : old == "now" ? " · now" : " · " + old + " ago";
  if (!record.state.model.empty()) rest += " · " + sanitized_row(record.state.model);
  if (record.archived) rest += " · archived";
  return painted(layout::fit(sanitized_row(name), 60), layout::style::place, look) + rest;
}

std::string hit_line(const search::Hit& hit, const layout::TerminalStyle& look) {
  const std::string place = hit.entry ? to_string(*hit.entry).substr(0, 8) : std::string(8, ' ');
  std::string branch;
  if (hit.branch > 0)
    branch =
        "  (branch " + std::to_string(hit.branch) + " of " + std::to_string(hit.branches) + ")";
  return "  " + painted(place, layout::style::dim, look) + "  " +
         layout::padded(std::string(search::name(hit.role)), 9) + "  " + marked(hit.snippet, look) +
         painted(branch, layout::style::dim, look);
}

std::string_view found_in(const search::Snippet& snippet) {
  const std::string_view text = snippet.text;
  if (snippet.offsets.empty()) return text;
  const auto [begin, end] = snippet.offsets.front();
  const std::size_t from = bytes_of(text, begin);
  return text.substr(from, bytes_of(text.substr(from), end - begin));
}

std::string more_hits(const search::SessionHits& session) {
  const std::size_t more = layout::left_of(session.count, session.hits.size());
  return more == 0 ? "" : with_separators(more) + " more in this session";
}

HitChoice pick_hit(terminal::Keyboard& keyboard, const HitSearch& search,
                   const std::function<std::vector<std::string>(const search::Hit&)>& preview) {
  const terminal::TerminalMode keys(keyboard.terminal(), terminal::Terminal::Mode::editing);
  return HitList(keyboard, preview).run(search);
}

}  // namespace skein::pick
