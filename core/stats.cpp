#include "core/stats.h"

#include <cstdio>

namespace skein {

namespace {

std::string printed(const char* format, double number) {
  char text[32];
  std::snprintf(text, sizeof text, format, number);
  return text;
}

std::string count(std::int64_t number) {
  const auto n = static_cast<double>(number);
  if (number < 1000) return std::to_string(number);
  if (number < 999'950) return printed("%.1fk", n / 1e3);
  return printed("%.1fM", n / 1e6);
}

std::string plural(std::int64_t number, const std::string& one) {
  return (number > 0 ? count(number) : "-") + " " + one + (number == 1 ? "" : "s");
}

std::string duration(std::int64_t ms) {
  const std::int64_t seconds = ms / 1000;
  if (seconds < 60) return printed("%.1f s", static_cast<double>(ms) / 1e3);
  if (seconds < 3600)
    return std::to_string(seconds / 60) + " min " + std::to_string(seconds % 60) + " s";
  return std::to_string(seconds / 3600) + " h " + std::to_string(seconds / 60 % 60) + " min";
}

}  // namespace

std::string stats_line(const SessionState& state, std::optional<double> cost_usd) {
  const Usage usage = total_usage(state);
  const std::int64_t sent = usage.input + usage.cache_read + usage.cache_write;
  std::string out =
      plural(state.messages, "message") + " · " + plural(sent + usage.output, "token");
  if (sent > 0 && usage.cache_read > 0)
    out += " (" + std::to_string(usage.cache_read * 100 / sent) + "% cached)";
  if (state.tool_calls > 0) out += " · " + plural(state.tool_calls, "tool call");
  if (state.duration_ms > 0) out += " · " + duration(state.duration_ms);
  if (cost_usd) out += " · $" + printed(*cost_usd < 0.1 ? "%.4f" : "%.2f", *cost_usd);
  return out;
}

}  // namespace skein
