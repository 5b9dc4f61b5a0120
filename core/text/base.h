// The few words every other file uses: what an error is, what an id is, what time it is,
// and how text from anywhere becomes valid UTF-8.
#pragma once

#include "core/text/std.h"

#include <compare>
#include <stdexcept>

namespace skein {

// A JSON value as text, exactly as it came. Payloads, tool inputs and what a provider wants back
// verbatim are kept so: key order and number spelling survive, and headers need no JSON library.
using JsonText = std::string;

// What kind of trouble ended the program: the exit status scripts rely on.
enum class ExitStatus {
  turn = 1,
  usage = 2,
  storage = 3,
  no_session = 4,
  conflict = 5,
  interrupted = 130,  // what a shell reports for a program that ^C ended
};

// Something broke. `what()` is the sentence the user reads: lower case, names the thing, says what
// to do if there is something to do. What merely can happen is a value, not an Error.
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& sentence, ExitStatus trouble = ExitStatus::turn)
      : std::runtime_error(sentence), status_(trouble) {}
  ExitStatus status() const { return status_; }

 private:
  ExitStatus status_;
};

// The id of an entry or a session: 64 random bits, written as 16 lower-case hex digits.
struct Id {
  std::uint64_t value = 0;
  auto operator<=>(const Id&) const = default;
};
std::string to_string(Id id);
std::optional<Id> parse_id(std::string_view text);  // exactly 16 lower-case hex digits
std::optional<std::uint32_t> parse_hex32(std::string_view digits);  // exactly 8 of them
Id random_id();

// Now, as transcripts write it: 2026-01-02T03:04:05.678Z.
std::string now_utc();
std::string utc_from_ms(std::int64_t ms_since_epoch);
std::optional<std::int64_t> ms_from_utc(std::string_view timestamp);
std::int64_t now_ms();

// `text` with every malformed sequence replaced by U+FFFD, as the WHATWG decoder does.
std::string valid_utf8(std::string_view text);
bool is_valid_utf8(std::string_view text);
// The longest prefix of at most `bytes` bytes that does not cut a character.
std::string_view utf8_prefix(std::string_view text, std::size_t bytes);

std::string with_separators(std::size_t number);  // 1234567 as 1,234,567

}  // namespace skein

template <>
struct std::hash<skein::Id> {
  std::size_t operator()(skein::Id id) const noexcept { return id.value; }
};
