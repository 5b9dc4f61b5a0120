// How much was used, for a terminal: what fills the model's window, and what all sessions came to.
#pragma once

#include "core/context/build_context.h"
#include "core/insights/cache_report.h"
#include "core/insights/tally.h"
#include "repl/layout/style.h"
#include "repl/layout/table.h"

namespace skein::session {
class Session;
}  // namespace skein::session

namespace skein::commands {

// /context as a picture: a bar of what fills the model's window, and a row for each part of it.
struct ContextFacts {
  context::TokenBreakdown filling{};
  std::int64_t window = 0;   // 0: not known
  std::int64_t room = 0;     // of it, without what is reserved for the answer
  std::int64_t counted = 0;  // tokens of the last answer's context; 0: the service has not said
  std::string model{};       // untrusted
};
// After a step that changes requests: that the next one, to the model that is set, sends everything
// again, and what that costs. Nothing if too little was cached to matter.
void tell_resend(session::Session& session);
// For ContextFacts::counted.
std::int64_t counted_context(session::Session& session);
// Coloured blocks, signs without colours, words for a screen reader. `width` 0: unlimited.
std::string context_picture(const ContextFacts& facts, std::size_t width,
                            const layout::TerminalStyle& look);

// Insights, safe for a terminal: a few lines, a sparkline, tables with bars. `width` 0: unlimited.
struct TextForm {
  insights::By by = insights::By::overview;
  std::size_t width = 0;
  layout::TerminalStyle look{};
  std::int64_t now_ms = 0;
};
std::string as_text(const insights::Insights& found, const TextForm& form);

// One character for each value, as tall as it is; the largest is full.
std::string sparkline(const std::vector<double>& values);
// A bar of at most `width` columns.
std::string share_of(double share, std::size_t width);
// What was missed in caches: by cause, and by answer.
layout::Table misses_table(const insights::Misses& misses);
layout::Table answers_table(std::span<const insights::CacheUse> answers);

}  // namespace skein::commands
