// Times as people give them on a command line.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace skein {

inline constexpr std::int64_t day_ms = 24 * 60 * 60 * 1000;

// "12h", "30d", "8w" in milliseconds; nullopt: it is no length of time.
std::optional<std::int64_t> duration_ms(std::string_view text);

// "7d" (before `now`), "2026-11-01" (the beginning of that day) or a whole timestamp, both in UTC,
// in milliseconds since 1970; nullopt: it is no time.
std::optional<std::int64_t> time_ms(std::string_view text, std::int64_t now);

}  // namespace skein
