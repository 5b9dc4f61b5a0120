#include "core/model/stats.h"

#include "core/text/amounts.h"

namespace skein::model {

namespace {

std::string plural(std::int64_t number, const std::string& one) {
  return (number > 0 ? short_count(number) : "-") + " " + one + (number == 1 ? "" : "s");
}

}  // namespace

std::string stats_line(const SessionState& state, std::optional<double> cost_usd, bool at_least) {
  const Usage usage = total_usage(state);
  const std::int64_t sent = whole_input(usage);
  std::string out =
      plural(state.messages, "message") + " · " + plural(sent + usage.output, "token");
  if (sent > 0 && usage.cache_read > 0) out += " (" + percent(usage.cache_read, sent) + " cached)";
  if (state.tool_calls > 0) out += " · " + plural(state.tool_calls, "tool call");
  if (state.duration_ms > 0) out += " · " + short_duration(state.duration_ms);
  if (cost_usd > 0) out += (at_least ? " · at least " : " · ") + dollars(*cost_usd);
  return out;
}

}  // namespace skein::model
