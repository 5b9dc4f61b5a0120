#include "repl/pick/review_plan.h"

#include <optional>

#include "core/text/text.h"
#include "repl/edit/external_editor.h"
#include "repl/pick/ask.h"

namespace skein::pick {

namespace {

using Code = terminal::Key::Code;
using Verdict = model::PlanReview::Verdict;

struct Choice {
  char letter;
  Verdict verdict;
  const char* offer;
  const char* said;
};
constexpr Choice choices[] = {
    {'y', Verdict::carry_out, "[y] carry it out", "carry it out"},
    {'a', Verdict::accept_edits, "[a] and accept edits", "carry it out and accept edits"},
    {'f', Verdict::fresh, "[f]resh, with only the plan", "start fresh with only the plan"},
};
constexpr const char* not_yet_offer = "[n]ot yet, and why";

std::string offers(bool with_editor) {
  std::string out;
  for (const Choice& each : choices) out += std::string(each.offer) + "  ";
  return out + (with_editor ? "[e]dit it first  " : "") + not_yet_offer + " › ";
}

// The plan as the user's editor left it; unchanged if that failed.
std::string edited(terminal::Keyboard& keyboard, screen::Screen& screen, const std::string& plan) {
  screen.print("edit\n");
  screen.flush();
  const std::optional<std::string> changed =
      edit::edited_elsewhere(plan, keyboard.terminal(), "plan.md");
  if (changed && trimmed(*changed).empty()) {
    screen.print("an empty plan is none; it is as it was\n");
    return plan;
  }
  screen.print(!changed           ? "the editor could not be started, or it failed\n"
               : *changed == plan ? "nothing was changed\n"
                                  : "the plan is as you left it\n");
  return changed.value_or(plan);
}

}  // namespace

std::string plan_choices() { return offers(false); }

model::PlanReview review_plan(terminal::Keyboard& keyboard, screen::Screen& screen,
                              const model::Plan& plan, std::atomic<bool>& stop) {
  std::string text = plan.text;
  const auto offer = [&] {
    screen.print(offers(true));
    screen.flush();
  };
  offer();
  const terminal::TerminalMode keys(keyboard.terminal(), terminal::Terminal::Mode::editing);
  for (;;) {
    const terminal::Key key = next_key(keyboard, &stop);
    for (const Choice& each : choices)
      if (is_letter(key, each.letter)) {
        screen.print(std::string(each.said) + "\n");
        return {each.verdict, text};
      }
    if (is_letter(key, 'e')) {
      text = edited(keyboard, screen, text);
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
    if (no) review.text = ask_line(keyboard, "what should be different › ").value_or("");
    if (!review.text.empty()) screen.print_untrusted("  " + review.text + "\n");
    return review;
  }
}

model::PlanReview review_in(const model::Plan& plan, std::string_view line) {
  const auto [first, rest] = first_word(trimmed(line));
  const std::string word = skein::lower(first);
  for (const Choice& each : choices)
    if (word == std::string(1, each.letter)) return {each.verdict, plan.text};
  if (word == "yes") return {Verdict::carry_out, plan.text};
  const bool plain_no = word == "n" || word == "no" || word.empty();
  return {Verdict::not_yet, std::string(trimmed(plain_no ? rest : line))};
}

}  // namespace skein::pick
