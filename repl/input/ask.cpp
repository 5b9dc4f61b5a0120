#include "repl/input/ask.h"

#include "repl/input/drawing.h"
#include "repl/input/external_editor.h"
#include "repl/input/line_edit.h"
#include "repl/screen/width.h"

namespace skein {

namespace {

using Code = Key::Code;

// The next key, whatever signals and pauses come between; Esc once the terminal is gone or a signal
// said to stop.
Key next_key(Keyboard& keyboard, const std::atomic<bool>* stop) {
  const auto stopped = [stop] { return stop != nullptr && stop->load(); };
  for (Key got;;) {
    switch (keyboard.next(got, {}, stopped)) {
      case Keyboard::Came::key: return got;
      case Keyboard::Came::hang_up: return key(Code::escape);
      case Keyboard::Came::signal:
        keyboard.terminal().take_resize();
        if (stopped()) return key(Code::escape);
        break;
      case Keyboard::Came::pause: break;
    }
  }
}

bool is_letter(const Key& key, char letter) {
  const std::string text = typed(key);
  return text.size() == 1 && (text[0] | 0x20) == letter;
}

}  // namespace

std::string choices_of(const Question& question) {
  return "[y]es  " + (question.remember.empty() ? "" : "[a]lways " + question.remember + "  ") +
         (question.amendable ? "[e]dit first  " : "") + "[n]o, and why › ";
}

Answer ask_permission(Keyboard& keyboard, Screen& screen, const Question& question,
                      std::atomic<bool>& stop) {
  screen.print_untrusted(choices_of(question));
  screen.flush();
  const TerminalMode keys(keyboard.terminal(), Terminal::Mode::editing);
  const auto answer = [&](Answer::Choice choice, const char* word) {
    screen.print(std::string(word) + "\n");
    return Answer{choice};
  };
  for (;;) {
    const Key key = next_key(keyboard, &stop);
    if (is_letter(key, 'y')) return answer(Answer::Choice::yes, "yes");
    if (is_letter(key, 'a') && !question.remember.empty())
      return answer(Answer::Choice::always, "always");
    if (is_letter(key, 'n')) {
      Answer no = answer(Answer::Choice::no, "no");
      no.text = ask_line(keyboard, "why (Enter alone: no reason) › ").value_or("");
      if (!no.text.empty()) screen.print_untrusted("  because: " + no.text + "\n");
      return no;
    }
    if (is_letter(key, 'e') && question.amendable) {
      screen.print("edit\n");
      screen.flush();
      const auto& [text, file] = *question.amendable;
      const auto changed = edited_elsewhere(text, keyboard.terminal(), file);
      if (changed && *changed != text) return {Answer::Choice::amend, *changed};
      screen.print(changed ? "nothing was changed\n" : "the editor could not be run, or failed\n");
      screen.print_untrusted(choices_of(question));
      screen.flush();
    }
    if (key == ctrl('z')) {
      screen.pause();
      keyboard.terminal().suspend();
      screen.print_untrusted(question.text + "\n" + choices_of(question));
      screen.flush();
    }
    if (key == ctrl('c')) stop = true;
    if (key == ctrl('c') || key.code == Code::escape || key.code == Code::enter)
      return answer(Answer::Choice::no, "no");
  }
}

bool ask_yes(Keyboard& keyboard, Screen& screen, const std::string& question) {
  screen.print_untrusted(question + " [y/N] › ");
  screen.flush();
  const TerminalMode keys(keyboard.terminal(), Terminal::Mode::editing);
  const bool yes = is_letter(next_key(keyboard, nullptr), 'y');
  screen.print(yes ? "yes\n" : "no\n");
  return yes;
}

std::optional<std::string> ask_line(Keyboard& keyboard, const std::string& prompt,
                                    const std::string& text) {
  const TerminalMode keys(keyboard.terminal(), Terminal::Mode::editing);
  Drawing drawing(keyboard.terminal());
  LineEdit line;
  line.start({.text = text});
  for (;;) {
    // Only what fits into one row is shown: its end.
    const auto columns = static_cast<std::size_t>(keyboard.terminal().size().columns);
    const std::size_t used = display_width(prompt) + 1;
    const std::string shown = fit_end(line.text(), columns > used ? columns - used : 1);
    const std::size_t behind = display_width(std::string_view(line.text()).substr(line.cursor()));
    const std::size_t end = display_width(prompt + shown);
    drawing.show({{Drawing::Line::Style::plain, prompt + shown}},
                 {0, static_cast<int>(end - std::min(behind, end))});
    const Key key = next_key(keyboard, nullptr);
    if (key == ctrl('c') || key.code == Code::escape) return std::nullopt;
    if (key == skein::key(Code::enter)) return whole(line.draft());
    line.apply(key);
  }
}

}  // namespace skein
