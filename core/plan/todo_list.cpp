#include "core/plan/todo_list.h"

#include "core/text/json.h"
#include "core/text/request_text.h"
#include "core/text/text.h"

namespace skein::plan {

namespace {

using State = TodoItem::State;

constexpr std::size_t most_items = 50, most_characters = 300;
constexpr const char* todo_member = "todo";

// Ours first: those are written.
using StateName = std::pair<std::string_view, State>;
constexpr StateName state_names[] = {{"pending", State::pending},
                                     {"doing", State::doing},
                                     {"done", State::done},
                                     {"in_progress", State::doing},
                                     {"completed", State::done}};

std::string_view name_of(State state) {
  return std::ranges::find(state_names, state, &StateName::second)->first;
}

std::optional<State> state_named(std::string_view name) {
  const auto* found = std::ranges::find(state_names, name, &StateName::first);
  return found != std::end(state_names) ? std::optional(found->second) : std::nullopt;
}

// Cut after so many characters; line ends become blanks.
std::string one_item(std::string_view text) {
  std::string out;
  std::size_t characters = 0;
  for (const char c : trimmed(text)) {
    const bool begins = (static_cast<unsigned char>(c) & 0xC0u) != 0x80u;
    if (begins && ++characters > most_characters) return out + "…";
    out += c == '\n' || c == '\r' || c == '\t' ? ' ' : c;
  }
  return out;
}

// The first member of these names that is a string.
std::string first_string(const Json& object, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names)
    if (at(object, name).is_string()) return string_at(object, name);
  return {};
}

ReadTodo read_items(const Json& items) {
  ReadTodo out;
  for (const Json& each : items) {
    const std::string text = each.is_string() ? each.get<std::string>()
                                              : first_string(each, {"text", "content", "step"});
    const std::string named = first_string(each, {"state", "status"});
    const std::optional<State> state =
        named.empty() ? std::optional(State::pending) : state_named(named);
    if (is_blank(text)) return {.complaint = "every item needs a `text`"};
    if (!state)
      return {.complaint = "`state` is pending, doing or done, not '" + one_item(named) + "'"};
    out.items.push_back({*state, text});
  }
  out.items = tidy(std::move(out.items));
  return out;
}

}  // namespace

TodoList tidy(TodoList items) {
  if (items.size() > most_items) items.resize(most_items);
  bool doing = false;
  for (TodoItem& item : items) {
    item.text = one_item(item.text);
    if (item.state == State::doing && std::exchange(doing, true)) item.state = State::pending;
  }
  return items;
}

ReadTodo read_todo(const JsonText& input) {
  const Json json = parse_json(input).value_or(Json());
  for (const char* name : {"items", "todos", "plan"})
    if (at(json, name).is_array()) return read_items(at(json, name));
  return {.complaint = "`items` is missing or not a list"};
}

std::size_t done_in(const TodoList& list) {
  return static_cast<std::size_t>(std::ranges::count(list, State::done, &TodoItem::state));
}

bool is_finished(const TodoList& list) { return done_in(list) == list.size(); }

std::string progress_of(const TodoList& list) {
  return std::to_string(done_in(list)) + " of " + std::to_string(list.size()) + " done";
}

const TodoItem* current_in(const TodoList& list) {
  for (const State state : {State::doing, State::pending})
    if (const auto found = std::ranges::find(list, state, &TodoItem::state); found != list.end())
      return &*found;
  return nullptr;
}

std::string todo_lines(const TodoList& list) {
  std::string out;
  for (const TodoItem& item : list)
    out += std::string(item.state == State::done    ? "[x] "
                       : item.state == State::doing ? "[>] "
                                                    : "[ ] ") +
           item.text + "\n";
  return out;
}

JsonText todo_meta(const TodoList& list) {
  Json items = Json::array();
  for (const TodoItem& item : list)
    items.push_back({{"text", item.text}, {"state", name_of(item.state)}});
  return dump({{todo_member, std::move(items)}});
}

model::Entry todo_entry(const std::string& opening, const TodoList& list) {
  return model::informing_entry(opening + "\n" + (list.empty() ? "(nothing)\n" : todo_lines(list)),
                                todo_meta(list));
}

// Calls of an answer that was cut or failed are not run, but answered as failed.
bool TodoSearch::see_calls(const model::Message& message) {
  const std::vector<const model::ToolUse*> calls = model::tool_uses(message);
  for (const model::ToolUse* call : calls | std::views::reverse) {
    if (call->name != todo_tool || failed_.contains(call->id)) continue;
    ReadTodo read = read_todo(call->input);
    if (!read.complaint.empty()) continue;
    found_ = std::move(read.items);
    return true;
  }
  return false;
}

bool TodoSearch::see(const model::Entry& entry) {
  if (found_) return true;
  if (entry.type != model::type::message || redacted_.contains(entry.id)) return false;
  if (entry.meta.find("\"todo\"") != JsonText::npos)
    if (const Json meta = parse_json(entry.meta).value_or(Json());
        at(meta, todo_member).is_array()) {
      found_ = read_items(at(meta, todo_member)).items;
      by_message_ = entry.payload.starts_with(R"({"role":"user")");
      return true;
    }
  // Most messages are not parsed to be turned down: every payload begins with its role.
  const bool result = entry.payload.starts_with(R"({"role":"tool")");
  if (!result && entry.payload.find("\"todo\"") == JsonText::npos) return false;
  if (result && entry.payload.find("\"isError\":true") == JsonText::npos) return false;
  const std::optional<model::Message> message = model::message_of(entry);
  if (!message) return false;
  for (const model::Block& block : message->content)
    if (const auto* answer = std::get_if<model::ToolResult>(&block); answer && answer->is_error)
      failed_.insert(answer->tool_use_id);
  return see_calls(*message);
}

void TodoSearch::see_all(std::span<const model::Entry> path) {
  for (const model::Entry& entry : path | std::views::reverse)
    if (see(entry)) return;
}

TodoList todo_on(std::span<const model::Entry> path, const std::set<Id>& redacted) {
  TodoSearch search(redacted);
  search.see_all(path);
  return search.found().value_or(TodoList{});
}

}  // namespace skein::plan
