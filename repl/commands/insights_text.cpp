#include "repl/commands/insights_text.h"

#include <algorithm>
#include <cmath>

#include "core/text/amounts.h"
#include "core/text/base.h"
#include "repl/layout/sanitize.h"

namespace skein::commands {

using insights::By, insights::Day, insights::Group, insights::Insights, insights::Tally;
using insights::ToolGroup, insights::ToolTally;

namespace {

constexpr std::size_t most_days = 60, bar_width = 12, most_rows = 12;

std::size_t natural(std::int64_t number) {
  return static_cast<std::size_t>(std::max<std::int64_t>(0, number));
}

std::string sums(const Insights& found, std::int64_t now_ms) {
  const Tally& all = found.all;
  const insights::Streaks streaks = insights::streaks_of(found, now_ms);
  std::string out = (found.since.empty() ? "all time" : "since " + found.since.substr(0, 10)) +
                    ": " + counted(natural(all.sessions), "session") + " · " +
                    counted(natural(all.prompts), "prompt") + " · " +
                    counted(natural(all.calls), "model call");
  if (streaks.longest > 1)
    out += " · " + counted(natural(streaks.longest), "day") + " in a row" +
           (streaks.current == streaks.longest ? " up to now" : "");
  out += "\n" + short_count(model::whole_input(all.usage)) + " tokens in (" +
         percent(all.usage.cache_read, model::whole_input(all.usage)) + " cached) · " +
         short_count(all.usage.output) + " out · cost " + cost_text(all) + "\n";
  if (all.unpriced > 0)
    out += "the price of " + counted(natural(all.unpriced), "call") + " is not known\n";
  if (const ToolTally tools = insights::all_tools(found); tools.calls > 0)
    out += counted(natural(tools.calls), "tool call") + " · " +
           with_separators(natural(tools.failures)) + " failed · " +
           with_separators(natural(tools.refusals)) + " refused by you\n";
  return out;
}

// A screen reader would read it sign by sign.
std::string days_line(const Insights& found, std::size_t width) {
  const std::size_t beside = 40;
  const std::size_t room =
      width == 0 ? most_days : std::min(most_days, width > beside + 10 ? width - beside : 10);
  const std::vector<Day> days = insights::calendar_of(found, room);
  if (days.size() < 2) return {};
  std::vector<double> values;
  for (const Day& day : days)
    values.push_back(day.tally ? static_cast<double>(tokens_of(*day.tally)) : 0);
  return "tokens a day  " + days.front().name + " " + sparkline(values) + " " + days.back().name +
         "\n";
}

std::string shown(layout::Table table, const TextForm& form, std::size_t most) {
  if (table.rows.empty()) return {};
  const std::size_t more = most > 0 && table.rows.size() > most ? table.rows.size() - most : 0;
  table.rows.resize(table.rows.size() - more);
  return "\n" + layout::drawn(table, form.width, form.look) +
         (more > 0 ? "  and " + with_separators(more) + " more\n" : "");
}

}  // namespace

std::string sparkline(const std::vector<double>& values) {
  constexpr std::string_view steps[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  double most = 0;
  for (const double value : values) most = std::max(most, value);
  std::string out;
  for (const double value : values) {
    const double share = most > 0 ? std::clamp(value / most, 0.0, 1.0) : 0;
    // What is there at all differs from nothing.
    if (share <= 0)
      out += " ";
    else
      out += steps[static_cast<std::size_t>(std::ceil(share * 8)) - 1];
  }
  return out;
}

std::string share_of(double share, std::size_t width) {
  constexpr std::string_view parts[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const auto eighths = static_cast<std::size_t>(
      std::lround(std::clamp(share, 0.0, 1.0) * static_cast<double>(width) * 8));
  std::string out;
  for (std::size_t i = 0; i < eighths / 8; ++i) out += "█";
  out += parts[eighths % 8];
  return out.empty() && share > 0 ? "▏" : out;
}

layout::Table groups_table(const Insights& found, By by, bool bars) {
  // Prompts are put to no model but to whichever is set.
  const bool prompts = by != By::model;
  layout::Table table{.columns = {{insights::name(by)},
                                  {"calls", true},
                                  {"in", true},
                                  {"cached", true, true},
                                  {"out", true},
                                  {"first word", true, true},
                                  {"tokens/s", true, true},
                                  {"cost"}}};
  if (prompts) table.columns.insert(table.columns.begin() + 1, {"prompts", true, true});
  if (bars) table.columns.push_back({"", false, true});
  const std::vector<Group> groups = insights::groups_of(found, by);
  std::int64_t most = 1;
  for (const Group& group : groups) most = std::max(most, tokens_of(*group.tally));
  for (const Group& group : groups) {
    const Tally& tally = *group.tally;
    const auto first = insights::median_first_token_ms(tally);
    const auto speed = insights::tokens_per_second(tally);
    table.rows.push_back({std::string(group.name), with_separators(natural(tally.calls)),
                          short_count(model::whole_input(tally.usage)),
                          percent(tally.usage.cache_read, model::whole_input(tally.usage)),
                          short_count(tally.usage.output), first ? short_duration(*first) : "-",
                          speed ? std::to_string(std::lround(*speed)) : "-", cost_text(tally)});
    std::vector<std::string>& row = table.rows.back();
    if (prompts) row.insert(row.begin() + 1, with_separators(natural(tally.prompts)));
    if (bars)
      table.rows.back().push_back(
          share_of(static_cast<double>(tokens_of(tally)) / static_cast<double>(most), bar_width));
  }
  return table;
}

layout::Table tools_table(const Insights& found, bool bars) {
  layout::Table table{
      .columns = {{"tool"}, {"calls", true}, {"failed", true}, {"refused by you", true}}};
  if (bars) table.columns.push_back({"", false, true});
  const std::vector<ToolGroup> tools = insights::tools_of(found);
  for (const ToolGroup& tool : tools) {
    table.rows.push_back({std::string(tool.name), with_separators(natural(tool.tally->calls)),
                          with_separators(natural(tool.tally->failures)),
                          with_separators(natural(tool.tally->refusals))});
    const auto most = static_cast<double>(std::max<std::int64_t>(1, tools.front().tally->calls));
    if (bars)
      table.rows.back().push_back(
          share_of(static_cast<double>(tool.tally->calls) / most, bar_width));
  }
  return table;
}

std::string as_text(const Insights& found, const TextForm& form) {
  const bool bars = !form.look.labels;
  std::string out = sums(found, form.now_ms);
  if (bars) out += days_line(found, form.width);
  if (form.by == By::overview)
    out += shown(groups_table(found, By::model, bars), form, most_rows) +
           shown(tools_table(found, bars), form, most_rows);
  else if (form.by == By::tool)
    out += shown(tools_table(found, bars), form, 0);
  else
    out += shown(groups_table(found, form.by, bars), form, 0);
  for (const std::string& each : found.unread)
    out += layout::sanitized("not counted: " + each) + "\n";
  return out;
}

}  // namespace skein::commands
