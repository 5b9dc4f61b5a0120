// The list of what is to be done, as the model keeps it with its tool and the user with /todo. It
// belongs to the path: the newest entry that sets it counts, so it follows every move of the head.
#pragma once

#include "core/model/entry.h"

namespace skein::plan {

inline constexpr std::string_view todo_tool = "todo";  // its name

struct TodoItem {
  enum class State { pending, doing, done } state = State::pending;
  std::string text{};
  bool operator==(const TodoItem&) const = default;
};
using TodoList = std::vector<TodoItem>;

// As a call says it, in our words or in those of other agents' tools; or what is wrong with it, for
// the model. At most 50 items of 300 characters; of several that are being done the first is.
struct ReadTodo {
  TodoList items{};
  std::string complaint{};  // empty: it was understood
};
ReadTodo read_todo(const JsonText& input);
// The same limits for what comes from elsewhere.
TodoList tidy(TodoList items);

std::size_t done_in(const TodoList& list);
bool is_finished(const TodoList& list);            // an empty one is
std::string progress_of(const TodoList& list);     // "3 of 7 done"
const TodoItem* current_in(const TodoList& list);  // what is being done, else what comes next
// One line each, for the model: "[x] text", "[>] text", "[ ] text".
std::string todo_lines(const TodoList& list);

// `meta` of a message that sets the list.
JsonText todo_meta(const TodoList& list);
// A message that tells the model of a list, and sets it; it is no prompt.
model::Entry todo_entry(const std::string& opening, const TodoList& list);

// Finds the list of a path: is shown its entries, the newest first, until one of them sets it.
class TodoSearch {
 public:
  // `redacted` must outlive this.
  explicit TodoSearch(const std::set<Id>& redacted) : redacted_(redacted) {}
  // True: found, no more need be shown.
  bool see(const model::Entry& entry);
  void see_all(std::span<const model::Entry> path);
  const std::optional<TodoList>& found() const { return found_; }
  bool by_message() const { return by_message_; }  // by an entry as todo_entry makes them

 private:
  bool see_calls(const model::Message& message);

  const std::set<Id>& redacted_;
  std::set<std::string> failed_{};  // calls that set nothing
  std::optional<TodoList> found_{};
  bool by_message_ = false;
};
TodoList todo_on(std::span<const model::Entry> path, const std::set<Id>& redacted);

}  // namespace skein::plan
