#include "core/text/base.h"

#include <sys/random.h>

#include <ctime>

#include "core/text/encoding.h"
#include "core/text/utf8.h"

namespace skein {

std::string to_string(Id id) { return hex(id.value, 16); }

std::optional<std::uint32_t> parse_hex32(std::string_view digits) {
  std::uint32_t value = 0;
  if (digits.size() != 8 || !parse_hex8(digits.data(), value)) return std::nullopt;
  return value;
}

std::optional<Id> parse_id(std::string_view text) {
  Id id;
  if (text.size() != 16 || !parse_hex16(text.data(), id.value)) return std::nullopt;
  return id;
}

Id random_id() {
  Id id;
  while (getrandom(&id.value, sizeof id.value, 0) != static_cast<ssize_t>(sizeof id.value))
    if (errno != EINTR) throw Error("the system gives no random numbers");
  return id;
}

std::int64_t now_ms() {
  using namespace std::chrono;
  return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
}

std::string now_utc() { return utc_from_ms(now_ms()); }

std::string utc_from_ms(std::int64_t ms) {
  std::int64_t seconds = ms / 1000, rest = ms % 1000;
  if (rest < 0) rest += 1000, --seconds;
  const std::time_t time = static_cast<std::time_t>(seconds);
  std::tm tm{};
  gmtime_r(&time, &tm);
  std::array<char, 64> text{};
  const std::size_t used = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S", &tm);
  std::snprintf(text.data() + used, text.size() - used, ".%03dZ", static_cast<int>(rest));
  return text.data();
}

std::optional<std::int64_t> ms_from_utc(std::string_view timestamp) {
  const std::string text(timestamp);
  std::tm tm{};
  int ms = 0, used = 0;
  if (std::sscanf(text.c_str(), "%4d-%2d-%2dT%2d:%2d:%2d%n", &tm.tm_year, &tm.tm_mon, &tm.tm_mday,
                  &tm.tm_hour, &tm.tm_min, &tm.tm_sec, &used) != 6)
    return std::nullopt;
  std::string_view rest = timestamp.substr(static_cast<std::size_t>(used));
  if (rest.starts_with('.')) {
    int scale = 100;
    for (rest.remove_prefix(1); !rest.empty() && rest[0] >= '0' && rest[0] <= '9';
         rest.remove_prefix(1)) {
      ms += (rest[0] - '0') * scale;
      scale /= 10;
    }
  }
  if (rest != "Z" && rest != "+00:00") return std::nullopt;
  if (tm.tm_mon < 1 || tm.tm_mon > 12 || tm.tm_mday < 1 || tm.tm_mday > 31) return std::nullopt;
  tm.tm_year -= 1900;
  tm.tm_mon -= 1;
  return static_cast<std::int64_t>(timegm(&tm)) * 1000 + ms;
}

std::string valid_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Utf8Character next = first_character(text);
    out += next.good ? text.substr(0, next.length) : "\uFFFD";
    text.remove_prefix(next.length);
  }
  return out;
}

bool is_valid_utf8(std::string_view text) {
  while (!text.empty()) {
    const Utf8Character next = first_character(text);
    if (!next.good) return false;
    text.remove_prefix(next.length);
  }
  return true;
}

std::string_view utf8_prefix(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  std::size_t end = bytes;
  // At most three continuation bytes belong to a character; more are not UTF-8 and may be cut.
  for (int back = 0; back < 3 && end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80;
       ++back)
    --end;
  return text.substr(0, end);
}

std::string with_separators(std::size_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3;) digits.insert(at -= 3, ",");
  return digits;
}

}  // namespace skein
