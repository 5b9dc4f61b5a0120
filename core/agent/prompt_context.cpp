#include "core/agent/prompt_context.h"

#include "core/agent/plan_mode.h"
#include "core/context/beginning.h"
#include "core/plan/presented.h"
#include "core/plan/todo_list.h"
#include "core/text/checksum.h"
#include "core/text/text.h"

namespace skein::agent {

namespace {

using model::payload::RuntimeInit;

constexpr std::string_view tool_prefix = "the tool ";

// Tools change, too, for example when skein is updated.
Surrounding surrounding_of(const model::ToolSpec& tool) {
  return {std::string(tool_prefix) + tool.name,
          tool.description + "\nIts arguments, as a JSON schema: " + tool.schema, true};
}

bool is_tool(const std::string& name) { return name.starts_with(tool_prefix); }

// The name of a tool without its prefix.
std::string bare_name(const std::string& name) {
  return is_tool(name) ? name.substr(tool_prefix.size()) : name;
}

bool has_spec(const RuntimeInit& init, std::string_view tool) {
  return std::ranges::find(*init.specs, tool, &model::ToolSpec::name) != init.specs->end();
}

std::string change_text(const Surrounding& now, bool is_new) {
  const std::string name = capitalized(now.name);
  if (!now.document) return name + " is now " + now.text + ".";
  return name + (is_new ? " is new; it says:\n\n" : " has changed; it now says:\n\n") + now.text;
}

std::string gone_text(const std::string& name) {
  return capitalized(name) + (is_tool(name) ? " is no longer available; do not call it."
                                            : " is gone; it no longer applies.");
}

// The model reads calls of tools that it does not have. Without this line it continues to make
// them.
std::vector<model::Entry> news_of_import(std::span<const model::Entry> path) {
  const model::Entry* const last = context::last_of(path, model::type::message);
  if (last == nullptr || model::imported_from(*last).empty()) return {};
  return {context::change_entry(
      "The conversation up to here was held in another program, whose tools had other names and "
      "arguments. Call only the tools you are given now.",
      {})};
}

constexpr const char* left_text = "Left to do, according to your list (tool `todo`):";

bool has_all(const std::vector<Id>& some, const std::vector<Id>& all) {
  return std::ranges::all_of(some, [&](Id id) { return std::ranges::find(all, id) != all.end(); });
}

// Nothing in the text may look like the end of it.
std::string marked(const Surrounding& document) {
  std::string text = document.text;
  for (std::size_t at = 0; (at = text.find("</instructions", at)) != std::string::npos; at += 3)
    text.insert(at + 1, " ");
  std::string name = document.name;
  for (char& c : name)
    if (static_cast<unsigned char>(c) < ' ' || c == '"' || c == '<' || c == '>') c = '?';
  return "<instructions from=\"" + name + "\">\n" + text + (text.ends_with('\n') ? "" : "\n") +
         "</instructions>";
}

// The session's own system prompt (/system) has nothing in it that could change.
std::vector<Surrounding> all_surroundings(const Parts& parts, const Conversation& conversation,
                                          const Settings& settings) {
  std::vector<Surrounding> out;
  if (conversation.state().system.empty()) out = settings.surroundings;
  for (const model::Tool& tool : parts.tools)
    if (!tool.deferred) out.push_back(surrounding_of(tool.spec()));
  for (Surrounding& each : out) each.text = parts.clean(std::move(each.text));
  return out;
}

RuntimeInit render(const Parts& parts, const Conversation& conversation, const Settings& settings) {
  const model::SessionState& state = conversation.state();
  RuntimeInit init{.system = parts.clean(state.system.empty() ? settings.system : state.system),
                   .specs = std::vector<model::ToolSpec>{},
                   .provider = settings.model.provider,
                   .overridden = !state.system.empty(),
                   .masked = context::masked_in(conversation.path(), state.redacted),
                   .dropped = context::dropped_on(conversation.path())};
  for (const model::Tool& tool : parts.tools) {
    if (tool.deferred) continue;
    init.tools.push_back(tool.name);
    init.specs->push_back(tool.spec());
  }
  init.hash = hash_of(init);
  init.servers = settings.servers;
  for (const Surrounding& each : all_surroundings(parts, conversation, settings))
    init.said[each.name] = sha256_hex(each.text);
  return init;
}

}  // namespace

std::vector<model::Entry> PromptContext::renewed(const Conversation& conversation,
                                                 const Settings& settings, bool lost) const {
  std::vector<model::Entry> out{
      parts_.cleaned(model::make_entry(render(parts_, conversation, settings)))};
  std::ranges::move(PlanMode::news(false, settings.rules.mode == permission::Mode::plan,
                                   model::find_tool(parts_.tools, plan::present_tool) != nullptr),
                    std::back_inserter(out));
  if (!lost) return out;
  const plan::TodoList list = plan::todo_on(conversation.path(), conversation.state().redacted);
  if (!plan::is_finished(list)) out.push_back(plan::todo_entry(left_text, list));
  return out;
}

std::vector<model::Entry> PromptContext::dropping(const Conversation& conversation,
                                                  const Settings& settings, Id entry,
                                                  const std::string& text) const {
  std::vector<model::Entry> out = renewed(conversation, settings, false);
  RuntimeInit init = model::read_as<RuntimeInit>(out.front()).value_or(RuntimeInit{});
  init.dropped[to_string(entry)] = text;
  out.front() = parts_.cleaned(model::make_entry(std::move(init)));
  out.front().meta = context::drop_meta;
  return out;
}

// When a session is resumed. Once for each state of the list: a script may resume it for every
// prompt.
std::vector<model::Entry> PromptContext::left_from_before(const Turn& turn) {
  const Conversation& conversation = turn.conversation;
  if (!resumed_.insert(conversation.session()).second) return {};
  plan::TodoSearch search(conversation.state().redacted);
  search.see_all(conversation.path());
  if (!search.found() || search.by_message() || plan::is_finished(*search.found())) return {};
  turn.tell(model::Notice::Level::info,
            "reminding the model of its to-do list: " + plan::progress_of(*search.found()));
  return {plan::todo_entry(left_text, *search.found())};
}

const RuntimeInit& PromptContext::beginning(const Conversation& conversation,
                                            std::span<const model::Entry> path,
                                            const Settings& settings) {
  const model::Entry* entry = context::last_beginning(path);
  if (entry == nullptr) {
    read_ = {};
    last_ = render(parts_, conversation, settings);
  } else if (std::exchange(read_, entry->id) != entry->id) {
    last_ = model::read_as<RuntimeInit>(*entry).value_or(RuntimeInit{});
  }
  if (!last_.specs) last_.specs.emplace();
  return last_;
}

bool PromptContext::is_stale(const Conversation& conversation) {
  const std::vector<Id> masked =
      context::masked_in(conversation.path(), conversation.state().redacted);
  return !masked.empty() && context::last_beginning(conversation.path()) != nullptr &&
         !has_all(masked, beginning(conversation, conversation.path(), {}).masked);
}

bool PromptContext::was_offered(const Conversation& conversation, const std::string& tool) {
  return context::last_beginning(conversation.path()) != nullptr &&
         has_spec(beginning(conversation, conversation.path(), {}), tool);
}

std::vector<model::Entry> PromptContext::before_turn(const Turn& turn) {
  std::vector<model::Entry> entries = news(turn);
  std::ranges::move(left_from_before(turn), std::back_inserter(entries));
  return entries;
}

// Compared in its stored form: a system prompt from which a key was removed has not changed.
std::vector<model::Entry> PromptContext::news(const Turn& turn) {
  const Conversation& conversation = turn.conversation;
  if (context::last_beginning(conversation.path()) == nullptr) {
    std::vector<model::Entry> entries = renewed(conversation, turn.settings, false);
    std::ranges::move(news_of_import(conversation.path()), std::back_inserter(entries));
    return entries;
  }
  if (is_stale(conversation)) return renewed(conversation, turn.settings, false);
  const RuntimeInit& last = beginning(conversation, conversation.path(), turn.settings);
  const RuntimeInit now = render(parts_, conversation, turn.settings);
  const bool other_prompt =
      now.overridden != last.overridden || (now.overridden && now.system != last.system);
  if (other_prompt || (now.provider != last.provider && now.hash != last.hash))
    return renewed(conversation, turn.settings, false);
  std::vector<model::Entry> entries = news_of_changes(turn, last);
  std::ranges::move(PlanMode::news(PlanMode::is_known(conversation.path()),
                                   turn.settings.rules.mode == permission::Mode::plan,
                                   has_spec(last, plan::present_tool)),
                    std::back_inserter(entries));
  return entries;
}

std::vector<model::Entry> PromptContext::news_of_changes(const Turn& turn,
                                                         const RuntimeInit& last) {
  context::Said known = context::said_on(turn.conversation.path()), changed;
  known.erase(PlanMode::name);  // which is announced in its own way
  std::string text;
  std::set<std::string> names, new_tools;
  const auto add = [&](const std::string& name, const std::string& hash, const std::string& what) {
    changed[name] = hash;
    names.insert(name);
    text += (text.empty() ? "" : "\n\n") + what;
  };
  for (const Surrounding& each : all_surroundings(parts_, turn.conversation, turn.settings)) {
    const auto was = known.find(each.name);
    const bool is_new = was == known.end();
    const std::string hash = sha256_hex(each.text);
    if (is_tool(each.name) && !has_spec(last, bare_name(each.name)))
      new_tools.insert(bare_name(each.name));
    else if (is_new || was->second != hash)
      add(each.name, hash, change_text(each, is_new));
    if (!is_new) known.erase(was);
  }
  // A tool that became searchable only can still be called.
  for (const auto& [name, hash] : known)
    if (model::find_tool(parts_.tools, bare_name(name)) == nullptr) add(name, "", gone_text(name));

  if (!new_tools.empty() && std::exchange(waiting_, new_tools) != new_tools)
    turn.tell(model::Notice::Level::info,
              "the model cannot use " + listed(new_tools) +
                  " yet: new tools are added at the next /compact or when you switch providers");
  if (text.empty()) return {};
  turn.tell(model::Notice::Level::info, "informing the model of changes: " + listed(names));
  return {parts_.cleaned(context::change_entry(text, changed))};
}

void attach_nearby(const Parts& parts, const Turn& turn, const model::Tool& tool,
                   const std::optional<std::string>& place, model::ToolOutcome& outcome) {
  if (outcome.is_error || tool.argument.kind != model::Argument::Kind::file || !place ||
      place->empty() || model::inner_place(*place))  // in a further folder nothing instructs
    return;
  std::vector<Surrounding> found = parts.nearby(*place);
  if (found.empty()) return;
  const context::Said known =
      context::instructions_on(turn.conversation.path(), turn.conversation.state().redacted);
  context::Said added;
  std::vector<std::string> names;
  for (Surrounding& document : found) {
    document.text = parts.clean(std::move(document.text));
    const std::string hash = sha256_hex(document.text);
    if (const auto said = known.find(document.name); said != known.end() && said->second == hash)
      continue;
    outcome.content.push_back(model::Text{marked(document)});
    added[document.name] = hash;
    names.push_back(document.name);
  }
  if (added.empty()) return;
  outcome.meta = context::instructions_meta(added);
  turn.tell(model::Notice::Level::info, "the model also reads " + listed(names));
}

}  // namespace skein::agent
