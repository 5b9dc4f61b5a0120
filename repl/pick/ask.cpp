#include "repl/pick/ask.h"

#include "core/text/text.h"
#include "repl/edit/external_editor.h"
#include "repl/edit/line_edit.h"
#include "repl/layout/width.h"
#include "repl/terminal/inline_panel.h"

namespace skein::pick {

namespace {

using Code = terminal::Key::Code;
using Line = terminal::InlinePanel::Line;
using Verdict = model::PlanReview::Verdict;

// Asked again after Ctrl+Z.
terminal::Key key_after(terminal::Keyboard& keyboard, screen::Screen& screen,
                        const std::string& question) {
  const terminal::TerminalMode keys(keyboard.terminal(), terminal::Terminal::Mode::editing);
  for (;;) {
    screen.print_untrusted(question);
    screen.flush();
    const terminal::Key pressed = keyboard.next_key(nullptr);
    if (pressed != terminal::ctrl('z')) return pressed;
    screen.pause();
    keyboard.terminal().suspend();
  }
}

// The options with something else behind them, one of which is chosen and some are marked.
class OptionList {
 public:
  OptionList(terminal::Keyboard& keyboard, const model::Inquiry& inquiry)
      : keyboard_(keyboard), inquiry_(inquiry) {}

  // What the user says to the list; "" where they would rather say something else.
  std::optional<std::string> ask(std::atomic<bool>& stop) {
    const terminal::TerminalMode keys(keyboard_.terminal(), terminal::Terminal::Mode::editing);
    terminal::InlinePanel panel(keyboard_.terminal());
    const auto draw = [&] { panel.show(lines(), {chosen_, 0}); };
    for (;;) {
      draw();
      const terminal::Key key = keyboard_.next_key(&stop, draw);
      if (key == terminal::ctrl('z')) panel.suspend();
      if (key == terminal::ctrl('c')) stop = true;
      if (key == terminal::ctrl('c') || key.code == Code::escape) return std::nullopt;
      if (key.code == Code::up) chosen_ = (chosen_ + size() - 1) % size();
      if (key.code == Code::down) chosen_ = (chosen_ + 1) % size();
      if (key.code == Code::enter) return answer();
      if (inquiry_.multiple && terminal::typed(key) == " ") mark();
      if (const auto line = number_in(terminal::typed(key), size())) {
        chosen_ = *line;
        if (!inquiry_.multiple || is_other(chosen_)) return answer();
        mark();
      }
    }
  }

 private:
  std::size_t size() const { return inquiry_.options.size() + 1; }
  bool is_other(std::size_t line) const { return line == inquiry_.options.size(); }
  void mark() {
    if (!is_other(chosen_) && !marked_.erase(chosen_)) marked_.insert(chosen_);
  }

