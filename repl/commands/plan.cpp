// /plan: enters plan mode with something to plan, or shows the plan that was approved last, copies
// it to the clipboard, or saves it to a file. /todo: shows and changes the list of things to do.

#include "core/export/output_file.h"
#include "core/plan/presented.h"
#include "core/plan/todo_list.h"
#include "core/text/text.h"
#include "repl/commands/handlers.h"
#include "repl/screen/turn_view.h"
#include "repl/session/session.h"
#include "repl/terminal/requests.h"

namespace skein::commands {

namespace {

using plan::TodoItem, plan::TodoList;

constexpr std::string_view usual_plan_file = "PLAN.md";

// Approved, or also one that was only presented; an approved one as the user left it.
model::Plan newest_plan(Session& session, bool approved) {
  const agent::Conversation& conversation = session.conversation();
  std::optional<model::Plan> found;
  conversation.path_until([&](const model::Entry& entry) {
    if (conversation.state().redacted.contains(entry.id)) return false;
    found = plan::approved_in(entry);
    if (!found && !approved) found = plan::presented_in(entry);
    return found.has_value();
  });
  if (!found)
    throw Error(std::string("no plan has been ") + (approved ? "approved" : "presented") +
                " here; /plan TASK starts plan mode");
  return *std::move(found);
}

void save_plan(Session& session, std::string_view name) {
  namespace fs = std::filesystem;
  const model::Plan plan = newest_plan(session, false);
  const fs::path root = fs::path(session.workspace()).lexically_normal();
  const fs::path file = (root / (name.empty() ? usual_plan_file : name)).lexically_normal();
  const fs::path below = file.lexically_relative(root);
  if (below.empty() || below == "." || *below.begin() == "..")
    throw Error("/plan save writes only into the workspace, and " + file.string() + " is outside");
  using exporters::OutputFile;
  std::error_code ignored;
  const bool there = fs::exists(fs::symlink_status(file, ignored));
  if (there && !session.confirm(below.string() + " already exists. Overwrite it?"))
    throw Error(below.string() + " was not changed; /plan save FILE uses another name");
  OutputFile out(file.string(), there ? OutputFile::Existing::replace : OutputFile::Existing::keep);
  out.write(plan.text);
  if (!plan.text.ends_with('\n')) out.write("\n");
  out.finish();
  session.screen().print_untrusted("wrote the plan to " + below.string() + "\n");
}

// As far back as it takes: a summary may stand before it.
TodoList list_of(Session& session) {
  const agent::Conversation& conversation = session.conversation();
  plan::TodoSearch search(conversation.state().redacted);
  conversation.path_until([&](const model::Entry& entry) { return search.see(entry); });
  return search.found().value_or(TodoList{});
}

std::size_t item_number(const TodoList& list, std::string_view text) {
  const std::optional<std::size_t> number = number_in(text, list.size());
  if (!number)
    throw Error(list.empty() ? "the list is empty"
                             : "which one? 1 to " + std::to_string(list.size()));
  return *number - 1;
}

void add_item(TodoList& list, std::string_view text) {
  if (text.empty()) throw Error("usage: /todo add TEXT");
  if (plan::tidy(TodoList(list.size() + 1)).size() == list.size())
    throw Error("the list is full: " + plan::progress_of(list));
  list.push_back({TodoItem::State::pending, std::string(text)});
}
void finish_item(TodoList& list, std::string_view number) {
  list[item_number(list, number)].state = TodoItem::State::done;
}
void drop_item(TodoList& list, std::string_view number) {
  list.erase(list.begin() + static_cast<std::ptrdiff_t>(item_number(list, number)));
}

struct TodoVerb {
  std::string_view name;
  void (*change)(TodoList&, std::string_view);
};
constexpr TodoVerb todo_verbs[] = {
    {"add", add_item},
    {"clear", [](TodoList& list, std::string_view) { list.clear(); }},
    {"done", finish_item},
    {"drop", drop_item}};

void print_list(Session& session, const TodoList& list) {
  if (list.empty()) return session.screen().print("the list is empty\n");
  TodoList numbered = list;
  for (std::size_t i = 0; i < list.size(); ++i)
    numbered[i].text = std::to_string(i + 1) + ". " + list[i].text;
  session.screen().print(
      screen::todo_view(numbered, {}, session.screen().width(), session.screen().look()));
  session.screen().print(plan::progress_of(list) + "\n");
}

}  // namespace

// One more word at most: "save the state before each step" is something to plan.
void show_plan(Session& session, std::string_view text) {
  if (text.empty()) return session.screen().show(newest_plan(session, true));
  const auto [action, rest] = first_word(text);
  const std::string_view file = trimmed(rest);
  if (text == "copy") return copy_to_clipboard(session, newest_plan(session, false).text);
  if (action == "save" && file.find_first_of(" \n") == std::string_view::npos)
    return save_plan(session, file);
  session.settings().rules.mode = permission::Mode::plan;
  session.screen().print("permission mode plan: " + permission::describe(permission::Mode::plan) +
                         "; Shift+Tab leaves it\n");
  session.turn(std::string(text));
}

Choices plan_words(Session&, std::string_view start) {
  return names_from(std::array{"copy", "save"}, start);
}

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

Choices todo_words(Session&, std::string_view start) {
  return names_from(todo_verbs, start, &TodoVerb::name);
}

}  // namespace skein::commands
