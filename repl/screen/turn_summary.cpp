#include "repl/screen/turn_summary.h"

#include <array>
#include <cstdio>

#include "repl/screen/status_line.h"

namespace skein {

namespace {

std::string cost_text(double dollars) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), dollars < 0.0995 ? "$%.3f" : "$%.2f", dollars);
  return text.data();
}

}  // namespace

void add(TurnSummary& summary, const Message& message) {
  summary.duration_ms += message.duration_ms;
  if (message.role != Role::assistant) return;
  ++summary.calls;
  summary.provider = message.provider;
  summary.model = message.model;
  if (!message.usage) return;
  summary.last = *message.usage;
  summary.usage += *message.usage;
}

std::string summary_text(const TurnSummary& summary) {
  std::string out = summary.model.empty() ? summary.provider : summary.model;
  const auto add_part = [&](const std::string& part) { out += (out.empty() ? "" : " · ") + part; };
  if (summary.usage != Usage{}) {
    const Usage& usage = summary.usage;
    add_part(count_text(whole_input(usage)) + " in" +
             (usage.cache_read > 0 ? " (" + count_text(usage.cache_read) + " cached)" : "") + " " +
             count_text(usage.output) + " out");
  }
  if (summary.cost_usd) add_part(cost_text(*summary.cost_usd));
  const std::int64_t held = whole_input(summary.last) + summary.last.output;
  if (summary.window > 0 && held > 0) {
    const std::int64_t percent = (100 * held + summary.window - 1) / summary.window;
    add_part("context " + std::to_string(percent) + " %" +
             (percent >= 80 ? " (nearly full: /compact)" : ""));
  }
  add_part(seconds_text(summary.duration_ms));
  return out;
}

}  // namespace skein
