#include "core/text/amounts.h"

#include <algorithm>
#include <cstdio>

#include "core/text/base.h"

namespace skein {

namespace {

std::string with_decimals(double value, int decimals) {
  char text[48];
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  return text;
}

std::string two_units(std::int64_t count, std::int64_t small, const char* large_name,
                      const char* small_name) {
  return std::to_string(count / small) + large_name + " " + std::to_string(count % small) +
         small_name;
}

}  // namespace

// A unit ends where rounding would show the next one: 999,500 is 1.0M, not 1000k.
std::string short_count(std::int64_t count) {
  const auto value = static_cast<double>(count);
  if (count < 1000) return std::to_string(count);
  if (count < 99'950) return with_decimals(value / 1e3, 1) + "k";
  if (count < 999'500) return with_decimals(value / 1e3, 0) + "k";
  if (count < 999'950'000) return with_decimals(value / 1e6, 1) + "M";
  return with_decimals(value / 1e9, 1) + "G";
}

// What has passed counts, so nothing is rounded up.
std::string short_duration(std::int64_t ms) {
  const std::int64_t seconds = ms / 1000, minutes = seconds / 60, hours = minutes / 60;
  if (ms < 1000) return std::to_string(std::max<std::int64_t>(0, ms)) + " ms";
  if (seconds < 10) return with_decimals(static_cast<double>(ms / 100) / 10, 1) + " s";
  if (minutes == 0) return std::to_string(seconds) + " s";
  if (hours == 0) return two_units(seconds, 60, " min", " s");
  if (hours < 24) return two_units(minutes, 60, " h", " min");
  return two_units(hours, 24, " days", " h");
}

std::string counted(std::size_t count, std::string_view one, std::string_view many) {
  const std::string plural = many.empty() ? std::string(one) + "s" : std::string(many);
  return with_separators(count) + " " + (count == 1 ? std::string(one) : plural);
}

std::string short_bytes(std::uint64_t bytes) {
  if (bytes < 1000) return counted(bytes, "byte");
  std::string short_form = short_count(static_cast<std::int64_t>(bytes));
  return short_form.insert(short_form.size() - 1, " ") + "B";
}

// Small amounts keep two digits that say something.
std::string dollars(double amount) {
  const int decimals = amount <= 0 || amount >= 0.0995 ? 2 : amount >= 0.00995 ? 3 : 4;
  return "$" + with_decimals(amount, decimals);
}

std::string percent(std::int64_t part, std::int64_t whole) {
  if (whole <= 0) return "-";
  return with_decimals(100.0 * static_cast<double>(part) / static_cast<double>(whole), 0) + "%";
}

}  // namespace skein
