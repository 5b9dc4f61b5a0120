#include "core/insights/report.h"

#include "core/text/encoding.h"
#include "core/text/json.h"
#include "core/text/text.h"

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

// Adds to `out` what is known of the cost: all of it, or at least how much.
void put_cost(Json& out, const CostSum& sum) {
  const bool whole = sum.unpriced == 0 && !sum.at_least;
  out["cost_usd"] = sum.priced > 0 && whole ? Json(sum.dollars) : Json();
  if (sum.priced > 0 && !whole) out["cost_usd_at_least"] = sum.dollars;
}

Json tally_json(const Tally& tally) {
  const model::Usage& usage = tally.usage;
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
              {"cache_share", rounded(cache_share(tally), 1e4)}};
  put_cost(out, tally);
  out["calls_without_price"] = tally.unpriced;
  out["duration_ms"] = tally.duration_ms;
  out["first_token_ms"] = or_null(median_first_token_ms(tally));
  out["tokens_per_second"] = rounded(tokens_per_second(tally), 10);
  return out;
}

Json tool_json(const ToolTally& tally) {
  return {{"calls", tally.calls}, {"failures", tally.failures}, {"refusals", tally.refusals}};
}

Json misses_json(const Misses& misses) {
  Json out = Json::array();
  for (const auto& [cause, tally] : misses) {
    out.push_back({{"cause", name(cause)}, {"answers", tally.answers}, {"tokens", tally.tokens}});
    put_cost(out.back(), tally);
  }
  return out;
}

// Every group with its name as `member`, and what was counted of it.
Json groups_json(const auto& groups, std::string_view member, const auto& json_of) {
  Json out = Json::array();
  for (const auto& group : groups) {
    Json one = {{std::string(member), std::string(group.name)}};
    one.update(json_of(*group.tally));
    out.push_back(std::move(one));
  }
  return out;
}

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", value);
  return text;
}

constexpr double width = 720, height = 120, label_room = 16, widest_step = 90;

std::string escaped_html(std::string_view text) { return html_escaped(text, "\n", ""); }

// One bar of a row in a table, of `share` of its room.
std::string share_bar(double share) {
  const double wide = std::clamp(share, 0.0, 1.0) * 100;
  return "<svg class=\"share\" viewBox=\"0 0 100 8\" preserveAspectRatio=\"none\"><rect x=\"0\" "
         "y=\"0\" height=\"8\" width=\"" +
         number(wide) + "\"/></svg>";
}

constexpr std::size_t most_days = 180, most_rows = 40;

