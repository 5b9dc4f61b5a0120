// Commands about what the model sees and what it costs.
#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "core/model/redaction.h"
#include "core/model/turns.h"
#include "core/store/children.h"
#include "core/text/amounts.h"
#include "repl/commands/handlers.h"
#include "repl/layout/width.h"
#include "repl/session/session.h"

namespace skein::commands {

namespace {

std::string right(const std::string& text, std::size_t width) {
  return std::string(width - std::min(width, text.size()), ' ') + text;
}

struct Share {
  const char* name;
  char mark;
  std::int64_t context::TokenBreakdown::*tokens;
};
constexpr Share shares[] = {{"system", '#', &context::TokenBreakdown::system},
                            {"tools", '%', &context::TokenBreakdown::tools},
                            {"summary", '=', &context::TokenBreakdown::summary},
                            {"messages", '*', &context::TokenBreakdown::messages},
                            {"tool results", '+', &context::TokenBreakdown::results}};

// Each kind gets marks in proportion to its share of the window, and at least one if it is there.
std::string bar(const context::TokenBreakdown& filling, std::int64_t window, std::size_t width) {
  std::string out;
  for (const Share& share : shares) {
    const std::int64_t tokens = filling.*(share.tokens);
    if (tokens <= 0) continue;
    const auto marks = static_cast<std::size_t>(tokens) * width /
                       static_cast<std::size_t>(std::max(window, tokens));
    out.append(std::max<std::size_t>(1, marks), share.mark);
  }
  out.resize(width, '.');
  return "[" + out + "]";
}

// A line of the table; `mark` is the one used in the bar.
std::string context_row(char mark, const char* name, std::int64_t tokens, std::int64_t whole) {
  return std::string("  ") + mark + " " + layout::padded(name, 22) + right(short_count(tokens), 9) +
         right(percent(tokens, whole), 6) + "\n";
}

// What tokens cost, summed over the models whose prices are known.
struct Cost {
  double dollars = 0;
  bool all_known = true;
};
Cost cost_of(Session& session, const std::map<std::string, model::Usage>& usage) {
  Cost out;
  for (const auto& [model, tokens] : usage) {
    const std::optional<session::Cost> cost = session.services().cost(model, tokens);
    out.dollars += cost ? cost->dollars : 0;
    out.all_known = out.all_known && cost && !cost->at_least;
  }
  return out;
}

Cost cost_of(Session& session, const model::TurnCost& turn) {
  Cost out = cost_of(session, turn.usage);
  out.all_known = out.all_known && turn.all_counted;
  return out;
}

std::string text_of(const Cost& cost) {
  if (cost.all_known) return dollars(cost.dollars);
  return cost.dollars > 0 ? "at least " + dollars(cost.dollars) : "unknown";
}

layout::Table usage_table(std::string_view title) {
  return {
      .columns = {{title}, {"input", true}, {"cached", true, true}, {"output", true}, {"cost"}}};
}

void add_row(layout::Table& table, const std::string& name, const model::Usage& usage,
             const Cost& cost) {
  const std::int64_t input = model::whole_input(usage);
  table.rows.push_back({name, short_count(input), percent(usage.cache_read, input),
                        short_count(usage.output), text_of(cost)});
}

model::Usage sum_of(const std::map<std::string, model::Usage>& usage) {
  model::Usage sum;
  for (const auto& [model, tokens] : usage) sum += tokens;
  return sum;
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

}  // namespace

void compact(Session& session, std::string_view focus) { session.compact(std::string(focus)); }

void show_context(Session& session, std::string_view) {
  const context::BuiltContext built = session.context();
  const agent::Agent::Settings& settings = session.settings();
  const std::int64_t total = built.filling.total();
  const std::int64_t window = built.window.tokens;
  const std::int64_t whole = window > 0 ? window : total;
  const std::string sum = "about " + short_count(total) +
                          (window > 0 ? " of " + short_count(window) : "") + " tokens, " +
                          model::to_string(settings.model) + "\n";
  constexpr std::size_t widest_bar = 60;
  const std::size_t width = session.screen().width();  // 0: unlimited
  std::string out =
      bar(built.filling, whole,
          width == 0 ? widest_bar : std::clamp(width, std::size_t{10}, widest_bar + 2) - 2);
  out += (width > 0 && out.size() + 2 + sum.size() > width ? "\n" : "  ") + sum;
  for (const Share& share : shares)
    out += context_row(share.mark, share.name, built.filling.*(share.tokens), whole);
  if (window > 0) {
    out += context_row(' ', "reserved for answer", window - built.room, whole);
    out += context_row('.', "free", std::max<std::int64_t>(0, built.room - total), whole);
  }
  if (!built.fits())
    out += "too much for the model: older messages are summarized or left out before it is asked\n";
  if (settings.compact_at > 0 && window > 0)
    out += "summarized automatically at " + percent(std::lround(settings.compact_at * 100), 100) +
           " of the window, or with /compact\n";
  session.screen().print_untrusted(out);
}

void show_usage(Session& session, std::string_view) {
  constexpr std::size_t most_turns = 10;
  const model::SessionState& state = session.conversation().state();
  if (state.usage.empty()) {
    session.screen().print("no model has been used yet\n");
    return;
  }
  layout::Table prompts = usage_table("the last prompts of this branch");
  for (const model::TurnCost& turn : last_turns(session, most_turns))
    add_row(prompts, turn.preview, sum_of(turn.usage), cost_of(session, turn));
  layout::Table models = usage_table("the whole session, all branches");
  for (const auto& [model, usage] : state.usage)
    add_row(models, model, usage, cost_of(session, {{model, usage}}));
  std::map<std::string, model::Usage> all = state.usage, theirs;
  const std::vector<store::SessionRecord> helpers =
      store::children_of(session.store(), session.id());
  for (const store::SessionRecord& each : helpers)
    for (const auto& [model, usage] : each.state.usage) theirs[model] += usage, all[model] += usage;
  if (!theirs.empty())
    add_row(models, counted(helpers.size(), "sub-agent"), sum_of(theirs), cost_of(session, theirs));
  if (state.usage.size() > 1 || !theirs.empty())
    add_row(models, "total", sum_of(all), cost_of(session, all));
  session.screen().show(prompts);
  session.screen().print("\n");
  session.screen().show(models);
  session.screen().print("  " + counted(static_cast<std::size_t>(state.messages), "prompt") + ", " +
                         counted(static_cast<std::size_t>(state.tool_calls), "tool call") + ", " +
                         short_duration(state.duration_ms) + " of answers\n");
}

}  // namespace skein::commands
