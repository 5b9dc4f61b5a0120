// Questions at a terminal: of the model, the review of its plan, and prompts for a short line.
// Where there are no keys, what a line answers to them. Permissions: see permission.h.
#pragma once

#include "core/model/event.h"
#include "repl/screen/screen.h"
#include "repl/terminal/keyboard.h"

namespace skein::pick {

// As the user's editor left it; nullopt: not changed, and said so. `file`: what it is called.
std::optional<std::string> edited(terminal::Keyboard& keyboard, screen::Screen& screen,
                                  const std::string& text, const std::string& file);
// The one of `letters` that is pressed, or `on_enter` if it is Enter; none: another key, which
// means no.
std::optional<char> ask_choice(terminal::Keyboard& keyboard, screen::Screen& screen,
                               const std::string& question, std::string_view letters,
                               std::optional<char> on_enter = {});
// What Enter alone means; every key but y and Enter means no.
enum class Enter { no, yes };
bool ask_yes(terminal::Keyboard& keyboard, screen::Screen& screen, const std::string& question,
             Enter enter = Enter::no);
std::string_view yes_or_no(Enter enter);  // " [y/N] › "

enum class Echo { letters, dots };
// Nothing if the user left with Esc or ^C, which also sets `stop`, if there is one.
std::optional<std::string> ask_line(terminal::Keyboard& keyboard, const std::string& prompt,
                                    const std::string& text = {}, std::atomic<bool>* stop = nullptr,
                                    Echo echo = Echo::letters);
// The same for a secret.
inline std::optional<std::string> ask_secret(terminal::Keyboard& keyboard,
                                             const std::string& prompt) {
  return ask_line(keyboard, prompt, {}, nullptr, Echo::dots);
}

// A list that is answered with a number: "1: …" for each line; with a title and what to answer.
std::string numbered(std::span<const std::string> lines);
std::string numbered_list(std::string_view title, std::span<const std::string> lines);
// The place in the list that an answer means, from 0; none: it is no number of a line.
std::optional<std::size_t> number_in(std::string_view answer, std::size_t lines);

// One of the options, several, or something else: arrows or a digit, Space where several may be
// chosen, Enter. None: the user left with Esc, or with ^C, which sets `stop`.
std::optional<std::string> inquire(terminal::Keyboard& keyboard, screen::Screen& screen,
                                   const model::Inquiry& inquiry, std::atomic<bool>& stop);

// For those who answer with a line: the options, and what the line means. None: nothing was said.
std::string options_text(const model::Inquiry& inquiry);
std::optional<std::string> answer_in(const model::Inquiry& inquiry, std::string_view line);

// What becomes of a plan that has been shown: the user says it with one key, and may edit the plan.
// Esc and Enter alone mean not yet, ^C does too and sets `stop`.
model::PlanReview review_plan(terminal::Keyboard& keyboard, screen::Screen& screen,
                              const model::Plan& plan, std::atomic<bool>& stop);

// For those who answer with a line: the choices, and what the line means.
std::string plan_choices(bool with_editor = false);
model::PlanReview review_in(const model::Plan& plan, std::string_view line);

}  // namespace skein::pick
