#include "repl/screen/turn_summary.h"

#include "core/text/amounts.h"

namespace skein::screen {

void add(TurnSummary& summary, const model::Message& message) {
  summary.duration_ms += message.duration_ms;
  if (message.role != model::Role::assistant) return;
  ++summary.calls;
  summary.provider = message.provider;
  summary.model = message.model;
  if (!message.usage) return;
  summary.last = *message.usage;
  summary.usage += *message.usage;
  summary.each.push_back(*message.usage);
}

std::string summary_text(const TurnSummary& summary) {
  std::string out = summary.model.empty() ? summary.provider : summary.model;
  const auto add_part = [&](const std::string& part) { out += (out.empty() ? "" : " · ") + part; };
  if (summary.usage != model::Usage{}) {
    const model::Usage& usage = summary.usage;
    add_part(short_count(model::whole_input(usage)) + " in" +
             (usage.cache_read > 0 ? " (" + short_count(usage.cache_read) + " cached)" : "") + " " +
             short_count(usage.output) + " out");
  }
  if (summary.cost_usd > 0) add_part(dollars(*summary.cost_usd));
  const std::int64_t held = model::whole_input(summary.last) + summary.last.output;
  if (summary.window > 0 && held > 0) {
    const std::int64_t percent = (100 * held + summary.window - 1) / summary.window;
    add_part("context " + std::to_string(percent) + " %" +
             (percent >= 80 ? " (nearly full: /compact)" : ""));
  }
  // What another program did not write down is not known here.
  if (summary.duration_ms > 0) add_part(short_duration(summary.duration_ms));
  return out;
}

}  // namespace skein::screen
