#include "core/tools/diff.h"

#include <bitset>

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

using Lines = std::vector<std::string_view>;

// Each line keeps its line end here, so a last line without one differs from one with it.
Lines lines_of(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::size_t length = end == std::string_view::npos ? text.size() : end + 1;
    lines.push_back(text.substr(0, length));
    text.remove_prefix(length);
  }
  return lines;
}

using Steps = std::vector<DiffLine>;  // with their line ends

void whole(const Lines& before, const Lines& after, Steps& steps) {
  for (const auto line : before) steps.push_back({Change::removed, line});
  for (const auto line : after) steps.push_back({Change::added, line});
}

// Myers' greedy search: `reach[k]` is how far down diagonal k one gets with d changes. The rounds
// are kept (d + 1 numbers each, so d² / 2 in all) to walk the way back.
void shortest(const Lines& before, const Lines& after, std::size_t max_changes, Steps& steps) {
  const auto n = static_cast<std::int32_t>(before.size());
  const auto m = static_cast<std::int32_t>(after.size());
  const auto most = static_cast<std::int32_t>(std::min(before.size() + after.size(), max_changes));
  const auto index = [](std::int32_t d, std::int32_t k) {
    return static_cast<std::size_t>((k + d) / 2);
  };
  std::vector<std::vector<std::int32_t>> rounds;
  const auto goes_down = [&](std::int32_t d, std::int32_t k) {
    if (k == -d) return true;
    if (k == d) return false;
    const auto& last = rounds[static_cast<std::size_t>(d - 1)];
    return last[index(d - 1, k - 1)] < last[index(d - 1, k + 1)];
  };
  const auto start = [&](std::int32_t d, std::int32_t k) {
    if (d == 0) return 0;
    const auto& last = rounds[static_cast<std::size_t>(d - 1)];
    return goes_down(d, k) ? last[index(d - 1, k + 1)] : last[index(d - 1, k - 1)] + 1;
  };

  std::int32_t d = 0, k = 0;
  for (bool found = false; !found; ++d) {
    if (d > most) return whole(before, after, steps);
    rounds.emplace_back(static_cast<std::size_t>(d + 1));
    for (k = -d; k <= d; k += 2) {
      std::int32_t x = start(d, k);
      // Off the grid: nothing to compare there, and nothing to gain.
      while (x >= 0 && x < n && x - k >= 0 && x - k < m &&
             before[static_cast<std::size_t>(x)] == after[static_cast<std::size_t>(x - k)])
        ++x;
      rounds.back()[index(d, k)] = x;
      if (x >= n && x - k >= m) {
        found = true;
        break;
      }
    }
  }

  Steps backwards;
  std::int32_t x = n;
  for (--d, k = n - m; d >= 0; --d) {
    const bool down = d > 0 && goes_down(d, k);
    for (const std::int32_t first = start(d, k); x > first; --x)
      backwards.push_back({Change::same, before[static_cast<std::size_t>(x - 1)]});
    if (d == 0) break;
    if (down) {
      backwards.push_back({Change::added, after[static_cast<std::size_t>(x - k - 1)]});
      ++k;
    } else {
      backwards.push_back({Change::removed, before[static_cast<std::size_t>(x - 1)]});
      --x, --k;
    }
  }
  steps.insert(steps.end(), backwards.rbegin(), backwards.rend());
}

Steps script(std::string_view before, std::string_view after, std::size_t max_changes) {
  Lines old_lines = lines_of(before), new_lines = lines_of(after);
  const auto shared = std::ranges::mismatch(old_lines, new_lines);
  const auto head = static_cast<std::size_t>(shared.in1 - old_lines.begin());
  std::size_t tail = 0;
  while (tail < std::min(old_lines.size(), new_lines.size()) - head &&
         old_lines[old_lines.size() - 1 - tail] == new_lines[new_lines.size() - 1 - tail])
    ++tail;

  Steps steps;
  for (std::size_t i = 0; i < head; ++i) steps.push_back({Change::same, old_lines[i]});
  const auto middle = [&](const Lines& lines) {
    return Lines(lines.begin() + static_cast<std::ptrdiff_t>(head),
                 lines.end() - static_cast<std::ptrdiff_t>(tail));
  };
  shortest(middle(old_lines), middle(new_lines), max_changes, steps);
  for (std::size_t i = old_lines.size() - tail; i < old_lines.size(); ++i)
    steps.push_back({Change::same, old_lines[i]});
  return steps;
}

std::string range(std::size_t first, std::size_t count) {
  // An empty range names the line before it.
  const std::string start = std::to_string(count == 0 ? first : first + 1);
  return count == 1 ? start : start + "," + std::to_string(count);
}

}  // namespace

std::vector<DiffLine> diff_lines(std::string_view before, std::string_view after,
                                 std::size_t max_changes) {
  Steps lines = script(before, after, max_changes);
  for (DiffLine& line : lines)
    if (line.text.ends_with('\n')) line.text.remove_suffix(1);
  return lines;
}

std::string unified_diff(std::string_view before, std::string_view after, std::string_view path,
                         std::size_t longest) {
  constexpr std::size_t context = 3;
  const Steps steps = script(before, after, 1000);
  const auto changed = [&](std::size_t i) { return steps[i].change != Change::same; };
  std::string out;
  std::size_t old_line = 0, new_line = 0;
  for (std::size_t at = 0; at < steps.size();) {
    std::size_t first = at;
    while (first < steps.size() && !changed(first)) ++first;
    if (first == steps.size()) break;
    const std::size_t begin = std::max(at, first - std::min(first, context));
    std::size_t end = first;  // one past the hunk's last change, then past its context
    for (std::size_t i = first; i < steps.size() && i < end + 2 * context + 1; ++i)
      if (changed(i)) end = i + 1;
    end = std::min(steps.size(), end + context);

    old_line += begin - at, new_line += begin - at;
    std::string body;
    std::size_t old_count = 0, new_count = 0;
    for (std::size_t i = begin; i < end; ++i) {
      const DiffLine& step = steps[i];
      old_count += step.change != Change::added;
      new_count += step.change != Change::removed;
      body += step.change == Change::same ? ' ' : step.change == Change::added ? '+' : '-';
      body += step.text;
      if (!step.text.ends_with('\n')) body += "\n\\ No newline at end of file\n";
    }
    out += "@@ -" + range(old_line, old_count) + " +" + range(new_line, new_count) + " @@\n" + body;
    old_line += old_count, new_line += new_count;
    at = end;
  }
  if (out.empty()) return "";
  if (out.size() > longest) {
    out.resize(out.rfind('\n', longest) + 1);
    out += "[… the rest of the diff is left out]\n";
  }
  return valid_utf8("--- a/" + std::string(path) + "\n+++ b/" + std::string(path) + "\n" + out);
}

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
