// /context as a picture: a bar of what fills the model's window, and a row for each part of it.
#pragma once

#include <cstdint>
#include <string>

#include "core/context/build_context.h"
#include "repl/layout/style.h"

namespace skein::commands {

struct ContextFacts {
  context::TokenBreakdown filling{};
  std::int64_t window = 0;  // 0: not known
  std::int64_t room = 0;    // of it, without what is reserved for the answer
  std::string model{};      // untrusted
};
// Blocks in colours; without colours each part has a sign of its own, and whoever has it read out
// gets words alone. `width` 0: unlimited.
std::string context_picture(const ContextFacts& facts, std::size_t width,
                            const layout::TerminalStyle& look);

}  // namespace skein::commands
