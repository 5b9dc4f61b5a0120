#include "repl/pick/ask.h"

#include "repl/edit/external_editor.h"
#include "repl/edit/line_edit.h"
#include "repl/layout/width.h"
#include "repl/terminal/inline_panel.h"

namespace skein::pick {

namespace {

using Code = terminal::Key::Code;

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

std::string choices_of(const model::Question& question) {
  return "[y]es  " + (question.remember.empty() ? "" : "[a]lways " + question.remember + "  ") +
         (question.amendable ? "[e]dit first  " : "") + "[n]o, and why › ";
}

model::Answer ask_permission(terminal::Keyboard& keyboard, screen::Screen& screen,
                             const model::Question& question, std::atomic<bool>& stop) {
  screen.print_untrusted(choices_of(question));
  screen.flush();
  const terminal::TerminalMode keys(keyboard.terminal(), terminal::Terminal::Mode::editing);
  const auto answer = [&](model::Answer::Choice choice, const char* word) {
    screen.print(std::string(word) + "\n");
    return model::Answer{choice};
  };
  for (;;) {
    const terminal::Key key = next_key(keyboard, &stop);
    if (is_letter(key, 'y')) return answer(model::Answer::Choice::yes, "yes");
    if (is_letter(key, 'a') && !question.remember.empty())
      return answer(model::Answer::Choice::always, "always");
    if (is_letter(key, 'n')) {
      model::Answer no = answer(model::Answer::Choice::no, "no");
      no.text = ask_line(keyboard, "why (Enter alone: no reason) › ").value_or("");
      if (!no.text.empty()) screen.print_untrusted("  because: " + no.text + "\n");
      return no;
    }
    if (is_letter(key, 'e') && question.amendable) {
      screen.print("edit\n");
      screen.flush();
      const auto& [text, file] = *question.amendable;
      const auto changed = edit::edited_elsewhere(text, keyboard.terminal(), file);
      if (changed && *changed != text) return {model::Answer::Choice::amend, *changed};
      screen.print(changed ? "nothing was changed\n"
                           : "the editor could not be started, or it failed\n");
      screen.print_untrusted(choices_of(question));
      screen.flush();
    }
    if (key == terminal::ctrl('z')) {
      screen.pause();
      keyboard.terminal().suspend();
      screen.print_untrusted(question.text + "\n" + choices_of(question));
      screen.flush();
    }
    if (key == terminal::ctrl('c')) stop = true;
    if (key == terminal::ctrl('c') || key.code == Code::escape || key.code == Code::enter)
      return answer(model::Answer::Choice::no, "no");
  }
}

std::optional<char> ask_choice(terminal::Keyboard& keyboard, screen::Screen& screen,
                               const std::string& question, std::string_view letters) {
  screen.print_untrusted(question);
  screen.flush();
  const terminal::TerminalMode keys(keyboard.terminal(), terminal::Terminal::Mode::editing);
  const terminal::Key pressed = next_key(keyboard, nullptr);
  for (const char letter : letters)
    if (is_letter(pressed, letter)) {
      screen.print(std::string(1, letter) + "\n");
      return letter;
    }
  screen.print("no\n");
  return std::nullopt;
}

bool ask_yes(terminal::Keyboard& keyboard, screen::Screen& screen, const std::string& question) {
  screen.print_untrusted(question + " [y/N] › ");
  screen.flush();
  const terminal::TerminalMode keys(keyboard.terminal(), terminal::Terminal::Mode::editing);
  const bool yes = is_letter(next_key(keyboard, nullptr), 'y');
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
    line.apply(key);
  }
}

}  // namespace skein::pick
