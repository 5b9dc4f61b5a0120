// Small things done to text everywhere: trim, split, list, numbers and times as people read and
// write them, corrections of misspelled words. Some are inline for the network module, which links
// nothing of skein.
#pragma once

#include "core/text/std.h"

namespace skein {

// "a, b, c", or with something else between; `shown` says what is listed of each item.
template <class Items, class Shown = std::identity>
  requires requires(const Items& all) { std::begin(all); }
std::string listed(const Items& items, std::string_view between = ", ", Shown shown = {}) {
  std::string out;
  for (const auto& item : items) {
    if (!out.empty()) out += between;
    out += std::invoke(shown, item);
  }
  return out;
}
// Of more than `most` the first: "a, b and 3 more".
std::string listed(std::span<const std::string> words, std::size_t most);

// A code block of Markdown, in a fence longer than any run of backticks in `text`; ends in a
// newline.
std::string fenced(std::string_view text, std::string_view language = {});

// A text as the input history keeps it, on one line: a backslash is two of them, the end of a line
// a backslash and an n.
std::string escaped_line(std::string_view text);

inline std::string env(const char* variable) {  // empty: not set
  const char* value = std::getenv(variable);
  return value == nullptr ? "" : value;
}
// The path that a variable names. Empty if it is not set or not absolute: a relative one would name
// files of the current folder, which is not the user's to trust.
inline std::string env_path(const char* variable) {
  std::string path = env(variable);
  return path.starts_with('/') ? path : "";
}
std::string user_home();  // $HOME; empty: there is none
// "~" and "~/x" as they are meant; empty if there is no home. Everything else stays as it is.
std::string with_user_home(std::string_view path);
std::string temporary_folder();  // $TMPDIR, else /tmp

inline std::string_view trimmed(std::string_view text, std::string_view what = " \t\r\n") {
  const std::size_t from = text.find_first_not_of(what);
  if (from == std::string_view::npos) return {};
  return text.substr(from, text.find_last_not_of(what) - from + 1);
}

// The pieces between separators; one at the end makes no empty piece.
std::vector<std::string_view> split(std::string_view text, char separator);
template <std::same_as<std::string> Temporary>
std::vector<std::string_view> split(Temporary&& text,
                                    char separator) = delete;  // nothing would last

// The text before the next separator, which both go from the front of `rest`.
std::string_view take_piece(std::string_view& rest, char separator);

// The text before the first blank, and the text after it.
std::pair<std::string_view, std::string_view> first_word(std::string_view text);

// With lines that end in \n alone, where they end in \r\n.
std::string unix_lines(std::string_view text);

// Whether `word` is one of a list that is written with blanks between.
bool has_word(std::string_view list, std::string_view word);

// Whether one of these is anywhere in `text`.
template <class Pieces = std::initializer_list<std::string_view>>
bool has_any_of(std::string_view text, const Pieces& pieces) {
  for (const std::string_view piece : pieces)
    if (text.find(piece) != text.npos) return true;
  return false;
}

// ASCII character classes, the same in every locale.
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
constexpr bool is_alphanumeric(char c) { return is_letter(c) || is_digit(c); }
constexpr bool is_hex_digit(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
constexpr bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// ASCII letters in lower case, other bytes as they are.
inline std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
  return out;
}

// With a capital letter, if it begins with one of ASCII.
inline std::string capitalized(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z')
    text[0] = static_cast<char>(text[0] - ('a' - 'A'));
  return text;
}

// Characters of UTF-8: every byte but those that continue one.
inline std::size_t characters_in(std::string_view text) {
  std::size_t count = 0;
  for (const char c : text) count += (static_cast<unsigned char>(c) & 0xC0) != 0x80 ? 1 : 0;
  return count;
}

std::string short_count(std::int64_t count);  // 950, 6.2k, 45.2k, 123k, 1.2M
std::string short_duration(std::int64_t ms);  // 12 ms, 2.1 s, 14 s, 2 min 5 s, 2 h 5 min
// "1 turn", "3 turns"; `many` for what takes more than an s.
std::string counted(std::size_t count, std::string_view one, std::string_view many = {});
std::string short_bytes(std::uint64_t bytes);                // 700 bytes, 6.2 kB, 1.2 GB
std::string dollars(double amount);                          // $1.23, $0.011, $0.0012
std::string percent(std::int64_t part, std::int64_t whole);  // 25%; "-" of nothing

// The number that all of `text` is, in base 10 unless another one is given; nullopt: it is none, or
// too large.
template <class Number>
std::optional<Number> parse_number(std::string_view text, std::same_as<int> auto... base) {
  Number out{};
  const char* const end = text.data() + text.size();
  const auto [stopped, failed] = std::from_chars(text.data(), end, out, base...);
  return failed == std::errc{} && stopped == end ? std::optional(out) : std::nullopt;
}

bool is_uuid(std::string_view text);

inline constexpr std::int64_t day_ms = 24 * 60 * 60 * 1000;

// "12h", "30d", "8w" in milliseconds; nullopt: it is no length of time.
std::optional<std::int64_t> duration_ms(std::string_view text);

// "7d" (before `now`), "2026-11-01" (the beginning of that day) or a whole timestamp, both in UTC,
// in milliseconds since 1970; nullopt: it is no time.
std::optional<std::int64_t> time_ms(std::string_view text, std::int64_t now);

// How many letters have to be put in, taken out or replaced to get from one to the other.
std::size_t edit_distance(std::string_view a, std::string_view b);

// The one of `known` that is nearest to `word`; empty if none is near enough to be meant.
std::string_view nearest(std::string_view word, std::span<const std::string_view> known);

}  // namespace skein
