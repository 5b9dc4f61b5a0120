// /usage and /compact: what the model costs; the picture of /context; /insights: usage of all
// sessions.
#include "repl/commands/usage.h"

#include "core/insights/collect.h"
#include "core/model/scrub.h"
#include "core/store/children.h"
#include "core/text/text.h"
#include "repl/commands/handlers.h"
#include "repl/layout/sanitize.h"
#include "repl/layout/width.h"
#include "repl/session/session.h"

namespace skein::commands {

namespace style = layout::style;
using layout::Colour, layout::Style, insights::By, insights::Day, insights::Group,
    insights::Insights, insights::Tally, insights::ToolGroup, insights::ToolTally;

namespace {

constexpr std::size_t widest_bar = 72, narrowest_bar = 10;

struct Part {
  std::string_view name;
  char sign;  // in a bar without colours
  std::string_view block;
  Style style;
  std::int64_t tokens = 0;
};

std::vector<Part> parts_of(const ContextFacts& facts) {
  const context::TokenBreakdown& filling = facts.filling;
  constexpr std::string_view full = "█", light = "░";
  std::vector<Part> out{{"system", '#', full, {.colour = Colour::blue}, filling.system},
                        {"tools", '%', full, {.colour = Colour::magenta}, filling.tools},
                        {"summary", '=', full, {.colour = Colour::yellow}, filling.summary},
                        {"messages", '*', full, {.colour = Colour::green}, filling.messages},
                        {"tool results", '+', full, {.colour = Colour::cyan}, filling.results}};
  if (facts.window > 0) {
    out.push_back(
        {"free", '.', light, style::dim, std::max<std::int64_t>(0, facts.room - filling.total())});
    out.push_back({"reserved for answer", '-', "▒", style::dim, facts.window - facts.room});
  }
  std::erase_if(out, [](const Part& part) { return part.tokens <= 0; });
  return out;
}

// How many of `cells` each part gets: in proportion, at least one, and all of them together.
std::vector<std::size_t> bar_cells(const std::vector<Part>& parts, std::size_t cells) {
  std::int64_t whole = 0;
  for (const Part& part : parts) whole += part.tokens;
  std::vector<std::size_t> out;
  std::size_t used = 0;
  for (const Part& part : parts) {
    const auto share = static_cast<std::size_t>(
        static_cast<double>(part.tokens) / static_cast<double>(whole) * static_cast<double>(cells));
    used += out.emplace_back(std::max<std::size_t>(1, share));
  }
  // What rounding leaves or takes is for the largest to bear, which shows it least.
  for (; used != cells && !out.empty(); used += used < cells ? 1 : std::size_t(-1)) {
    const auto largest = std::ranges::max_element(out);
    if (used > cells && *largest == 1) break;
    *largest += used < cells ? 1 : std::size_t(-1);
  }
  return out;
}

std::string_view sign_of(const Part& part, const layout::TerminalStyle& look) {
  return look.colour ? part.block : std::string_view(&part.sign, 1);
}

std::string bar(const std::vector<Part>& parts, std::size_t cells,
                const layout::TerminalStyle& look) {
  const std::vector<std::size_t> shares = bar_cells(parts, cells);
  std::string out;
  for (std::size_t i = 0; i < parts.size(); ++i)
    out += painted(layout::repeated(sign_of(parts[i], look), shares[i]), parts[i].style, look);
  return look.colour ? "  " + out : "  [" + out + "]";
}

std::string percent_of(std::int64_t tokens, std::int64_t whole) {
  const std::string text = percent(tokens, whole);
  return text == "0%" && tokens > 0 ? "<1%" : text;
}

std::string right(const std::string& text, std::size_t width) {
  return std::string(width - std::min(width, text.size()), ' ') + text;
}

std::string part_row(const Part& part, std::int64_t whole, const layout::TerminalStyle& look) {
  const std::string count = short_count(part.tokens), share = percent_of(part.tokens, whole);
  if (look.labels) return std::string(part.name) + ": " + count + " tokens, " + share + "\n";
  return "  " + painted(sign_of(part, look), part.style, look) + " " +
         layout::padded(std::string(part.name), 19) + right(count, 8) + right(share, 6) + "\n";
}

using Usages = std::map<std::string, model::Usage>;

layout::Table usage_table(std::string_view title) {
  return {
      .columns = {{title}, {"input", true}, {"cached", true, true}, {"output", true}, {"cost"}}};
}

// `all_counted`: nothing was used that is not known.
void add_row(Session& session, layout::Table& table, const std::string& name, const Usages& usage,
             bool all_counted = true) {
  model::Usage sum;
  for (const auto& [model, tokens] : usage) sum += tokens;
  const session::Cost cost = session::cost_of(session.services(), usage);
  const bool exact = all_counted && !cost.at_least;
  const std::int64_t input = model::whole_input(sum);
  table.rows.push_back({name, short_count(input), percent(sum.cache_read, input),
                        short_count(sum.output),
                        exact              ? dollars(cost.dollars)
                        : cost.dollars > 0 ? "at least " + dollars(cost.dollars)
                                           : "unknown"});
}

// The last prompts on this branch and what each of them cost.
std::vector<model::TurnCost> last_turns(Session& session, std::size_t count) {
  std::size_t prompts = 0;
  std::vector<model::Entry> path = session.conversation().path_until(
      [&](const model::Entry& entry) { return model::is_prompt(entry) && ++prompts == count; });
  for (model::Entry& entry : path)
    entry = model::masked(entry, session.conversation().state().redacted);
  return model::turns_of(path);
}

// What this session's answers should have read from caches and did not.
void show_misses(Session& session) {
  const insights::Misses misses = insights::misses_of(
      insights::uses_in(session.store(), session.id(), session.services().models->prices()));
  if (misses.empty()) return;
  session.screen().print("\n");
  session.screen().show(misses_table(misses));
  session.screen().print_untrusted("  skein usage " + session.conversation().record().key +
                                   " shows each answer\n");
}

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
           (streaks.current == streaks.longest ? " until now" : "");
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
  const std::size_t taken = 40;
  const std::size_t room =
      width == 0 ? most_days : std::min(most_days, width > taken + 10 ? width - taken : 10);
  const std::vector<Day> days = insights::calendar_of(found, room);
  if (days.size() < 2) return {};
  std::vector<double> values;
  for (const Day& day : days)
    values.push_back(day.tally ? static_cast<double>(tokens_of(*day.tally)) : 0);
  return "tokens per day  " + days.front().name + " " + sparkline(values) + " " + days.back().name +
         "\n";
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
      row.push_back(
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

std::string shown(layout::Table table, const TextForm& form, std::size_t most) {
  if (table.rows.empty()) return {};
  const std::size_t more = most > 0 && table.rows.size() > most ? table.rows.size() - most : 0;
  table.rows.resize(table.rows.size() - more);
  return "\n" + layout::drawn(table, form.width, form.look) +
         (more > 0 ? "  and " + with_separators(more) + " more\n" : "");
}

}  // namespace

std::string context_picture(const ContextFacts& facts, std::size_t width,
                            const layout::TerminalStyle& look) {
  const std::int64_t total = facts.filling.total();
  const std::int64_t whole = facts.window > 0 ? facts.window : total;
  const std::int64_t held = facts.counted > 0 ? facts.counted : total;
  std::string out = layout::sanitized_row(facts.model) + ": " +
                    (facts.counted > 0 ? "" : "about ") + short_count(held) +
                    (facts.window > 0 ? " of " + short_count(facts.window) : "") + " tokens" +
                    (facts.window > 0 ? ", " + percent_of(held, whole) : "") +
                    (facts.counted > 0 ? "; estimated by part:" : "") + "\n";
  const std::vector<Part> parts = parts_of(facts);
  if (!look.labels) {
    // Two columns to the left, as below it, and as many to the right.
    const std::size_t taken = look.colour ? 4 : 6;
    const std::size_t room = width == 0 ? widest_bar : width - std::min(width, taken);
    out += bar(parts, std::clamp(room, narrowest_bar, widest_bar), look) + "\n";
  }
  for (const Part& part : parts) out += part_row(part, whole, look);
  return out;
}

void tell_resend(Session& session) {
  constexpr std::int64_t least_tokens = 10'000;
  const std::optional<model::Usage> last = session.conversation().last_usage();
  if (!last || last->cache_read + last->cache_write == 0) return;
  const std::int64_t tokens = model::context_behind(*last);
  if (tokens < least_tokens) return;
  const auto cost = session.services().models->prices()(model::to_string(session.settings().model),
                                                        {.input = tokens});
  session.screen().note("the next request sends about " + short_count(tokens) +
                        " tokens that are not cached" +
                        (cost && cost->dollars > 0 ? ", for about " + dollars(cost->dollars) : ""));
}

void compact(Session& session, std::string_view focus) {
  tell_resend(session);  // the request for the summary is not cached
  session.compact(std::string(focus));
}

std::int64_t counted_context(Session& session) {
  const std::optional<model::Usage> last = session.conversation().last_usage();
  return last ? model::context_behind(*last) : 0;
}

void show_usage(Session& session, std::string_view) {
  constexpr std::size_t most_turns = 10;
  const model::SessionState& state = session.conversation().state();
  if (state.usage.empty()) {
    session.screen().print("no model has been used yet\n");
    return;
  }
  layout::Table prompts = usage_table("prompt");
  for (const model::TurnCost& turn : last_turns(session, most_turns))
    add_row(session, prompts, turn.preview, turn.usage, turn.all_counted);
  layout::Table models = usage_table("model");
  for (const auto& each : state.usage) add_row(session, models, each.first, {each});
  Usages all = state.usage, theirs;
  const std::vector<store::SessionRecord> helpers =
      store::children_of(session.store(), session.id());
  for (const store::SessionRecord& each : helpers)
    for (const auto& [model, usage] : each.state.usage) theirs[model] += usage, all[model] += usage;
  if (!theirs.empty()) add_row(session, models, counted(helpers.size(), "sub-agent"), theirs);
  if (state.usage.size() > 1 || !theirs.empty()) add_row(session, models, "total", all);
  session.screen().print("The last prompts of this branch:\n");
  session.screen().show(prompts);
  session.screen().print("\nThe whole session, all branches:\n");
  session.screen().show(models);
  session.screen().print("  " + counted(static_cast<std::size_t>(state.messages), "prompt") + ", " +
                         counted(static_cast<std::size_t>(state.tool_calls), "tool call") + ", " +
                         short_duration(state.duration_ms) + " of answers\n");
  show_misses(session);
}

std::string sparkline(const std::vector<double>& values) {
  constexpr std::string_view steps[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  double most = 0;
  for (const double value : values) most = std::max(most, value);
  std::string out;
  for (const double value : values) {
    const double share = most > 0 ? std::clamp(value / most, 0.0, 1.0) : 0;
    // What is there at all differs from nothing.
    out += share <= 0 ? " " : steps[static_cast<std::size_t>(std::ceil(share * 8)) - 1];
  }
  return out;
}

std::string share_of(double share, std::size_t width) {
  constexpr std::string_view parts[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const auto eighths = static_cast<std::size_t>(
      std::lround(std::clamp(share, 0.0, 1.0) * static_cast<double>(width) * 8));
  const std::string out = layout::repeated("█", eighths / 8) + std::string(parts[eighths % 8]);
  return out.empty() && share > 0 ? "▏" : out;
}

layout::Table misses_table(const insights::Misses& misses) {
  layout::Table table{
      .columns = {{"missed in the cache because"}, {"answers", true}, {"tokens", true}, {"cost"}}};
  for (const auto& [cause, tally] : misses)
    table.rows.push_back({std::string(insights::words_for(cause)),
                          with_separators(natural(tally.answers)), short_count(tally.tokens),
                          cost_text(tally)});
  return table;
}

layout::Table answers_table(std::span<const insights::CacheUse> answers) {
  layout::Table table{.columns = {{"answer"},
                                  {"model", false, true},
                                  {"input", true},
                                  {"cached", true},
                                  {"missed", true},
                                  {"because"},
                                  {"cost"}}};
  for (const insights::CacheUse& each : answers) {
    const std::int64_t input = model::whole_input(each.usage);
    insights::CostSum cost;
    cost.add(each.cost);
    table.rows.push_back({to_string(each.answer), each.model, short_count(input),
                          percent(each.usage.cache_read, input),
                          each.missed > 0 ? short_count(each.missed) : "-",
                          insights::why_missed(each), cost_text(cost)});
  }
  return table;
}

std::string as_text(const Insights& found, const TextForm& form) {
  const bool bars = !form.look.labels;
  std::string out = sums(found, form.now_ms);
  if (bars) out += days_line(found, form.width);
  if (form.by == By::overview)
    out += shown(groups_table(found, By::model, bars), form, most_rows) +
           shown(misses_table(found.misses), form, 0) +
           shown(tools_table(found, bars), form, most_rows);
  else if (form.by == By::tool)
    out += shown(tools_table(found, bars), form, 0);
  else
    out += shown(groups_table(found, form.by, bars), form, 0);
  for (const std::string& each : found.unread)
    out += layout::sanitized("not counted: " + each) + "\n";
  return out;
}

void show_insights(Session& session, std::string_view since_and_grouping) {
  insights::CollectRequest wish;
  insights::By by = insights::By::overview;
  std::string_view rest = trimmed(since_and_grouping);
  while (!rest.empty()) {
    const auto [word, more] = first_word(rest);
    rest = trimmed(more);
    if (word == "by") continue;
    if (const auto known = insights::parse_by(word))
      by = *known;
    else if (const auto time = time_ms(word, now_ms()))
      wish.since = utc_from_ms(*time);
    else
      throw Error("'" + std::string(word) +
                  "' is neither a time (30d, 2026-11-01) nor day, week, model, project or tool");
  }
  wish.prices = session.services().models->prices();
  const insights::Insights found = insights::collect(session.store(), wish, session.id());
  screen::Screen& screen = session.screen();
  screen.print(as_text(
      found, {.by = by, .width = screen.width(), .look = screen.look(), .now_ms = now_ms()}));
}

}  // namespace skein::commands
