// skein insights: what all sessions came to.
#include <unistd.h>

#include <cstdio>
#include <string>

#include "app/call_cost.h"
#include "app/home.h"
#include "app/load_config.h"
#include "app/verbs/output.h"
#include "app/verbs/subcommands.h"
#include "core/insights/as_html.h"
#include "core/insights/as_json.h"
#include "core/insights/collect.h"
#include "core/text/when.h"
#include "repl/commands/insights_text.h"
#include "repl/layout/sanitize.h"
#include "repl/screen/screen.h"

namespace skein::verbs {

namespace {

std::string since_when(const app::Invocation& invocation) {
  const std::string text = invocation.value("--since");
  if (!invocation.has("--since")) return {};
  if (const auto time = time_ms(text, now_ms())) return utc_from_ms(*time);
  throw Error("'" + text + "' is no time; say 30d, or 2026-11-01", ExitStatus::usage);
}

insights::By grouping(const app::Invocation& invocation) {
  if (!invocation.has("--by")) return insights::By::overview;
  if (const auto by = insights::parse_by(invocation.value("--by"))) return *by;
  throw Error("'" + invocation.value("--by") +
                  "' is nothing to group by; say day, week, model, project or tool",
              ExitStatus::usage);
}

}  // namespace

int show_insights(const app::Invocation& invocation) {
  if (invocation.has("--json") && invocation.has("--html"))
    throw Error("--json and --html are two answers; ask for one", ExitStatus::usage);
  const insights::By by = grouping(invocation);
  const auto catalog = app::configured_catalog(invocation);
  insights::Wish wish{.since = since_when(invocation)};
  wish.prices = [cost_of = app::call_cost(*catalog)](
                    const std::string& model,
                    const model::Usage& usage) -> std::optional<insights::Cost> {
    const std::optional<catalog::Cost> cost = cost_of(model, usage);
    if (!cost) return std::nullopt;
    return insights::Cost{cost->dollars, cost->at_least};
  };
  store::SessionStore store = app::open_store(invocation);
  const insights::Insights found = insights::collect(store, wish);
  if (invocation.has("--json")) {
    print_json(as_json(found, by, now_ms()));
  } else if (invocation.has("--html")) {
    // For a file: what a terminal might obey was escaped or left out.
    const std::string page = layout::sanitized(as_html(found, now_ms()));
    std::fwrite(page.data(), 1, page.size(), stdout);
  } else {
    screen::Screen screen(screen::screen_parts(STDOUT_FILENO,
                                               invocation.color.empty() ? "auto" : invocation.color,
                                               invocation.screen_reader));
    screen.print(commands::as_text(
        found, {.by = by, .width = screen.width(), .look = screen.look(), .now_ms = now_ms()}));
    screen.flush();
  }
  return 0;
}

}  // namespace skein::verbs
