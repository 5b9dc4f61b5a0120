// replxx behind the LineEditor interface; the only file that knows it.
//
// replxx draws: prompt, line, hint, cursor, wrapped over as many rows as it takes. It does not
// read: its key parser swallows the key after Esc, takes unknown sequences for text and breaks
// pastes, and its history and completion code crashes when keys come in unlucky order. So one
// made-up key is always in its queue, and behind that key we wait, decode and edit ourselves
// (LineEdit), and hand the result over as its state.
#include <replxx.hxx>

#include "core/text/text.h"
#include "repl/edit/external_editor.h"
#include "repl/layout/sanitize.h"
#include "repl/layout/style.h"
#include "repl/layout/width.h"
#include "repl/pick/picker.h"
#include "repl/prompt/line_editor.h"
#include "repl/prompt/prompt_line.h"
#include "repl/terminal/inline_panel.h"

namespace skein::prompt {

namespace {

using replxx::Replxx;
using Result = Replxx::ACTION_RESULT;
using Clock = std::chrono::steady_clock;
using layout::left_of, std::chrono::milliseconds;

constexpr char32_t our_key = Replxx::KEY::F24;
// replxx skips a redraw within a millisecond of the last one.
constexpr milliseconds drawing_rest{2};
constexpr milliseconds keep_after{100}, keep_at_least{1000};
constexpr std::size_t most_popup_rows = 9;
constexpr std::size_t fewest_rows = 6;  // of a terminal that has room for more than the line

class ReplxxEditor : public LineEditor {
 public:
  ReplxxEditor(terminal::Keyboard& keyboard, History& history, EditorHelp help)
      : keyboard_(keyboard),
        history_(history),
        help_(std::move(help)),
        prompt_(history, help_.hint, help_.complete, keyboard.keys()) {
    editor_.bind_key(our_key, [this](char32_t) { return step(); });
    editor_.set_hint_callback([this](const std::string&, int& length, Replxx::Color& color) {
      length = 0;
      color = Replxx::Color::GRAY;
      return hint_.empty() ? Replxx::hints_t{} : Replxx::hints_t{hint_};
    });
    editor_.set_unique_history(false);
    editor_.set_no_color(!help_.color);
  }

  ReadResult read(const std::string& prompt, edit::Draft& line) override {
    const terminal::TerminalMode keys(terminal(), terminal::Terminal::Mode::editing);
    prompt_.start(std::move(line));
    kept_ = draft();
    do {
      end_ = ReadResult::end;  // for the case that the terminal is gone
      action_ = Action::none;
      begun_ = false;
      prompt_text_ = help_.prompt && !revising_ ? help_.prompt() : prompt;
      prompt_columns_ = layout::display_width(layout::without_styles(prompt_text_));
      draw_above();
      editor_.emulate_key_press(our_key);
      editor_.input(prompt_text_);
    } while (end_ == again);
    line = draft();
    if (end_ != ReadResult::line)
      keep();
    else if (line.text != "?")
      history_.add(edit::whole(line));
    return *end_;
  }

  ReadResult revise(const std::string& prompt, edit::Draft& line) override {
    revising_ = true;
    prompt_.let_escape_abort(true);
    const ReadResult result = read(prompt, line);
    prompt_.let_escape_abort(false);
    revising_ = false;
    return result;
  }

  void remember(const edit::Draft& line) override { history_.add(edit::whole(line)); }

 private:
  // How one run of replxx ends; again: start another to redraw.
  using End = std::optional<ReadResult>;
  static constexpr std::nullopt_t again = std::nullopt;

  terminal::Terminal& terminal() { return keyboard_.terminal(); }
  const edit::Draft& draft() { return prompt_.line().draft(); }
  std::string_view before_cursor() {
    return std::string_view(prompt_.text()).substr(0, prompt_.line().cursor());
  }
  // replxx cannot scroll: of a text taller than the screen it gets what is around the cursor.
  terminal::LineLayout layout() {
    const auto [columns, rows] = terminal().size();
    return terminal::around_cursor(
        terminal::lay_out(prompt_.text(), prompt_.line().cursor(), prompt_columns_, columns),
        prompt_columns_, columns, std::max<std::size_t>(1, left_of(rows, 2 + rows_above())));
  }

  // One turn of replxx's loop, which would take an exception for the end of input.
  Result step() {
    entered_ = Clock::now();
    try {
      if (!std::exchange(begun_, true)) return hand_over();
      if (action_ == Action::none) return wait_for_keys();
      // The typed text must be drawn before anything else changes the screen.
      if (!maybe_undrawn_) return fulfil(std::exchange(action_, Action::none));
      return hand_over_in_peace();
    } catch (const std::exception&) {
      return finish(ReadResult::end);
    }
  }

