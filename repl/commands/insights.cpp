// /insights: what all sessions came to.
#include "core/insights/collect.h"
#include "core/text/text.h"
#include "core/text/when.h"
#include "repl/commands/handlers.h"
#include "repl/commands/insights_text.h"
#include "repl/session/session.h"

namespace skein::commands {

// [30d] [by day]
void show_insights(Session& session, std::string_view since_and_grouping) {
  insights::Wish wish;
  insights::By by = insights::By::overview;
  std::string_view rest = trimmed(since_and_grouping);
  while (!rest.empty()) {
    const auto [word, more] = first_word(rest);
    rest = trimmed(more);
    if (word == "by") continue;
    if (const auto known = insights::parse_by(word))
      by = *known;
    else if (const auto time = time_ms(word, now_ms()))
      wish.since = utc_from_ms(*time);
    else
      throw Error("'" + std::string(word) +
                  "' is neither a time (30d, 2026-11-01) nor day, week, model, project or tool");
  }
  wish.prices = [cost_of = session.services().call_cost()](
                    const std::string& model,
                    const model::Usage& usage) -> std::optional<insights::Cost> {
    const std::optional<session::Cost> cost = cost_of(model, usage);
    if (!cost) return std::nullopt;
    return insights::Cost{cost->dollars, cost->at_least};
  };
  const insights::Insights found = insights::collect(session.store(), wish, session.id());
  screen::Screen& screen = session.screen();
  screen.print(as_text(
      found, {.by = by, .width = screen.width(), .look = screen.look(), .now_ms = now_ms()}));
}

}  // namespace skein::commands
