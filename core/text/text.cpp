#include "core/text/text.h"

#include "core/text/base.h"

namespace skein {

std::string listed(std::span<const std::string> words, std::size_t most) {
  if (words.size() <= most) return listed(words);
  return listed(words.first(most)) + " and " + std::to_string(words.size() - most) + " more";
}

std::string fenced(std::string_view text, std::string_view language) {
  std::size_t longest = 2, run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(longest + 1, '`');
  const std::string end = text.empty() || text.ends_with('\n') ? "" : "\n";
  return fence + std::string(language) + "\n" + std::string(text) + end + fence + "\n";
}

std::string escaped_line(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\' || c == '\n') out += '\\';
    out += c == '\n' ? 'n' : c;
  }
  return out;
}

std::string_view take_piece(std::string_view& rest, char separator) {
  const std::string_view piece = rest.substr(0, rest.find(separator));
  rest.remove_prefix(std::min(piece.size() + 1, rest.size()));
  return piece;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> pieces;
  while (!text.empty()) pieces.push_back(take_piece(text, separator));
  return pieces;
}

std::pair<std::string_view, std::string_view> first_word(std::string_view text) {
  const std::string_view word = take_piece(text, ' ');
  return {word, text};
}

std::string unix_lines(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (!text.substr(i).starts_with("\r\n")) out += text[i];
  return out;
}

// Tables of programs are searched with it for every command, so it makes no list of the words.
bool has_word(std::string_view list, std::string_view word) {
  if (word.empty() || word.find(' ') != word.npos) return false;
  for (std::size_t at = list.find(word); at != list.npos; at = list.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || list[at - 1] == ' ') && (end == list.size() || list[end] == ' ')) return true;
  }
  return false;
}

std::string user_home() { return env_path("HOME"); }

std::string with_user_home(std::string_view path) {
  if (path != "~" && !path.starts_with("~/")) return std::string(path);
  const std::string home = user_home();
  return home.empty() ? home : home + std::string(path.substr(1));
}

std::string temporary_folder() {
  const std::string chosen = env_path("TMPDIR");
  return chosen.empty() ? "/tmp" : chosen;
}

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

bool is_uuid(std::string_view text) {
  if (text.size() != 36) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (dash ? text[i] != '-' : !is_hex_digit(text[i])) return false;
  }
  return true;
}

std::optional<std::int64_t> duration_ms(std::string_view text) {
  constexpr std::int64_t hour = 60 * 60 * 1000;
  constexpr std::pair<char, std::int64_t> units[] = {
      {'h', hour}, {'d', 24 * hour}, {'w', 7 * 24 * hour}};
  const auto count =
      text.empty() ? std::nullopt : parse_number<std::int64_t>(text.substr(0, text.size() - 1));
  for (const auto& [unit, ms] : units)
    if (count > 0 && count < 100'000 && text.ends_with(unit)) return *count * ms;
  return std::nullopt;
}

std::optional<std::int64_t> time_ms(std::string_view text, std::int64_t now) {
  if (const auto ago = duration_ms(text)) return now - *ago;
  std::string whole(text);
  if (whole.size() == 10) whole += "T00:00:00.000Z";
  return ms_from_utc(whole);
}

// Levenshtein's distance, two letters that changed places counted once; three rows at a time.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> above(b.size() + 1), row(b.size() + 1), below(b.size() + 1);
  std::iota(row.begin(), row.end(), 0u);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    below[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      below[j] =
          std::min({row[j] + 1, below[j - 1] + 1, row[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        below[j] = std::min(below[j], above[j - 2] + 1);
    }
    std::swap(above, row);
    std::swap(row, below);
  }
  return row.back();
}

std::string_view nearest(std::string_view word, std::span<const std::string_view> known) {
  // People misspell at most a third of a word, and its length is off by less than that.
  const std::size_t limit = std::max<std::size_t>(1, word.size() / 3);
  std::string_view best;
  std::size_t least = limit + 1;
  for (const std::string_view each : known) {
    if (each.size() > word.size() + limit || word.size() > each.size() + limit) continue;
    if (const std::size_t away = edit_distance(word, each); away < least) {
      least = away;
      best = each;
    }
  }
  return best;
}

}  // namespace skein
