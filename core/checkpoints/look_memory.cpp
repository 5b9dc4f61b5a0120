#include "core/checkpoints/look_memory.h"

#include <charconv>
#include <string_view>
#include <system_error>

#include "core/text/sha256.h"
#include "core/text/small_file.h"

namespace skein::checkpoints {

namespace {

constexpr std::string_view opening = "skein looks 1 ";
constexpr std::size_t hash_digits = 64;
constexpr std::size_t most_bytes = 16u << 20;

// The number in front of the next blank, which goes with it.
template <class Number>
bool take_number(std::string_view& text, Number& out) {
  const auto [stopped, failed] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (failed != std::errc{} || stopped == text.data() + text.size() || *stopped != ' ')
    return false;
  text.remove_prefix(static_cast<std::size_t>(stopped - text.data()) + 1);
  return true;
}

// device inode changed size hash path, ended by a zero byte: a path may hold anything else.
bool take_row(std::string_view row, LookedAtFiles& out) {
  LookedAt look;
  look.stamp.fresh = false;
  if (!take_number(row, look.stamp.id.device) || !take_number(row, look.stamp.id.inode) ||
      !take_number(row, look.stamp.changed_ns) || !take_number(row, look.size))
    return false;
  if (row.size() < hash_digits + 2 || row[hash_digits] != ' ') return false;
  look.hash = row.substr(0, hash_digits);
  out.insert_or_assign(std::string(row.substr(hash_digits + 1)), std::move(look));
  return true;
}

}  // namespace

LookedAtFiles load_looks(const std::string& file) {
  LookedAtFiles out;
  const std::string text = file.empty() ? "" : read_small_file(file, most_bytes);
  if (!text.starts_with(opening)) return out;
  std::string_view rest = std::string_view(text).substr(opening.size());
  if (rest.size() <= hash_digits ||
      sha256_hex(rest.substr(hash_digits)) != rest.substr(0, hash_digits))
    return out;
  rest.remove_prefix(hash_digits);
  while (!rest.empty()) {
    const std::size_t end = rest.find('\0');
    if (end == std::string_view::npos || !take_row(rest.substr(0, end), out)) return {};
    rest.remove_prefix(end + 1);
  }
  return out;
}

void save_looks(const std::string& file, const LookedAtFiles& looks) {
  if (file.empty()) return;
  std::string rows;
  for (const auto& [path, look] : looks) {
    if (look.stamp.fresh) continue;
    for (const std::string& number :
         {std::to_string(look.stamp.id.device), std::to_string(look.stamp.id.inode),
          std::to_string(look.stamp.changed_ns), std::to_string(look.size)})
      rows += number + ' ';
    rows += look.hash + ' ' + path + '\0';
    if (rows.size() > most_bytes - 1024) return;
  }
  replace_small_file(file, std::string(opening) + sha256_hex(rows) + rows);
}

}  // namespace skein::checkpoints
