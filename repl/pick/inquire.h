// A question of the model's, answered at a terminal: with one of its options, several, or something
// else. It waits for as long as it takes.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <string_view>

#include "core/model/inquiry.h"
#include "repl/screen/screen.h"
#include "repl/terminal/keyboard.h"

namespace skein::pick {

// Arrows or a digit, Space where several may be chosen, Enter. None: the user left with Esc, or
// with ^C, which sets `stop`.
std::optional<std::string> inquire(terminal::Keyboard& keyboard, screen::Screen& screen,
                                   const model::Inquiry& inquiry, std::atomic<bool>& stop);

// For those who answer with a line: the options, and what the line means. None: nothing was said.
std::string options_text(const model::Inquiry& inquiry);
std::optional<std::string> answer_in(const model::Inquiry& inquiry, std::string_view line);

}  // namespace skein::pick
