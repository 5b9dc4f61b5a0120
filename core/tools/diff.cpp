#include "core/tools/diff.h"

#include <algorithm>
#include <cstdint>

#include "core/text/base.h"

namespace skein::tools {

namespace {

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

struct Step {
  Change change;
  std::string_view line;
};
using Steps = std::vector<Step>;

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
  std::vector<DiffLine> lines;
  for (const Step& step : script(before, after, max_changes)) {
    std::string_view text = step.line;
    if (text.ends_with('\n')) text.remove_suffix(1);
    lines.push_back({step.change, text});
  }
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
      const Step& step = steps[i];
      old_count += step.change != Change::added;
      new_count += step.change != Change::removed;
      body += step.change == Change::same ? ' ' : step.change == Change::added ? '+' : '-';
      body += step.line;
      if (!step.line.ends_with('\n')) body += "\n\\ No newline at end of file\n";
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

}  // namespace skein::tools
