#include "repl/session_rows.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "repl/harmless.h"
#include "repl/width.h"

namespace skein {

std::string age(std::string_view timestamp) {
  const auto then = ms_from_utc(timestamp);
  if (!then) return "-";
  const std::int64_t seconds = std::max<std::int64_t>(0, (now_ms() - *then) / 1000);
  if (seconds < 60) return "now";
  if (seconds < 3600) return std::to_string(seconds / 60) + " min";
  if (seconds < 86'400) return std::to_string(seconds / 3600) + " h";
  return std::to_string(seconds / 86'400) + " days";
}

std::string short_count(std::int64_t number) {
  if (number < 1000) return std::to_string(number);
  const bool millions = number >= 1'000'000;
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f%c",
                static_cast<double>(number) / (millions ? 1e6 : 1e3), millions ? 'M' : 'k');
  return text.data();
}

std::vector<std::string> session_rows(const std::vector<SessionRecord>& sessions) {
  constexpr std::size_t columns = 5;
  using Cells = std::array<std::string, columns>;
  std::array<std::size_t, columns> widths{};
  std::vector<Cells> table;
  for (const SessionRecord& record : sessions) {
    const SessionState& state = record.state;
    const Usage usage = total_usage(state);
    const std::int64_t tokens = usage.input + usage.output;
    table.push_back(
        {record.key, age(state.updated_at.empty() ? record.header.created_at : state.updated_at),
         std::to_string(state.messages) + " turns",
         state.leaves.size() > 1 ? std::to_string(state.leaves.size()) + " branches" : "",
         tokens > 0 ? short_count(tokens) + " tokens" : ""});
    for (std::size_t i = 0; i < columns; ++i)
      widths[i] = std::max(widths[i], table.back()[i].size());
  }
  std::vector<std::string> out;
  for (std::size_t row = 0; row < table.size(); ++row) {
    std::string line;
    for (std::size_t i = 0; i < columns; ++i)
      if (widths[i] > 0) line += padded(table[row][i], widths[i]) + "  ";
    out.push_back(line + sessions[row].state.title);
  }
  return out;
}

}  // namespace skein