  Result wait_for_keys() {
    correct_cursor();
    if (!maybe_undrawn_ && !keyboard_.typed_ahead()) draw_popup();
    if (!maybe_undrawn_ && help_.has_news()) {
      action_ = Action::announce;
      return hand_over();
    }
    for (terminal::Key key;;) {
      const auto pause = maybe_undrawn_ ? drawing_rest : time_to_look();
      switch (keyboard_.next(key, pause, help_.stopped)) {
        case terminal::Keyboard::KeyResult::key:
          action_ = prompt_.use(key);
          while (action_ == Action::none) {  // a burst is drawn once
            const std::optional<terminal::Key> more = keyboard_.ready();
            if (!more) break;
            action_ = prompt_.use(*more);
          }
          return hand_over();
        case terminal::Keyboard::KeyResult::hang_up: return finish(ReadResult::end);
        case terminal::Keyboard::KeyResult::pause:
          if (maybe_undrawn_) return hand_over();
          keep();
          if (const bool news = help_.has_news(); news || help_.above->changed()) {
            action_ = news ? Action::announce : Action::redraw;
            return hand_over();
          }
          break;
        case terminal::Keyboard::KeyResult::signal:
          if (maybe_undrawn_) return hand_over_in_peace();
          if (terminal().take_resize()) return draw_for_new_size();
          if (!help_.stopped()) break;
          take_off();
          return finish(ReadResult::interrupt);
      }
    }
  }

  // Gives replxx the line, which it draws when we return; then it calls us again.
  Result hand_over() {
    maybe_undrawn_ = Clock::now() - entered_ < drawing_rest;
    drawn_ = layout();
    drawn_columns_ = terminal().size().columns;
    hint_ = action_ == Action::none ? fitting_hint() : std::string{};
    editor_.set_state(Replxx::State(
        drawn_.shown.c_str(),
        static_cast<int>(characters_in(std::string_view(drawn_.shown).substr(0, drawn_.cursor)))));
    editor_.emulate_key_press(our_key);
    return Result::CONTINUE;
  }

  // The same, late enough that it is certainly drawn.
  Result hand_over_in_peace() {
    std::this_thread::sleep_for(drawing_rest);
    return hand_over();
  }

  // Ends this run of replxx without a trace on the screen.
  Result finish(End end) {
    end_ = end;
    return Result::BAIL;
  }

  // The terminal has rewrapped the long row.
  Result draw_for_new_size() {
    const std::size_t cells = drawn_.caret.row * drawn_columns_ + drawn_.caret.column;
    const std::size_t rows = cells / terminal().size().columns + rows_above();
    if (rows > 0) terminal().write("\x1b[" + std::to_string(rows) + "A");
    terminal().write("\r\x1b[J");
    return finish(again);
  }

  void draw_above() {
    const auto [columns, rows] = terminal().size();
    above_.clear();
    if (rows >= fewest_rows) above_ = help_.above->rows(columns);
    std::string out;
    for (const RowsAbove::Row& row : above_) out += row.text + "\r\n";
    if (!out.empty()) terminal().write(out);
  }
  // A window that became narrower has wrapped them.
  std::size_t rows_above() const {
    const std::size_t columns = keyboard_.terminal().size().columns;
    std::size_t rows = 0;
    for (const RowsAbove::Row& row : above_) rows += layout::rows_taken(row.columns, columns);
    return rows;
  }

  // replxx measures emoji and joined characters with an old table. In a line of one row that is
  // corrected here; for its next redraw only the row matters.
  void correct_cursor() {
    const auto is_ascii = [](char c) { return (c & 0x80) == 0; };
    if (drawn_.end.row > 0 || std::ranges::all_of(drawn_.shown, is_ascii)) return;
    terminal().write("\x1b[" + std::to_string(drawn_.caret.column + 1) + "G");
  }

  // Below the line, which replxx clears of it whenever it draws.
  void draw_popup() {
    Popup& popup = prompt_.refreshed_popup();
    const auto [columns, rows] = terminal().size();
    const std::size_t left = left_of(rows, 2 + rows_above() + drawn_.end.row);
    std::string out;
    const std::vector<screen::LiveRow> shown =
        popup.rows(left_of(columns, 1), std::min(left, most_popup_rows));
    for (const screen::LiveRow& row : shown) {
      const std::string text = layout::fit(row.text, columns - 1);
      const std::size_t used = layout::display_width(text);
      out += "\r\n" + styled(row.style, text) +
             styled(layout::style::dim, layout::fit(row.aside, columns - 1 - used));
    }
    popup.set_shown();
    const std::size_t below = drawn_.end.row - drawn_.caret.row;
    if (shown.empty()) return;
    terminal().write((below > 0 ? "\x1b[" + std::to_string(below) + "B" : "") + out + "\x1b[" +
                     std::to_string(shown.size() + below) + "A\x1b[" +
                     std::to_string(drawn_.caret.column + 1) + "G");
  }
  std::string styled(const layout::Style& style, const std::string& text) const {
    return layout::painted(text, style, {.colour = help_.color});
  }