constexpr std::string_view style = R"(
:root{color-scheme:light dark;--ink:#1c1e21;--page:#fff;--quiet:#667;--line:#d8dbe0;--bar:#3a6ea5}
@media(prefers-color-scheme:dark){:root{--ink:#e4e6ea;--page:#16181b;--quiet:#99a0aa;--line:#33373d;--bar:#6fa8dc}}
body{font:15px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--page);max-width:50rem;margin:2rem auto;padding:0 1rem}
h1{font-size:1.5rem}h2{font-size:1.1rem;margin-top:2rem}
.facts{display:flex;flex-wrap:wrap;gap:1.5rem}.facts div{min-width:6rem}.facts b{display:block;font-size:1.4rem}
.facts span,.note{color:var(--quiet)}
table{border-collapse:collapse;width:100%}td,th{padding:.25rem .5rem;text-align:right;border-bottom:1px solid var(--line)}
td:first-child,th:first-child{text-align:left;word-break:break-all}
svg{width:100%;display:block}svg rect{fill:var(--bar)}svg text{fill:var(--quiet);font-size:11px}
svg.share{width:6rem;height:.5rem;display:inline-block}
)";

std::string fact(const std::string& value, std::string_view name) {
  return "<div><b>" + escaped_html(value) + "</b><span>" + escaped_html(name) + "</span></div>";
}

std::string row(const std::vector<std::string>& cells, const char* tag = "td") {
  std::string out = "<tr>";
  for (const std::string& cell : cells)
    out += std::string("<") + tag + ">" + cell + "</" + tag + ">";
  return out + "</tr>\n";
}

std::string share_text(const Tally& tally) {
  return percent(tally.usage.cache_read, model::whole_input(tally.usage));
}

std::string groups_table(const Insights& insights, By by, std::string_view title) {
  const std::vector<Group> groups = groups_of(insights, by);
  if (groups.empty()) return {};
  std::int64_t most = 1;
  for (const Group& group : groups) most = std::max(most, tokens_of(*group.tally));
  std::string out = "<h2>" + escaped_html(title) + "</h2>\n<table>" +
                    row({std::string(name(by)), "", "calls", "in", "cached", "out", "first word",
                         "tokens/s", "cost"},
                        "th");
  for (const Group& group : groups) {
    if (&group - groups.data() == static_cast<std::ptrdiff_t>(most_rows)) break;
    const Tally& tally = *group.tally;
    const auto first = median_first_token_ms(tally);
    const auto speed = tokens_per_second(tally);
    out += row({escaped_html(group.name),
                share_bar(static_cast<double>(tokens_of(tally)) / static_cast<double>(most)),
                std::to_string(tally.calls), short_count(model::whole_input(tally.usage)),
                share_text(tally), short_count(tally.usage.output),
                first ? short_duration(*first) : "-",
                speed ? std::to_string(std::lround(*speed)) : "-", escaped_html(cost_text(tally))});
  }
  out += "</table>\n";
  if (groups.size() > most_rows)
    out += "<p class=\"note\">and " + std::to_string(groups.size() - most_rows) + " more</p>\n";
  return out;
}

std::string tools_table(const Insights& insights) {
  const std::vector<ToolGroup> tools = tools_of(insights);
  if (tools.empty()) return {};
  const auto most = static_cast<double>(std::max<std::int64_t>(1, tools.front().tally->calls));
  std::string out =
      "<h2>Tools</h2>\n<table>" + row({"tool", "", "calls", "failed", "refused by you"}, "th");
  for (const ToolGroup& tool : tools)
    out += row({escaped_html(tool.name), share_bar(static_cast<double>(tool.tally->calls) / most),
                std::to_string(tool.tally->calls), std::to_string(tool.tally->failures),
                std::to_string(tool.tally->refusals)});
  return out + "</table>\n";
}

// Bars next to each other, one for each day, with a title of their own and the first and the last
// day below.
std::string chart(const std::vector<Day>& days, std::string_view title,
                  const std::function<double(const Tally&)>& value,
                  const std::function<std::string(const Tally&)>& words) {
  const auto value_of = [&](const Day& day) { return day.tally ? value(*day.tally) : 0; };
  double most = 0;
  for (const Day& day : days) most = std::max(most, value_of(day));
  const double step = std::min(widest_step, width / static_cast<double>(days.size()));
  std::string out = "<h2>" + escaped_html(title) + "</h2>\n<svg role=\"img\" viewBox=\"0 0 " +
                    number(width) + " " + number(height + label_room) + "\">";
  double x = 0;
  for (const Day& day : days) {
    // What is there at all can be seen.
    const double its = value_of(day);
    const double tall = its <= 0 ? 0 : std::max(1.5, height * its / most);
    out += "<rect x=\"" + number(x + step * 0.1) + "\" y=\"" + number(height - tall) +
           "\" width=\"" + number(step * 0.8) + "\" height=\"" + number(tall) + "\"><title>" +
           escaped_html(day.name + ": " + (day.tally ? words(*day.tally) : "nothing")) +
           "</title></rect>";
    x += step;
  }
  const auto label = [&](const Day& day, const char* anchor, double at) {
    out += "<text x=\"" + number(at) + "\" y=\"" + number(height + label_room - 3) +
           "\" text-anchor=\"" + anchor + "\">" + escaped_html(day.name) + "</text>";
  };
  label(days.front(), "start", 0);
  label(days.back(), "end", x);
  return out + "</svg>\n";
}

std::string facts(const Insights& insights, std::int64_t now_ms) {
  const Tally& all = insights.all;
  const ToolTally tools = all_tools(insights);
  const auto count = [](std::int64_t number, std::string_view one, std::string_view many) {
    return fact(with_separators(static_cast<std::size_t>(std::max<std::int64_t>(0, number))),
                number == 1 ? one : many);
  };
  const std::int64_t days = streaks_of(insights, now_ms).longest;
  return "<div class=\"facts\">" + count(all.sessions, "session", "sessions") +
         count(all.prompts, "prompt", "prompts") + count(all.calls, "model call", "model calls") +
         fact(short_count(model::whole_input(all.usage)), "tokens in") +
         fact(share_text(all), "of them cached") +
         fact(short_count(all.usage.output), "tokens out") + fact(cost_text(all), "cost") +
         count(tools.calls, "tool call", "tool calls") + count(tools.failures, "failed", "failed") +
         count(tools.refusals, "refused by you", "refused by you") +
         (days > 1 ? count(days, "", "days in a row") : "") + "</div>\n";
}

}  // namespace

