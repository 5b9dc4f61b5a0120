#include "core/insights/as_html.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "core/insights/svg.h"
#include "core/text/amounts.h"
#include "core/text/base.h"

namespace skein::insights {

namespace {

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

std::string chart(const std::vector<Day>& days, std::string_view title,
                  const std::function<double(const Tally&)>& value,
                  const std::function<std::string(const Tally&)>& told) {
  std::vector<Bar> bars;
  for (const Day& day : days)
    bars.push_back({day.name + ": " + (day.tally ? told(*day.tally) : "nothing"),
                    day.tally ? value(*day.tally) : 0});
  return "<h2>" + escaped_html(title) + "</h2>\n" + bar_chart(bars) + "\n";
}

std::string facts(const Insights& insights, std::int64_t now_ms) {
  const Tally& all = insights.all;
  const ToolTally tools = all_tools(insights);
  const auto count = [](std::int64_t number) {
    return with_separators(static_cast<std::size_t>(std::max<std::int64_t>(0, number)));
  };
  return "<div class=\"facts\">" + fact(count(all.sessions), "sessions") +
         fact(count(all.prompts), "prompts") + fact(count(all.calls), "model calls") +
         fact(short_count(model::whole_input(all.usage)), "tokens in") +
         fact(share_text(all), "of them cached") +
         fact(short_count(all.usage.output), "tokens out") + fact(cost_text(all), "cost") +
         fact(count(tools.calls), "tool calls") + fact(count(tools.failures), "failed") +
         fact(count(tools.refusals), "refused by you") +
         fact(count(streaks_of(insights, now_ms).longest), "days in a row") + "</div>\n";
}

}  // namespace

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
  if (!days.empty()) {
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