  // It must not wrap: replxx counts its letters, not its columns.
  std::string fitting_hint() {
    return layout::fit(layout::sanitized(prompt_.hint()),
                       left_of(drawn_columns_, drawn_.end.column + 1));
  }

  // Removes the line from the screen first; other output begins where the prompt was.
  Result fulfil(Action action) {
    take_off();
    end_ = again;
    switch (action) {
      case Action::send:
        print_line("\n");
        end_ = ReadResult::line;
        break;
      case Action::abort: abort(); break;
      case Action::leave: end_ = ReadResult::end; break;
      case Action::search_history: search_history(); break;
      case Action::editor:
        if (auto text = edit::edited_elsewhere(edit::whole(draft()), terminal()))
          prompt_.line().set(std::move(*text));
        break;
      case Action::clear_screen: clear_screen(); break;
      case Action::unfold: help_.expand(); break;
      case Action::thinking: help_.show_thinking(); break;
      case Action::mode: help_.cycle_mode(); break;
      case Action::announce:
        if (help_.announce() && prompt_.text().empty()) end_ = ReadResult::woken;
        break;
      case Action::redraw: help_.above->tell(); break;
      case Action::suspend:
        keep();
        terminal().suspend();
        break;
      default: break;
    }
    return finish(end_);
  }

  // Row by row: some terminals keep a copy in the scrollback of what is cleared at once.
  void take_off() {
    std::string out;
    if (const std::size_t below = drawn_.end.row - drawn_.caret.row; below > 0)
      out += "\x1b[" + std::to_string(below) + "B";
    for (std::size_t row = 0; row < drawn_.end.row + rows_above(); ++row) out += "\x1b[2K\x1b[A";
    terminal().write(out + "\r\x1b[2K");
    above_.clear();
  }

  // The scrollback shows the line as it was typed, with its newlines.
  void print_line(std::string_view end) {
    terminal().write(prompt_text_ +
                     layout::painted(layout::sanitized(prompt_.text()), layout::style::own,
                                     {.colour = help_.color}) +
                     std::string(end));
  }
  void abort() {
    if (revising_) {
      end_ = ReadResult::interrupt;
      return;
    }
    print_line("^C\n");
    if (prompt_.text().empty()) end_ = ReadResult::interrupt;
    history_.add(edit::whole(draft()));
    prompt_.start({});
  }

  void search_history() {
    pick::PickList list{
        .title = "history", .query = prompt_.text(), .keys = "takes it into the line"};
    std::set<std::string_view> seen;
    const std::vector<std::string>& all = history_.lines();
    for (auto line = all.rbegin(); line != all.rend(); ++line)
      if (seen.insert(*line).second) list.lines.push_back(*line);
    if (const pick::Picked picked = pick::pick(keyboard_, list); picked.index)
      prompt_.line().set(list.lines[*picked.index]);
  }

  // Scrolls the screen into the scrollback; nothing is erased.
  void clear_screen() {
    const std::size_t rows = terminal().size().rows;
    terminal().write("\x1b[" + std::to_string(rows) + ";1H" + std::string(rows, '\n') + "\x1b[H");
  }

  std::optional<milliseconds> time_to_look() {
    std::optional<milliseconds> soonest;
    for (const auto& each : {time_to_keep(), help_.look_again(), help_.above->look_again()})
      if (each && (!soonest || *each < *soonest)) soonest = each;
    return soonest;
  }
  std::optional<milliseconds> time_to_keep() {
    if (draft() == kept_) return std::nullopt;
    if (Clock::now() - kept_at_ > keep_at_least) keep();
    return keep_after;
  }
  void keep() {
    if (draft() == kept_) return;
    kept_ = draft();
    kept_at_ = Clock::now();
    help_.keep(kept_);
  }

  terminal::Keyboard& keyboard_;
  History& history_;
  EditorHelp help_;
  PromptLine prompt_;
  Replxx editor_{};
  std::string hint_{};
  std::string prompt_text_{};
  std::size_t prompt_columns_ = 0;
  terminal::LineLayout drawn_{};  // what replxx has on the screen
  std::size_t drawn_columns_ = 80;
  std::vector<RowsAbove::Row> above_{};  // on the screen, above the prompt
  End end_{};
  Action action_ = Action::none;  // to be fulfilled when the line has been drawn
  bool begun_ = false, revising_ = false;
  Clock::time_point entered_{}, kept_at_{};
  bool maybe_undrawn_ = false;
  edit::Draft kept_{};
};

}  // namespace

std::unique_ptr<LineEditor> make_replxx_editor(terminal::Keyboard& keyboard, History& history,
                                               EditorHelp help) {
  return std::make_unique<ReplxxEditor>(keyboard, history, std::move(help));
}

}  // namespace skein::prompt
