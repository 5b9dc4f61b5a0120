#include "repl/pick/ask.h"

#include <algorithm>
#include <utility>

#include "core/text/text.h"
#include "repl/edit/external_editor.h"
#include "repl/edit/line_edit.h"
#include "repl/layout/flow.h"
#include "repl/layout/width.h"
#include "repl/terminal/inline_panel.h"

namespace skein::pick {

namespace {

using Code = terminal::Key::Code;

// Asked again after Ctrl+Z.
terminal::Key key_after(terminal::Keyboard& keyboard, screen::Screen& screen,
                        const std::string& question) {
  const terminal::TerminalMode keys(keyboard.terminal(), terminal::Terminal::Mode::editing);
  for (;;) {
    screen.print_untrusted(question);
    screen.flush();
    const terminal::Key pressed = next_key(keyboard, nullptr);
    if (pressed != terminal::ctrl('z')) return pressed;
    screen.pause();
    keyboard.terminal().suspend();
  }
}

}  // namespace

terminal::Key next_key(terminal::Keyboard& keyboard, const std::atomic<bool>* stop,
                       const std::function<void()>& resized) {
  const auto stopped = [stop] { return stop != nullptr && stop->load(); };
  for (terminal::Key got;;) {
    switch (keyboard.next(got, {}, stopped)) {
      case terminal::Keyboard::KeyResult::key: return got;
      case terminal::Keyboard::KeyResult::hang_up: return terminal::key(Code::escape);
      case terminal::Keyboard::KeyResult::signal:
        if (keyboard.terminal().take_resize() && resized) resized();
        if (stopped()) return terminal::key(Code::escape);
        break;
      case terminal::Keyboard::KeyResult::pause: break;
    }
  }
}

std::vector<std::string> choices_of(const model::Question& question, std::size_t width) {
  const bool lasts = !question.remember.empty();
  std::vector<std::string> choices{"[y]es"};
  if (lasts) choices.insert(choices.end(), {"this [s]ession", "[a]lways here"});
  if (question.amendable) choices.emplace_back("[e]dit");
  choices.insert(choices.end(), {"[n]o (Enter)", "[w]hy not › "});
  std::vector<std::string> rows;
  const std::string lasting = layout::wrapped("  s and a allow " + question.remember, width);
  if (lasts)
    for (const std::string_view row : split(lasting, '\n')) rows.emplace_back(row);
  std::string row = " ";
  for (const std::string& choice : choices) {
    const std::size_t wide = layout::display_width(row) + 2 + layout::display_width(choice);
    if (width > 0 && wide >= width && row != " ") rows.push_back(std::exchange(row, " "));
    row += (row == " " ? " " : "  ") + choice;
  }
  rows.push_back(std::move(row));
  return rows;
}

namespace {

// The question while it waits for its answer.
class PermissionQuestion {
 public:
  PermissionQuestion(terminal::Keyboard& keyboard, screen::Screen& screen,
                     const model::Question& question)
      : screen_(screen), question_(question), panel_(keyboard.terminal()) {}

  void show() {
    const std::vector<std::string> rows = choices_of(question_, screen_.width());
    screen_.pause();
    if (!std::exchange(decided_, true)) brief_ = is_brief(rows);
    if (!brief_) {
      screen_.show(question_);
      for (std::size_t i = 0; i < rows.size(); ++i)
        screen_.print_untrusted(rows[i] + (i + 1 < rows.size() ? "\n" : ""));
      return screen_.flush();
    }
    using Line = terminal::InlinePanel::Line;
    std::vector<Line> lines{{Line::Style::chosen, question_.text}};
    for (std::size_t i = 0; i < rows.size(); ++i)
      lines.push_back({i == 0 && rows.size() > 1 && !question_.remember.empty()
                           ? Line::Style::dim
                           : Line::Style::plain,
                       rows[i]});
    panel_.show(lines, {static_cast<int>(rows.size()),
                        static_cast<int>(layout::display_width(rows.back()))});
  }

  void redraw() {
    if (brief_) show();
  }

  // Takes it away, or writes the answer behind it.
  void end(std::string_view answer) {
    if (brief_)
      panel_.erase();
    else
      screen_.print(std::string(answer) + "\n");
  }

 private:
  // All of it can be seen at once, and nothing has to stay.
  bool is_brief(const std::vector<std::string>& rows) const {
    const std::size_t width = screen_.width();
    const auto fits = [&](const std::string& row) { return layout::display_width(row) < width; };
    return screen_.look().live && question_.text.find('\n') == std::string::npos &&
           question_.text.find(question_.detail) != std::string::npos && fits(question_.text) &&
           std::ranges::all_of(rows, fits);
  }

