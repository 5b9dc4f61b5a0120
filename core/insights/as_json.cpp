#include "core/insights/as_json.h"

#include <cmath>

#include "core/text/json.h"

namespace skein::insights {

namespace {

template <class Value>
Json or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json();
}

// Without digits that mean nothing.
Json rounded(const std::optional<double>& value, double steps) {
  return value ? Json(std::round(*value * steps) / steps) : Json();
}

Json tally_json(const Tally& tally) {
  const model::Usage& usage = tally.usage;
  const bool whole = tally.unpriced == 0 && !tally.at_least;
  Json out = {{"sessions", tally.sessions},
              {"prompts", tally.prompts},
              {"calls", tally.calls},
              {"summaries", tally.summaries},
              {"tokens",
               {{"input", usage.input},
                {"output", usage.output},
                {"cache_read", usage.cache_read},
                {"cache_write", usage.cache_write},
                {"reasoning", usage.reasoning}}},
              {"cache_share", rounded(cache_share(tally), 1e4)},
              {"cost_usd", tally.priced > 0 && whole ? Json(tally.dollars) : Json()}};
  if (tally.priced > 0 && !whole) out["cost_usd_at_least"] = tally.dollars;
  out["calls_without_price"] = tally.unpriced;
  out["duration_ms"] = tally.duration_ms;
  out["first_token_ms"] = or_null(median_first_token_ms(tally));
  out["tokens_per_second"] = rounded(tokens_per_second(tally), 10);
  return out;
}

Json groups_json(const Insights& insights, By by) {
  Json out = Json::array();
  for (const Group& group : groups_of(insights, by)) {
    Json one = {{std::string(name(by)), std::string(group.name)}};
    one.update(tally_json(*group.tally));
    out.push_back(std::move(one));
  }
  return out;
}

Json tool_json(const ToolTally& tally) {
  return {{"calls", tally.calls}, {"failures", tally.failures}, {"refusals", tally.refusals}};
}

Json tools_json(const Insights& insights) {
  Json out = Json::array();
  for (const ToolGroup& group : tools_of(insights)) {
    Json one = {{"tool", std::string(group.name)}};
    one.update(tool_json(*group.tally));
    out.push_back(std::move(one));
  }
  return out;
}

}  // namespace

JsonText as_json(const Insights& insights, By by, std::int64_t now_ms) {
  Json out = {{"since", insights.since.empty() ? Json() : Json(insights.since)}};
  out.update(tally_json(insights.all));
  const Streaks streaks = streaks_of(insights, now_ms);
  out["streak_days"] = {{"longest", streaks.longest}, {"current", streaks.current}};
  out["tool_calls"] = tool_json(all_tools(insights));
  out["models"] = groups_json(insights, By::model);
  out["tools"] = tools_json(insights);
  if (by == By::day) out["days"] = groups_json(insights, by);
  if (by == By::week) out["weeks"] = groups_json(insights, by);
  if (by == By::project) out["projects"] = groups_json(insights, by);
  out["unread"] = insights.unread;
  return dump(out);
}

}  // namespace skein::insights