  // At most a dozen lines, however many rows there are: only the chosen option is explained.
  std::vector<Line> lines() const {
    std::vector<Line> out;
    for (std::size_t i = 0; i < size(); ++i) {
      const char* box = !inquiry_.multiple || is_other(i) ? ""
                        : marked_.contains(i)             ? "[x] "
                                                          : "[ ] ";
      out.push_back({i == chosen_ ? Line::Style::chosen : Line::Style::plain,
                     std::to_string(i + 1) + " " + box +
                         (is_other(i) ? "something else…" : inquiry_.options[i].label)});
    }
    if (!is_other(chosen_) && !inquiry_.options[chosen_].description.empty()) {
      const std::string about =
          layout::wrapped(layout::sanitized_row(inquiry_.options[chosen_].description),
                          layout::left_of(keyboard_.terminal().size().columns, 4));
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
    if (is_other(chosen_)) return {};
    if (marked_.empty()) return inquiry_.options[chosen_].label;
    return listed(marked_, ", ", [this](std::size_t i) { return inquiry_.options[i].label; });
  }

  terminal::Keyboard& keyboard_;
  const model::Inquiry& inquiry_;
  std::size_t chosen_ = 0;
  std::set<std::size_t> marked_{};
};

struct PlanChoice {
  char letter;
  Verdict verdict;
  const char* offer;
  const char* said;
};
constexpr PlanChoice choices[] = {
    {'y', Verdict::carry_out, "[y]es, carry it out", "carry it out"},
    {'a', Verdict::accept_edits, "[a]lso accept edits", "carry it out and accept edits"},
    {'f', Verdict::fresh, "[f]resh, with only the plan", "start fresh with only the plan"},
};
constexpr const char* not_yet_offer = "[n]ot yet, and why";

}  // namespace

std::optional<std::string> edited(terminal::Keyboard& keyboard, screen::Screen& screen,
                                  const std::string& text, const std::string& file) {
  screen.flush();
  std::optional<std::string> changed = edit::edited_elsewhere(text, keyboard.terminal(), file);
  if (changed && *changed != text) return changed;
  screen.print(changed ? "nothing was changed\n" : "the editor failed or could not be started\n");
  return std::nullopt;
}

std::optional<char> ask_choice(terminal::Keyboard& keyboard, screen::Screen& screen,
                               const std::string& question, std::string_view letters,
                               std::optional<char> on_enter) {
  const terminal::Key pressed = key_after(keyboard, screen, question);
  for (const char letter : letters)
    if (is_letter(pressed, letter) || (pressed.code == Code::enter && letter == on_enter)) {
      screen.print(std::string(1, letter) + "\n");
      return letter;
    }
  screen.print("no\n");
  return std::nullopt;
}

std::string_view yes_or_no(Enter enter) { return enter == Enter::yes ? " [Y/n] › " : " [y/N] › "; }

bool ask_yes(terminal::Keyboard& keyboard, screen::Screen& screen, const std::string& question,
             Enter enter) {
  const terminal::Key key = key_after(keyboard, screen, question + std::string(yes_or_no(enter)));
  const bool yes = is_letter(key, 'y') || (enter == Enter::yes && key.code == Code::enter);
  screen.print(yes ? "yes\n" : "no\n");
  return yes;
}

std::optional<std::string> ask_line(terminal::Keyboard& keyboard, const std::string& prompt,
                                    const std::string& text, std::atomic<bool>* stop, Echo echo) {
  // As its user should see it.
  const auto shown_as = [&](std::string_view typed) {
    return echo == Echo::dots ? layout::repeated("•", typed.size()) : std::string(typed);
  };
  const terminal::TerminalMode keys(keyboard.terminal(), terminal::Terminal::Mode::editing);
  terminal::InlinePanel drawing(keyboard.terminal());
  edit::LineEdit line;
  line.start({.text = text});
  for (;;) {
    // Only the end is shown if it does not fit into one row.
    const std::size_t room =
        layout::left_of(keyboard.terminal().size().columns, layout::display_width(prompt) + 1);
    const std::string shown =
        layout::fit_end(shown_as(line.text()), std::max<std::size_t>(room, 1));
    const std::size_t behind =
        layout::display_width(shown_as(std::string_view(line.text()).substr(line.cursor())));
    const std::size_t end = layout::display_width(prompt + shown);
    drawing.show({{terminal::InlinePanel::Line::Style::plain, prompt + shown}},
                 {0, layout::left_of(end, behind)});
    const terminal::Key key = keyboard.next_key(stop);
    if (key == terminal::ctrl('c') && stop != nullptr) *stop = true;
    if (key == terminal::ctrl('c') || key.code == Code::escape) return std::nullopt;
    if (key == skein::terminal::key(Code::enter)) return edit::whole(line.draft());
    key == terminal::ctrl('z') ? drawing.suspend() : static_cast<void>(line.apply(key));
  }
}

std::string numbered(std::span<const std::string> lines) {
  std::string out;
  for (std::size_t i = 0; i < lines.size(); ++i)
    out += std::to_string(i + 1) + ": " + lines[i] + "\n";
  return out;
}

std::string numbered_list(std::string_view title, std::span<const std::string> lines) {
  return std::string(title) + ":\n" + numbered(lines) + "number (empty: none) › ";
}

std::optional<std::size_t> number_in(std::string_view answer, std::size_t lines) {
  const auto number = parse_number<std::size_t>(trimmed(answer)).value_or(0);
  return number >= 1 && number <= lines ? std::optional(number - 1) : std::nullopt;
}

std::optional<std::string> inquire(terminal::Keyboard& keyboard, screen::Screen& screen,
                                   const model::Inquiry& inquiry, std::atomic<bool>& stop) {
  OptionList list(keyboard, inquiry);
  for (;;) {
    std::optional<std::string> answer = list.ask(stop);
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
  std::vector<std::string> lines;
  for (const auto& [label, description] : inquiry.options)
    lines.push_back(label + (description.empty() ? "" : " (" + description + ")"));
  return numbered(lines) + (inquiry.multiple ? "numbers separated by commas" : "a number") +
         ", or your own words (empty: no answer) › ";
}

std::optional<std::string> answer_in(const model::Inquiry& inquiry, std::string_view line) {
  const std::string_view said = trimmed(line);
  if (said.empty()) return std::nullopt;
  std::vector<std::string> labels;
  for (const std::string_view each : split(said, ',')) {
    const std::optional<std::size_t> number = number_in(each, inquiry.options.size());
    if (!number) return std::string(said);
    labels.push_back(inquiry.options[*number].label);
  }
  if (labels.size() > 1 && !inquiry.multiple) return std::string(said);
  return listed(labels);
}

std::string plan_choices(bool with_editor) {
  std::string out;
  for (const PlanChoice& each : choices) out += std::string(each.offer) + "  ";
  return out + (with_editor ? "[e]dit it first  " : "") + not_yet_offer + " › ";
}

model::PlanReview review_plan(terminal::Keyboard& keyboard, screen::Screen& screen,
                              const model::Plan& plan, std::atomic<bool>& stop) {
  std::string text = plan.text;
  const auto offer = [&] {
    screen.print(plan_choices(true));
    screen.flush();
  };
  offer();
  const terminal::TerminalMode keys(keyboard.terminal(), terminal::Terminal::Mode::editing);
  for (;;) {
    const terminal::Key key = keyboard.next_key(&stop);
    for (const PlanChoice& each : choices)
      if (is_letter(key, each.letter)) {
        screen.print(std::string(each.said) + "\n");
        return {each.verdict, text};
      }
    if (is_letter(key, 'e')) {
      screen.print("edit\n");
      // The plan is kept if the editor failed or left nothing.
      if (const auto changed = edited(keyboard, screen, text, "plan.md")) {
        const bool blank = trimmed(*changed).empty();
        if (!blank) text = *changed;
        screen.print(blank ? "the plan was empty, so it was not changed\n"
                           : "the plan was changed\n");
      }
      offer();
    }
    if (key == terminal::ctrl('z')) {
      screen.pause();
      keyboard.terminal().suspend();
      offer();
    }
    const bool no = is_letter(key, 'n');
    if (key == terminal::ctrl('c')) stop = true;
    if (!no && key != terminal::ctrl('c') && key.code != Code::escape && key.code != Code::enter)
      continue;
    screen.print("not yet\n");
    model::PlanReview review;
    if (no) review.text = ask_line(keyboard, "what should change › ").value_or("");
    if (!review.text.empty()) screen.print_untrusted("  " + review.text + "\n");
    return review;
  }
}

model::PlanReview review_in(const model::Plan& plan, std::string_view line) {
  const auto [first, rest] = first_word(trimmed(line));
  const std::string word = skein::lower(first);
  for (const PlanChoice& each : choices)
    if (word == std::string(1, each.letter)) return {each.verdict, plan.text};
  if (word == "yes") return {Verdict::carry_out, plan.text};
  const bool plain_no = word == "n" || word == "no" || word.empty();
  return {Verdict::not_yet, std::string(trimmed(plain_no ? rest : line))};
}

}  // namespace skein::pick
