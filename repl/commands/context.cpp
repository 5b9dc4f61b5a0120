// /context: what fills the model's window, where its tokens go, and leaving a result out of it.

#include "core/context/beginning.h"
#include "core/context/history.h"
#include "core/model/tool.h"
#include "core/text/json.h"
#include "core/text/text.h"
#include "repl/commands/handlers.h"
#include "repl/commands/usage.h"
#include "repl/session/session.h"

namespace skein::commands {

namespace {

constexpr std::size_t most_listed = 5;  // of each list, so that both fit one screen

// What a file, tool, instruction or sub-agent takes of a request; or one result.
struct WindowItem {
  std::string name{};  // "src/x.c", "tool bash", "AGENTS.md"; of a result its call: "read src/x.c"
  std::int64_t tokens = 0;
  std::size_t number = 0;  // of results; or the place of this one among those that are sent
  Id entry{};
  std::int64_t behind = 0;  // tokens of what follows it
};
struct WindowUse {
  std::vector<WindowItem> shares{}, results{};  // the largest first
};

// What the result of a call is counted for.
std::string counted_for(const model::ToolUse& call, const model::Tool* tool) {
  const Json input = parse_json(call.input).value_or(Json::object());
  if (tool != nullptr && tool->delegates)
    return "sub-agent " + string_at(input, "agent", "general");
  std::string path =
      tool != nullptr && tool->argument.is_path() ? string_at(input, tool->argument.name) : "";
  if (path.starts_with("./")) path.erase(0, 2);
  return path.empty() ? "tool " + call.name : path;
}

// Instructions that came with a result, by name; empty: it is something else.
std::string instructions_in(const model::ResultBlock& part) {
  constexpr std::string_view opening = "<instructions from=\"";
  const auto* text = std::get_if<model::Text>(&part);
  if (text == nullptr || !text->text.starts_with(opening)) return {};
  return text->text.substr(opening.size(), text->text.find('"', opening.size()) - opening.size());
}

WindowUse use_of(Session& session, double tokens_per_guess) {
  WindowUse use;
  std::map<std::string, WindowItem> shares;
  const auto corrected = [&](std::int64_t tokens) {
    return static_cast<std::int64_t>(std::ceil(static_cast<double>(tokens) * tokens_per_guess));
  };
  const auto count = [&](const std::string& name, std::int64_t tokens) {
    WindowItem& share = shares[name];
    share = {name, share.tokens + corrected(tokens), share.number + 1};
  };
  const model::SessionState& state = session.conversation().state();
  if (state.system.empty())
    for (const agent::Surrounding& each : session.settings().surroundings)
      if (each.document) count(each.name, model::tokens_of(each.text));

  const std::vector<model::Entry>& path = session.conversation().path();
  std::set<Id> from_agents;
  for (const model::Entry& entry : path)
    if (entry.meta.starts_with(R"({"origin":"agent:)")) from_agents.insert(entry.id);
  const auto dropped = context::dropped_on(path);
  std::map<std::string, std::string> titles, spent_on;  // of calls, by their ids
  const auto said = context::history_of(path, state.redacted).said;
  std::int64_t behind = context::tokens_of(said);
  std::size_t number = 0;
  for (const context::ContextMessage& each : said) {
    behind -= each.tokens;
    if (from_agents.contains(each.entry)) count("sub-agents in the background", each.tokens);
    for (const model::ToolUse* call : model::tool_uses(each.message)) {
      const model::Tools* const tools = session.services().tools;
      const model::Tool* tool = tools != nullptr ? model::find_tool(*tools, call->name) : nullptr;
      spent_on[call->id] = counted_for(*call, tool);
      titles[call->id] = tool != nullptr && tool->title ? tool->title(call->input) : call->name;
    }
    for (const model::Block& block : each.message.content) {
      const auto* result = std::get_if<model::ToolResult>(&block);
      if (result == nullptr) continue;
      std::int64_t own = model::tokens_of(block);
      ++number;
      if (!state.redacted.contains(each.entry) && !dropped.contains(to_string(each.entry)))
        use.results.push_back(
            {titles[result->tool_use_id], corrected(own), number, each.entry, corrected(behind)});
      for (const model::ResultBlock& part : result->content)
        if (const std::string name = instructions_in(part); !name.empty()) {
          const std::int64_t tokens = model::tokens_of(std::get<model::Text>(part).text);
          count(name, tokens);
          own -= tokens;
        }
      count(spent_on[result->tool_use_id], own);
    }
  }
  for (auto& [name, share] : shares) use.shares.push_back(std::move(share));
  for (auto* items : {&use.shares, &use.results})
    std::ranges::stable_sort(*items, std::ranges::greater{}, &WindowItem::tokens);
  return use;
}

// In dollars; none: the price is not known.
std::optional<double> price_of(Session& session, const model::Usage& usage) {
  const auto cost =
      session.services().models->prices()(model::to_string(session.settings().model), usage);
  return cost ? std::optional(cost->dollars) : std::nullopt;
}

std::string cached_price(Session& session, std::int64_t tokens) {
  const std::optional<double> price = price_of(session, {.cache_read = tokens});
  return price ? dollars(*price) : "unknown";
}

void show_largest(Session& session, layout::Table table, const std::vector<WindowItem>& items,
                  const std::string& remark) {
  if (items.empty()) return;
  const std::size_t listed = std::min(items.size(), most_listed);
  std::int64_t others = 0;
  for (const WindowItem& item : std::span(items).subspan(listed)) others += item.tokens;
  for (const WindowItem& item : std::span(items).first(listed))
    table.rows.push_back({std::to_string(item.number), item.name, short_count(item.tokens),
                          cached_price(session, item.tokens)});
  session.screen().print("\n");
  session.screen().show(table);
  if (items.size() > listed)
    session.screen().print("  and " + with_separators(items.size() - listed) + " more, " +
                           short_count(others) + " tokens\n");
  session.screen().print(remark);
}

// What follows the result is in the cache only behind it.
std::string cost_of_dropping(Session& session, const WindowItem& result) {
  const std::optional<double> full = price_of(session, {.input = result.behind}),
                              cached = price_of(session, {.cache_read = result.behind});
  return "without the result of " + result.name + ", every call sends " +
         short_count(result.tokens) + " tokens less (" + cached_price(session, result.tokens) +
         "); the next call reads " + short_count(result.behind) +
         " tokens behind it without the cache" +
         (full && cached ? ", which costs " + dollars(*full - *cached) + " more" : "");
}

void drop(Session& session, std::string_view which) {
  const context::BuiltContext built = session.context();
  const WindowUse use = use_of(session, built.tokens_per_guess);
  const auto found =
      std::ranges::find(use.results, number_in(which).value_or(0), &WindowItem::number);
  if (found == use.results.end())
    throw Error("usage: /context drop N; /context shows the numbers of the largest results");
  WindowItem result = *found;
  // If requests are to begin differently as well, nothing of the next one is in the cache.
  const std::string& own = session.conversation().state().system;
  if (built.context.system != (own.empty() ? session.settings().system : own))
    result.behind = std::max<std::int64_t>(0, built.whole - result.tokens);
  const std::string cost = cost_of_dropping(session, result);
  if (session.keyboard() == nullptr)
    session.screen().print_untrusted(cost + "\n");
  else if (!session.confirm(cost + ". Drop it?"))
    return session.screen().print("nothing was changed\n");
  // The line does not repeat the call, which may be redacted later.
  const std::string tokens = with_separators(static_cast<std::size_t>(result.tokens));
  session.drop_result(result.entry, "[a result of " + tokens + " tokens, dropped by the user]");
  session.screen().print("dropped; the session keeps the result, and /undo brings it back\n");
}

}  // namespace

void show_context(Session& session, std::string_view argument) {
  const auto [word, number] = first_word(argument);
  if (word == "drop") return drop(session, trimmed(number));
  const context::BuiltContext built = session.context();
  const agent::Agent::Settings& settings = session.settings();
  std::string out = context_picture({.filling = built.filling,
                                     .window = built.window.tokens,
                                     .room = built.room,
                                     .counted = counted_context(session),
                                     .model = model::to_string(settings.model)},
                                    session.screen().width(), session.screen().look());
  if (!built.fits())
    out +=
        "too much for the model: skein summarizes or leaves out older messages in the next "
        "request\n";
  if (settings.compact_at > 0 && built.window.tokens > 0)
    out += "summarized automatically at " + percent(std::lround(settings.compact_at * 100), 100) +
           " of the window, or with /compact\n";
  session.screen().print(out);
  const WindowUse use = use_of(session, built.tokens_per_guess);
  show_largest(session,
               {.columns = {{"parts", true}, {"of"}, {"tokens", true}, {"cached, per call", true}}},
               use.shares, "");
  show_largest(session,
               {.columns = {{"N", true}, {"result"}, {"tokens", true}, {"cached, per call", true}}},
               use.results, "  /context drop N leaves a result out of what is sent\n");
}

}  // namespace skein::commands