  screen::Screen& screen_;
  const model::Question& question_;
  terminal::InlinePanel panel_;
  bool brief_ = false, decided_ = false;
};

model::Answer refused(terminal::Keyboard& keyboard, screen::Screen& screen) {
  model::Answer no{model::Answer::Choice::no};
  no.text = ask_line(keyboard, "why (Enter alone: no reason) › ").value_or("");
  if (!no.text.empty() && !screen.look().live)
    screen.print_untrusted("  because: " + no.text + "\n");
  return no;
}

// Nullopt: it is as it was.
std::optional<std::string> amended(terminal::Keyboard& keyboard, screen::Screen& screen,
                                   const model::Question::Amendable& given) {
  screen.flush();
  std::optional<std::string> changed =
      edit::edited_elsewhere(given.text, keyboard.terminal(), given.file);
  if (changed && *changed != given.text) return changed;
  screen.print(changed ? "nothing was changed\n"
                       : "the editor could not be started, or it failed\n");
  return std::nullopt;
}

}  // namespace

model::Answer ask_permission(terminal::Keyboard& keyboard, screen::Screen& screen,
                             const model::Question& question, std::atomic<bool>& stop) {
  using Choice = model::Answer::Choice;
  PermissionQuestion shown(keyboard, screen, question);
  shown.show();
  const terminal::TerminalMode keys(keyboard.terminal(), terminal::Terminal::Mode::editing);
  const auto answer = [&](Choice choice, const char* word) {
    shown.end(word);
    return model::Answer{choice};
  };
  const auto lasting = [&](Choice choice, const std::string& how_long) {
    shown.end(how_long);
    screen.print_untrusted("  allowed " + how_long + ": " + question.remember + "\n");
    return model::Answer{choice};
  };
  for (;;) {
    const terminal::Key key = next_key(keyboard, &stop, [&] { shown.redraw(); });
    if (is_letter(key, 'y')) return answer(Choice::yes, "yes");
    if (is_letter(key, 's') && !question.remember.empty())
      return lasting(Choice::always, "in this session");
    if (is_letter(key, 'a') && !question.remember.empty())
      return lasting(Choice::here, "in this project from now on");
    if (is_letter(key, 'n')) return answer(Choice::no, "no");
    if (is_letter(key, 'w')) return shown.end("no"), refused(keyboard, screen);
    if (is_letter(key, 'e') && question.amendable) {
      shown.end("edit");
      if (const auto changed = amended(keyboard, screen, *question.amendable))
        return {Choice::amend, *changed};
      shown.show();
    }
    if (key == terminal::ctrl('z')) {
      shown.end("");
      screen.pause();
      keyboard.terminal().suspend();
      shown.show();
    }
    if (key == terminal::ctrl('c')) stop = true;
    if (key == terminal::ctrl('c') || key.code == Code::escape || key.code == Code::enter)
      return answer(Choice::no, "no");
  }
}

std::optional<char> ask_choice(terminal::Keyboard& keyboard, screen::Screen& screen,
                               const std::string& question, std::string_view letters) {
  const terminal::Key pressed = key_after(keyboard, screen, question);
  for (const char letter : letters)
    if (is_letter(pressed, letter)) {
      screen.print(std::string(1, letter) + "\n");
      return letter;
    }
  screen.print("no\n");
  return std::nullopt;
}

bool ask_yes(terminal::Keyboard& keyboard, screen::Screen& screen, const std::string& question) {
  const bool yes = is_letter(key_after(keyboard, screen, question + " [y/N] › "), 'y');
  screen.print(yes ? "yes\n" : "no\n");
  return yes;
}

std::optional<std::string> ask_line(terminal::Keyboard& keyboard, const std::string& prompt,
                                    const std::string& text, std::atomic<bool>* stop) {
  const terminal::TerminalMode keys(keyboard.terminal(), terminal::Terminal::Mode::editing);
  terminal::InlinePanel drawing(keyboard.terminal());
  edit::LineEdit line;
  line.start({.text = text});
  for (;;) {
    // Only the end is shown if it does not fit into one row.
    const auto columns = static_cast<std::size_t>(keyboard.terminal().size().columns);
    const std::size_t used = layout::display_width(prompt) + 1;
    const std::string shown = layout::fit_end(line.text(), columns > used ? columns - used : 1);
    const std::size_t behind =
        layout::display_width(std::string_view(line.text()).substr(line.cursor()));
    const std::size_t end = layout::display_width(prompt + shown);
    drawing.show({{terminal::InlinePanel::Line::Style::plain, prompt + shown}},
                 {0, static_cast<int>(end - std::min(behind, end))});
    const terminal::Key key = next_key(keyboard, stop);
    if (key == terminal::ctrl('c') && stop != nullptr) *stop = true;
    if (key == terminal::ctrl('c') || key.code == Code::escape) return std::nullopt;
    if (key == skein::terminal::key(Code::enter)) return edit::whole(line.draft());
    key == terminal::ctrl('z') ? drawing.suspend() : static_cast<void>(line.apply(key));
  }
}

}  // namespace skein::pick
