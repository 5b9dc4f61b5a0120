#include "repl/terminal/key_help.h"

#include <algorithm>
#include <vector>

#include "repl/layout/width.h"

namespace skein::terminal {

namespace {

constexpr std::size_t side_by_side = 76;  // columns from which two rows fit beside each other
constexpr std::size_t widest_key = 18, widest_words = 20;

// One of its keys is enough to remember.
std::string one_key_of(const KeyMap& keys, const KeyRow& row) {
  if (row.action == Action::none) return std::string(row.chords);
  const std::string first = keys.first_shown(row.action);
  return first.empty() ? "-" : first;
}

std::string in_full(const KeyMap& keys, const layout::TerminalStyle& look) {
  std::string out;
  for (const KeyRow& row : key_rows())
    out += look.labels
               ? keys.shown(row) + ": " + std::string(row.words) + "\n"
               : "  " + layout::padded(keys.shown(row), 24) + "  " + std::string(row.words) + "\n";
  return out;
}

}  // namespace

std::string key_help(const KeyMap& keys, std::size_t width, const layout::TerminalStyle& look) {
  if (look.labels || width == 0) return in_full(keys, look);
  std::size_t names = 0;
  for (const KeyRow& row : key_rows())
    names = std::max(names, layout::display_width(one_key_of(keys, row)));
  names = std::min(names, widest_key);
  const std::size_t columns = width >= side_by_side ? 2 : 1;
  const std::size_t cell =
      std::min((width - std::min<std::size_t>(width, 2)) / columns, names + 2 + widest_words + 4);
  const auto drawn = [&](const KeyRow& row, bool last) {
    const std::string key = layout::padded(layout::fit(one_key_of(keys, row), names), names) + "  ";
    const std::size_t room = cell - std::min(cell, names + 2);
    std::string words = layout::fit(row.brief, last ? room : room - 1);
    if (!last) words = layout::padded(std::move(words), room);
    return painted(key, layout::style::code, look) + words;
  };
  const std::span<const KeyRow> rows = key_rows();
  const std::size_t height = (rows.size() + columns - 1) / columns;
  std::string out;
  for (std::size_t i = 0; i < height; ++i) {
    const bool alone = columns == 1 || i + height >= rows.size();
    out += "  " + drawn(rows[i], alone) + (alone ? "" : drawn(rows[i + height], true)) + "\n";
  }
  return out + painted("  /help keys says more of each", layout::style::dim, look) + "\n";
}

}  // namespace skein::terminal
