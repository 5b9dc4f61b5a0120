#include "core/agent/surroundings.h"

#include <algorithm>
#include <utility>

#include "core/agent/plan_mode.h"
#include "core/context/beginning.h"
#include "core/plan/presented.h"
#include "core/plan/todo_list.h"
#include "core/text/sha256.h"

namespace skein::agent {

namespace {

using model::payload::RuntimeInit;

constexpr std::string_view tool_prefix = "the tool ";

// A tool changes like anything else that was told: when skein is updated, say.
Surrounding told_of(const model::ToolSpec& tool) {
  return {std::string(tool_prefix) + tool.name,
          tool.description + "\nIts arguments, as a JSON schema: " + tool.schema, true};
}

bool is_tool(const std::string& name) { return name.starts_with(tool_prefix); }

std::string capitalized(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z')
    text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

std::string change_text(const Surrounding& now, bool is_new) {
  const std::string name = capitalized(now.name);
  if (!now.document) return name + " is now " + now.text + ".";
  return name + (is_new ? " is new; it says:\n\n" : " has changed; it now says:\n\n") + now.text;
}

std::string gone_text(const std::string& name) {
  return capitalized(name) + (is_tool(name) ? " is no longer available; do not call it."
                                            : " is gone; what it said no longer holds.");
}

std::string listed(const std::set<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : ", ") + name;
  return out;
}

// The model reads calls of tools that it does not have. Without this line it goes on making them.
std::vector<model::Entry> told_of_import(std::span<const model::Entry> path) {
  const auto last = std::ranges::find_if(path.rbegin(), path.rend(), [](const model::Entry& entry) {
    return entry.type == model::type::message;
  });
  if (last == path.rend() || model::imported_from(*last).empty()) return {};
  return {context::change_entry(
      "The conversation up to here was held in another program, whose tools had other names and "
      "arguments. Call only the tools you are given now.",
      {})};
}

constexpr const char* left_text = "Left to do, as the list (tool `todo`) has it:";

bool has_all(const std::vector<Id>& some, const std::vector<Id>& all) {
  return std::ranges::all_of(some, [&](Id id) { return std::ranges::find(all, id) != all.end(); });
}

}  // namespace

// The session's own system prompt (/system) tells of nothing that could change.
std::vector<Surrounding> Surroundings::told_of(const Conversation& conversation,
                                               const Settings& settings) const {
  std::vector<Surrounding> out;
  if (conversation.state().system.empty()) out = settings.surroundings;
  for (const model::Tool& tool : parts_.tools)
    if (!tool.deferred) out.push_back(agent::told_of(tool.spec()));
  for (Surrounding& each : out) each.text = parts_.clean(std::move(each.text));
  return out;
}

RuntimeInit Surroundings::render(const Conversation& conversation, const Settings& settings) const {
  const model::SessionState& state = conversation.state();
  RuntimeInit init{.system = parts_.clean(state.system.empty() ? settings.system : state.system),
                   .specs = std::vector<model::ToolSpec>{},
                   .provider = settings.model.provider,
                   .overridden = !state.system.empty(),
                   .masked = context::masked_in(conversation.path(), state.redacted)};
  for (const model::Tool& tool : parts_.tools) {
    if (tool.deferred) continue;
    init.tools.push_back(tool.name);
    init.specs->push_back(tool.spec());
  }
  init.hash = hash_of(init);
  init.servers = settings.servers;
  for (const Surrounding& each : told_of(conversation, settings))
    init.said[each.name] = sha256_hex(each.text);
  return init;
}

model::Entry Surroundings::rendered(const Conversation& conversation,
                                    const Settings& settings) const {
  model::Entry entry = model::make_entry(render(conversation, settings));
  entry.payload = parts_.clean(std::move(entry.payload));
  return entry;
}

bool Surroundings::has_tool(std::string_view name) const {
  return model::find_tool(parts_.tools, name) != nullptr;
}

std::vector<model::Entry> Surroundings::renewed(const Conversation& conversation,
                                                const Settings& settings, bool lost) const {
  std::vector<model::Entry> out{rendered(conversation, settings)};
  for (model::Entry& entry : PlanMode::news(false, settings.rules.mode == permission::Mode::plan,
                                            has_tool(plan::present_tool)))
    out.push_back(std::move(entry));
  if (!lost) return out;
  const plan::TodoList list = plan::todo_on(conversation.path(), conversation.state().redacted);
  if (!plan::is_finished(list)) out.push_back(plan::todo_entry(left_text, list));
  return out;
}

// Where a session is taken up again. Once for each state of the list: a script may take it up for
// every prompt.
std::vector<model::Entry> Surroundings::left_from_before(const Turn& turn) {
  const Conversation& conversation = turn.conversation;
  if (!taken_up_.insert(conversation.session()).second) return {};
  plan::TodoSearch search(conversation.state().redacted);
  const std::vector<model::Entry>& path = conversation.path();
  for (auto entry = path.rbegin(); entry != path.rend(); ++entry)
    if (search.see(*entry)) break;
  if (!search.found() || search.was_told() || plan::is_finished(*search.found())) return {};
  turn.tell(model::Notice::Level::info,
            "the model is told what is left to do: " + plan::progress_of(*search.found()));
  return {plan::todo_entry(left_text, *search.found())};
}

const RuntimeInit& Surroundings::beginning(const Conversation& conversation,
                                           std::span<const model::Entry> path,
                                           const Settings& settings) {
  const model::Entry* entry = context::last_beginning(path);
  if (entry == nullptr) {
    read_ = {};
    last_ = render(conversation, settings);
  } else if (std::exchange(read_, entry->id) != entry->id) {
    last_ = model::read_as<RuntimeInit>(*entry).value_or(RuntimeInit{});
  }
  if (!last_.specs) last_.specs.emplace();
  return last_;
}

bool Surroundings::is_stale(const Conversation& conversation) {
  const std::vector<Id> masked =
      context::masked_in(conversation.path(), conversation.state().redacted);
  return !masked.empty() && context::last_beginning(conversation.path()) != nullptr &&
         !has_all(masked, beginning(conversation, conversation.path(), {}).masked);
}

bool Surroundings::was_offered(const Conversation& conversation, const std::string& tool) {
  if (context::last_beginning(conversation.path()) == nullptr) return false;
  const std::vector<model::ToolSpec>& specs =
      *beginning(conversation, conversation.path(), {}).specs;
  return std::ranges::find(specs, tool, &model::ToolSpec::name) != specs.end();
}

// Compared in its stored form: a system prompt from which a key was removed has not changed.
std::vector<model::Entry> Surroundings::before_turn(const Turn& turn) {
  std::vector<model::Entry> entries = news(turn);
  for (model::Entry& entry : left_from_before(turn)) entries.push_back(std::move(entry));
  return entries;
}

std::vector<model::Entry> Surroundings::news(const Turn& turn) {
  const Conversation& conversation = turn.conversation;
  if (context::last_beginning(conversation.path()) == nullptr) {
    std::vector<model::Entry> entries = renewed(conversation, turn.settings, false);
    for (model::Entry& entry : told_of_import(conversation.path()))
      entries.push_back(std::move(entry));
    return entries;
  }
  if (is_stale(conversation)) return renewed(conversation, turn.settings, false);
  const RuntimeInit& last = beginning(conversation, conversation.path(), turn.settings);
  const RuntimeInit now = render(conversation, turn.settings);
  const bool other_prompt =
      now.overridden != last.overridden || (now.overridden && now.system != last.system);
  if (other_prompt || (now.provider != last.provider && now.hash != last.hash))
    return renewed(conversation, turn.settings, false);
  const bool presents = std::ranges::find(*last.specs, plan::present_tool,
                                          &model::ToolSpec::name) != last.specs->end();
  std::vector<model::Entry> entries = tell_changes(turn, last);
  for (model::Entry& entry :
       PlanMode::news(PlanMode::is_told(conversation.path()),
                      turn.settings.rules.mode == permission::Mode::plan, presents))
    entries.push_back(std::move(entry));
  return entries;
}

std::vector<model::Entry> Surroundings::tell_changes(const Turn& turn, const RuntimeInit& last) {
  context::Said known = context::said_on(turn.conversation.path()), changed;
  known.erase(PlanMode::name);  // told apart
  std::string text;
  std::set<std::string> names, new_tools;
  const auto tell = [&](const std::string& name, const std::string& hash, const std::string& what) {
    changed[name] = hash;
    names.insert(name);
    text += (text.empty() ? "" : "\n\n") + what;
  };
  for (const Surrounding& each : told_of(turn.conversation, turn.settings)) {
    const auto was = known.find(each.name);
    const bool is_new = was == known.end();
    const std::string hash = sha256_hex(each.text);
    const std::string name = each.name.substr(is_tool(each.name) ? tool_prefix.size() : 0);
    const bool offered =
        !is_tool(each.name) ||
        std::ranges::find(*last.specs, name, &model::ToolSpec::name) != last.specs->end();
    if (!offered)
      new_tools.insert(name);
    else if (is_new || was->second != hash)
      tell(each.name, hash, change_text(each, is_new));
    if (!is_new) known.erase(was);
  }
  for (const auto& [name, hash] : known) {
    const std::string_view tool =
        std::string_view(name).substr(is_tool(name) ? tool_prefix.size() : 0);
    // One that is now to be looked for can be called as before.
    if (model::find_tool(parts_.tools, tool) == nullptr) tell(name, "", gone_text(name));
  }

  if (!new_tools.empty() && std::exchange(waiting_, new_tools) != new_tools)
    turn.tell(model::Notice::Level::info,
              "the model cannot use " + listed(new_tools) +
                  " yet: what it is given changes with the next /compact or another provider");
  if (text.empty()) return {};
  turn.tell(model::Notice::Level::info, "the model is told what has changed: " + listed(names));
  model::Entry entry = context::change_entry(text, changed);
  entry.payload = parts_.clean(std::move(entry.payload));
  return {std::move(entry)};
}

}  // namespace skein::agent
