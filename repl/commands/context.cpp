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
#include "repl/commands/context_picture.h"
#include "repl/commands/handlers.h"
#include "repl/session/session.h"

namespace skein::commands {

namespace {

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
  std::string out = context_picture({.filling = built.filling,
                                     .window = built.window.tokens,
                                     .room = built.room,
                                     .model = model::to_string(settings.model)},
                                    session.screen().width(), session.screen().look());
  if (!built.fits())
    out += "too much for the model: older messages are summarized or left out before it is asked\n";
  if (settings.compact_at > 0 && built.window.tokens > 0)
    out += "summarized automatically at " + percent(std::lround(settings.compact_at * 100), 100) +
           " of the window, or with /compact\n";
  session.screen().print(out);
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
