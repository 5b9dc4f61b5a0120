#include "core/text/when.h"

#include <charconv>
#include <string>
#include <utility>

#include "core/text/base.h"

namespace skein {

std::optional<std::int64_t> duration_ms(std::string_view text) {
  constexpr std::int64_t hour = 60 * 60 * 1000;
  constexpr std::pair<char, std::int64_t> units[] = {
      {'h', hour}, {'d', 24 * hour}, {'w', 7 * 24 * hour}};
  std::int64_t count = 0;
  const char* end = text.data() + text.size();
  const auto [stopped, failed] = std::from_chars(text.data(), end, count);
  for (const auto& [unit, ms] : units)
    if (failed == std::errc{} && stopped + 1 == end && *stopped == unit && count > 0 &&
        count < 100'000)
      return count * ms;
  return std::nullopt;
}

std::optional<std::int64_t> time_ms(std::string_view text, std::int64_t now) {
  if (const auto ago = duration_ms(text)) return now - *ago;
  std::string whole(text);
  if (whole.size() == 10) whole += "T00:00:00.000Z";
  return ms_from_utc(whole);
}

}  // namespace skein
