// /todo: the list of what is to be done, which the model and the user share.
#include <algorithm>
#include <charconv>

#include "core/plan/todo_list.h"
#include "core/text/text.h"
#include "repl/commands/entry_names.h"
#include "repl/commands/handlers.h"
#include "repl/screen/todo_view.h"
#include "repl/session/session.h"

namespace skein::commands {

namespace {

using plan::TodoItem, plan::TodoList;

// As far back as it takes: a summary may stand before it.
TodoList list_of(Session& session) {
  const agent::Conversation& conversation = session.conversation();
  plan::TodoSearch search(conversation.state().redacted);
  conversation.path_until([&](const model::Entry& entry) { return search.see(entry); });
  return search.found().value_or(TodoList{});
}

std::size_t number_in(const TodoList& list, std::string_view text) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || number == 0 ||
      number > list.size())
    throw Error(list.empty() ? "the list is empty"
                             : "which one? 1 to " + std::to_string(list.size()));
  return number - 1;
}

void add_item(TodoList& list, std::string_view text) {
  if (text.empty()) throw Error("/todo add takes what is to be done");
  if (plan::tidy(TodoList(list.size() + 1)).size() == list.size())
    throw Error("the list is full: " + plan::progress_of(list));
  list.push_back({TodoItem::State::pending, std::string(text)});
}
void finish_item(TodoList& list, std::string_view number) {
  list[number_in(list, number)].state = TodoItem::State::done;
}
void drop_item(TodoList& list, std::string_view number) {
  list.erase(list.begin() + static_cast<std::ptrdiff_t>(number_in(list, number)));
}
void clear_items(TodoList& list, std::string_view) { list.clear(); }

struct TodoVerb {
  std::string_view name;
  void (*change)(TodoList&, std::string_view);
};
constexpr TodoVerb todo_verbs[] = {
    {"add", add_item}, {"clear", clear_items}, {"done", finish_item}, {"drop", drop_item}};

void print_list(Session& session, const TodoList& list) {
  if (list.empty()) return session.screen().print("nothing is on the list\n");
  TodoList numbered = list;
  for (std::size_t i = 0; i < list.size(); ++i)
    numbered[i].text = std::to_string(i + 1) + ". " + list[i].text;
  session.screen().print(
      screen::todo_view(numbered, {}, session.screen().width(), session.screen().look()));
  session.screen().print(plan::progress_of(list) + "\n");
}

}  // namespace

void show_todo(Session& session, std::string_view change) {
  TodoList list = list_of(session);
  if (!change.empty()) {
    const auto [name, rest] = first_word(change);
    const auto* verb = std::ranges::find(todo_verbs, name, &TodoVerb::name);
    if (verb == std::end(todo_verbs))
      throw Error("/todo takes add TEXT, done NUMBER, drop NUMBER or clear");
    verb->change(list, trimmed(rest));
    list = plan::tidy(std::move(list));
    session.tell(plan::todo_entry("The user changed the list of what is to be done:", list));
  }
  print_list(session, list);
}

std::vector<std::string> todo_words(Session&, std::string_view start) {
  return names_from(todo_verbs, start, &TodoVerb::name);
}

}  // namespace skein::commands