JsonText as_json(const Insights& insights, By by, std::int64_t now_ms) {
  Json out = {{"since", insights.since.empty() ? Json() : Json(insights.since)}};
  out.update(tally_json(insights.all));
  const Streaks streaks = streaks_of(insights, now_ms);
  out["streak_days"] = {{"longest", streaks.longest}, {"current", streaks.current}};
  out["tool_calls"] = tool_json(all_tools(insights));
  out["models"] = groups_json(groups_of(insights, By::model), "model", tally_json);
  out["tools"] = groups_json(tools_of(insights), "tool", tool_json);
  out["cache_misses"] = misses_json(insights.misses);
  if (by == By::day || by == By::week || by == By::project)
    out[std::string(name(by)) + "s"] = groups_json(groups_of(insights, by), name(by), tally_json);
  out["unread"] = insights.unread;
  return dump(out);
}

std::string as_html(const Insights& insights, std::int64_t now_ms) {
  const std::vector<Day> days = calendar_of(insights, most_days);
  const std::string when =
      insights.since.empty() ? "all time" : "since " + insights.since.substr(0, 10);
  std::string out =
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
      "'unsafe-inline'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
      "<title>skein insights</title><style>" +
      std::string(style) + "</style></head><body>\n<h1>skein insights</h1>\n<p class=\"note\">" +
      escaped_html(when) + ", written " + utc_from_ms(now_ms).substr(0, 10) +
      "; days are in UTC; each answer counts once</p>\n";
  out += facts(insights, now_ms);
  if (days.size() > 1) {  // the sums are those of a single day
    out += chart(
        days, "Tokens a day",
        [](const Tally& tally) { return static_cast<double>(tokens_of(tally)); },
        [](const Tally& tally) { return short_count(tokens_of(tally)) + " tokens"; });
    out += chart(
        days, "Prompts a day",
        [](const Tally& tally) { return static_cast<double>(tally.prompts); },
        [](const Tally& tally) {
          return counted(static_cast<std::size_t>(tally.prompts), "prompt");
        });
    if (insights.all.dollars > 0)
      out += chart(
          days, "Dollars a day", [](const Tally& tally) { return tally.dollars; }, cost_text);
  }
  out += groups_table(insights, By::model, "Models");
  out += tools_table(insights);
  out += groups_table(insights, By::project, "Projects");
  for (const std::string& each : insights.unread)
    out += "<p class=\"note\">not counted: " + escaped_html(each) + "</p>\n";
  return out + "</body></html>\n";
}

}  // namespace skein::insights
