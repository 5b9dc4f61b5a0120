#include "repl/screen/amounts.h"

#include <cstdio>

namespace skein {

namespace {

std::string with_decimals(double value, int decimals) {
  char text[48];
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  return text;
}

struct Step {
  double size;  // up to which this unit is used
  double unit;
  const char* name;
};
// Each step ends where rounding would show the next unit: 999,950 is 1.0M, not 1000.0k.
constexpr Step counts[] = {{999'950, 1e3, "k"}, {999'950'000, 1e6, "M"}, {1e18, 1e9, "G"}};
constexpr Step durations[] = {{1000, 1, " ms"},
                              {60'000, 1000, " s"},
                              {3'600'000, 60'000, " min"},
                              {86'400'000, 3'600'000, " h"},
                              {1e18, 86'400'000, " days"}};

}  // namespace

std::string short_count(std::int64_t count) {
  if (count < 1000) return std::to_string(count);
  const auto value = static_cast<double>(count);
  for (const Step& step : counts)
    if (value < step.size) return with_decimals(value / step.unit, 1) + step.name;
  return std::to_string(count);
}

std::string short_duration(std::int64_t ms) {
  const auto value = static_cast<double>(ms);
  for (const Step& step : durations) {
    if (value >= step.size) continue;
    // What has passed counts, so nothing is rounded up; only seconds are worth a decimal.
    if (step.unit == 1000) return with_decimals(static_cast<double>(ms / 100) / 10, 1) + step.name;
    return std::to_string(ms / static_cast<std::int64_t>(step.unit)) + step.name;
  }
  return std::to_string(ms) + " ms";
}

std::string dollars(double amount) {
  return "$" + with_decimals(amount, amount > 0 && amount < 0.095 ? 4 : 2);
}

std::string percent(std::int64_t part, std::int64_t whole) {
  if (whole <= 0) return "-";
  return with_decimals(100.0 * static_cast<double>(part) / static_cast<double>(whole), 0) + "%";
}

}  // namespace skein
