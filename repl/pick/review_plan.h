// What becomes of a plan: the user says it with one key, after changing the plan if they like.
#pragma once

#include <atomic>
#include <string>
#include <string_view>

#include "core/model/inquiry.h"
#include "repl/screen/screen.h"
#include "repl/terminal/keyboard.h"

namespace skein::pick {

// The plan has been shown. Esc and Enter alone mean not yet, ^C does too and sets `stop`.
model::PlanReview review_plan(terminal::Keyboard& keyboard, screen::Screen& screen,
                              const model::Plan& plan, std::atomic<bool>& stop);

// For those who answer with a line: the choices, and what the line means.
std::string plan_choices();
model::PlanReview review_in(const model::Plan& plan, std::string_view line);

}  // namespace skein::pick
