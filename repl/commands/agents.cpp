// /agents: the sub-agents of this session, and those that can be asked.
#include "core/text/amounts.h"
#include "core/text/text.h"
#include "repl/commands/handlers.h"
#include "repl/session/session.h"

namespace skein::commands {

namespace {

void stop_agent(Session& session, std::string_view id) {
  if (id.empty()) throw Error("/agents stop takes the session of an agent; /agents lists them");
  if (!session.services().stop_agent(id))
    throw Error("no agent is at work in session " + std::string(id));
  session.screen().print("it is told to stop\n");
}

void show_known(Session& session) {
  layout::Table table{.columns = {{"agent"}, {"from"}, {"what for"}}};
  for (const session::KnownAgent& each : session.services().known_agents())
    table.rows.push_back({each.name, each.from, each.description});
  if (table.rows.empty())
    return session.screen().print("There are no sub-agents: max-agents is 0.\n");
  session.screen().show(table);
  for (const std::string& text : session.services().agent_remarks())
    session.screen().print_untrusted(text + "\n");
}

}  // namespace

void show_agents(Session& session, std::string_view words) {
  const auto [verb, rest] = first_word(words);
  if (verb == "stop") return stop_agent(session, trimmed(rest));
  if (!verb.empty()) throw Error("/agents takes nothing, or: stop ID");
  const std::vector<session::AgentLine> ours = session.services().agents(session.id());
  if (!ours.empty()) {
    layout::Table table{.columns = {{"session"}, {"state"}, {"task"}, {"so far", false, true}}};
    for (const session::AgentLine& each : ours)
      table.rows.push_back({each.session, each.state,
                            each.title + (each.doing.empty() ? "" : " (" + each.doing + ")"),
                            each.amounts + (each.ms > 0 ? " · " + short_duration(each.ms) : "")});
    session.screen().show(table);
    session.screen().print(
        "/switch main:sub:ID opens one, or follows it while it works; /agents stop ID ends "
        "one\n\n");
  }
  show_known(session);
}

std::vector<std::string> agent_words(Session& session, std::string_view start) {
  std::vector<std::string> out{"stop"};
  for (const session::AgentLine& each : session.services().agents(session.id()))
    if (each.state == "working") out.push_back("stop " + each.session);
  std::erase_if(out, [&](const std::string& each) { return !each.starts_with(start); });
  return out;
}

}  // namespace skein::commands
