#include "core/insights/tally.h"

#include "core/text/text.h"

namespace skein::insights {

namespace {

constexpr std::string_view by_names[] = {"overview", "day", "week", "model", "project", "tool"};

std::optional<std::int64_t> day_number(const std::string& day) {
  const std::optional<std::int64_t> ms = ms_from_utc(day + "T00:00:00.000Z");
  return ms ? std::optional(*ms / day_ms) : std::nullopt;
}

}  // namespace

std::int64_t tokens_of(const Tally& tally) {
  return model::whole_input(tally.usage) + tally.usage.output;
}

std::optional<By> parse_by(std::string_view name) {
  const auto* const found = std::ranges::find(by_names, name);
  if (found == std::end(by_names)) return std::nullopt;
  return static_cast<By>(found - std::begin(by_names));
}

std::string_view name(By by) { return by_names[static_cast<std::size_t>(by)]; }

std::vector<Group> groups_of(const Insights& insights, By by) {
  const std::map<std::string, Tally>& from = by == By::day     ? insights.days
                                             : by == By::week  ? insights.weeks
                                             : by == By::model ? insights.models
                                                               : insights.projects;
  std::vector<Group> out;
  for (const auto& [name, tally] : from) out.push_back({name, &tally});
  if (by == By::model || by == By::project)
    std::ranges::stable_sort(out, std::greater{},
                             [](const Group& group) { return tokens_of(*group.tally); });
  return out;
}

std::vector<ToolGroup> tools_of(const Insights& insights) {
  std::vector<ToolGroup> out;
  for (const auto& [name, tally] : insights.tools) out.push_back({name, &tally});
  std::ranges::stable_sort(out, std::greater{},
                           [](const ToolGroup& group) { return group.tally->calls; });
  return out;
}

ToolTally all_tools(const Insights& insights) {
  ToolTally out;
  for (const auto& [name, tally] : insights.tools) {
    out.calls += tally.calls;
    out.failures += tally.failures;
    out.refusals += tally.refusals;
  }
  return out;
}

std::optional<std::int64_t> median_first_token_ms(const Tally& tally) {
  if (tally.first_token_ms.empty()) return std::nullopt;
  std::vector<std::int32_t> all = tally.first_token_ms;
  const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
  std::ranges::nth_element(all, middle);
  return *middle;
}

std::optional<double> tokens_per_second(const Tally& tally) {
  if (tally.timed_ms <= 0 || tally.timed_tokens <= 0) return std::nullopt;
  return 1000.0 * static_cast<double>(tally.timed_tokens) / static_cast<double>(tally.timed_ms);
}

std::optional<double> cache_share(const Tally& tally) {
  const std::int64_t sent = model::whole_input(tally.usage);
  if (sent <= 0) return std::nullopt;
  return static_cast<double>(tally.usage.cache_read) / static_cast<double>(sent);
}

void CostSum::add(const std::optional<Cost>& cost) {
  ++(cost ? priced : unpriced);
  if (!cost) return;
  dollars += cost->dollars;
  at_least = at_least || cost->at_least;
}

std::string cost_text(const CostSum& sum) {
  if (sum.priced == 0) return sum.unpriced > 0 ? "unknown" : "-";
  const bool more = sum.at_least || sum.unpriced > 0;
  return (more ? "at least " : "") + dollars(sum.dollars);
}

Streaks streaks_of(const Insights& insights, std::int64_t now_ms) {
  Streaks out;
  std::int64_t length = 0, before = -2;
  for (const auto& [name, tally] : insights.days) {
    const std::optional<std::int64_t> day = day_number(name);
    if (!day || tally.prompts == 0) continue;
    length = *day == before + 1 ? length + 1 : 1;
    before = *day;
    out.longest = std::max(out.longest, length);
  }
  if (before >= now_ms / day_ms - 1) out.current = length;
  return out;
}

std::vector<Day> calendar_of(const Insights& insights, std::size_t most) {
  std::vector<Day> out;
  if (insights.days.empty()) return out;
  const std::optional<std::int64_t> last = day_number(insights.days.rbegin()->first);
  std::optional<std::int64_t> first = day_number(insights.days.begin()->first);
  if (!first || !last) return out;
  first = std::max(*first, *last - static_cast<std::int64_t>(most) + 1);
  for (std::int64_t day = *first; day <= *last; ++day) {
    Day one{utc_from_ms(day * day_ms).substr(0, 10), nullptr};
    if (const auto found = insights.days.find(one.name); found != insights.days.end())
      one.tally = &found->second;
    out.push_back(std::move(one));
  }
  return out;
}

}  // namespace skein::insights
