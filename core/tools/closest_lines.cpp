#include "core/tools/closest_lines.h"

#include <algorithm>
#include <bitset>
#include <vector>

#include "core/text/base.h"
#include "core/text/text.h"

namespace skein::tools {

namespace {

constexpr std::size_t most_lines = 100'000;
constexpr std::size_t longest_shown_line = 500;
constexpr std::size_t most_shown = 12;

std::string squeezed(std::string_view line) {
  std::string out;
  for (const char c : line.substr(0, longest_shown_line))
    if (c != ' ' && c != '\t' && c != '\r') out += c;
  return out;
}

// Which pairs of neighbouring bytes a line holds, folded into a small set.
using Pairs = std::bitset<1024>;
Pairs pairs_of(std::string_view line) {
  Pairs pairs;
  for (std::size_t i = 0; i + 1 < line.size(); ++i)
    pairs.set(
        (static_cast<unsigned char>(line[i]) * 31u + static_cast<unsigned char>(line[i + 1])) %
        pairs.size());
  return pairs;
}

// 0 … 1: how much two lines have in common.
double likeness(const Pairs& a, const Pairs& b) {
  const double sum = static_cast<double>(a.count() + b.count());
  return sum == 0 ? 0 : 2 * static_cast<double>((a & b).count()) / sum;
}

std::string shown(const std::vector<std::string_view>& lines, std::size_t first,
                  std::size_t count) {
  std::string out;
  const std::size_t end = std::min(first + std::min(count, most_shown), lines.size());
  for (std::size_t i = first; i < end; ++i)
    out += std::string(utf8_prefix(lines[i], longest_shown_line)) + "\n";
  return valid_utf8(out);
}

std::string at_line(std::size_t index) { return "line " + std::to_string(index + 1); }

}  // namespace

std::string nearest_lines(std::string_view text, std::string_view wanted) {
  std::vector<std::string_view> lines = split(text, '\n');
  std::vector<std::string> targets;
  for (const auto line : split(wanted, '\n')) targets.push_back(squeezed(line));
  if (lines.size() > most_lines) lines.resize(most_lines);
  if (targets.empty() || lines.size() < targets.size()) return "";
  std::vector<std::string> squeezed_lines;
  for (const auto line : lines) squeezed_lines.push_back(squeezed(line));

  const auto same = std::ranges::search(squeezed_lines, targets);
  if (!same.empty()) {
    const auto first = static_cast<std::size_t>(same.begin() - squeezed_lines.begin());
    const bool returns = lines[first].ends_with('\r') && wanted.find('\r') == std::string::npos;
    return "it differs only in white space from " + at_line(first) +
           (returns ? " (the file's lines end in CRLF)" : "") + ":\n" +
           shown(lines, first, targets.size());
  }

  // The first line of substance decides where to look.
  const auto anchor =
      std::ranges::find_if(targets, [](const std::string& line) { return line.size() > 2; });
  if (anchor == targets.end()) return "";
  const Pairs wanted_pairs = pairs_of(*anchor);
  double best = 0.5;
  std::size_t found = lines.size();
  for (std::size_t i = 0; i < lines.size(); ++i)
    if (const double like = likeness(pairs_of(squeezed_lines[i]), wanted_pairs); like > best)
      best = like, found = i;
  if (found == lines.size()) return "";
  const auto before = static_cast<std::size_t>(anchor - targets.begin());
  const std::size_t first = found - std::min(found, before);
  return "the nearest is at " + at_line(first) + ":\n" + shown(lines, first, targets.size());
}

}  // namespace skein::tools
