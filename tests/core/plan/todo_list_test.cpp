#include "core/plan/todo_list.h"

#include <doctest/doctest.h>

#include <string>

#include "core/model/message.h"

using namespace skein;
using namespace skein::plan;

namespace {

using State = TodoItem::State;

model::Entry call_of(const std::string& id, const std::string& input,
                     const std::string& name = "todo") {
  model::Message message{.role = model::Role::assistant, .stop = model::Stop::tool_use};
  message.content = {model::ToolUse{id, name, input}};
  return model::message_entry(message);
}

model::Entry result_of(const std::string& id, bool is_error) {
  model::Message message{.role = model::Role::tool};
  message.content = {model::ToolResult{id, {model::Text{"so"}}, is_error}};
  return model::message_entry(message);
}

std::string list(const std::string& text) {
  return R"({"items":[{"text":")" + text + R"(","state":"pending"}]})";
}

std::string first_of(const std::vector<model::Entry>& path, const std::set<Id>& redacted = {}) {
  const TodoList found = todo_on(path, redacted);
  return found.empty() ? "" : found.front().text;
}

}  // namespace

TEST_CASE("a list is understood in our words and in those of other agents' tools") {
  const TodoList expected{{State::done, "a"}, {State::doing, "b"}, {State::pending, "c"}};
  for (
      const char* input :
      {R"({"items":[{"text":"a","state":"done"},{"text":"b","state":"doing"},{"text":"c","state":"pending"}]})",
       R"({"todos":[{"content":"a","status":"completed","activeForm":"A"},{"content":"b","status":"in_progress"},{"content":"c","status":"pending"}]})",
       R"({"explanation":"so","plan":[{"step":"a","status":"completed"},{"step":"b","status":"in_progress"},{"step":"c","status":"pending"}]})"}) {
    CAPTURE(input);
    const ReadTodo read = read_todo(input);
    CHECK(read.complaint == "");
    CHECK(read.items == expected);
    CHECK(progress_of(read.items) == "1 of 3 done");
    CHECK(todo_lines(read.items) == "[x] a\n[>] b\n[ ] c\n");
  }
}

TEST_CASE("of too many items the first fifty count, of long ones the first 300 characters") {
  std::string input = R"({"items":[)";
  for (int i = 0; i < 200; ++i)
    input += std::string(i > 0 ? "," : "") + R"({"text":")" + std::to_string(i) + R"("})";
  CHECK(read_todo(input + "]}").items.size() == 50);
  std::string long_text;
  for (int i = 0; i < 400; ++i) long_text += "ä";
  const TodoList cut = read_todo(R"({"items":[")" + long_text + R"("]})").items;
  REQUIRE(cut.size() == 1);
  CHECK(cut.front().text.size() == 300 * 2 + std::string("…").size());
  CHECK(read_todo(R"({"items":["a\nb"]})").items.front().text == "a b");
}

TEST_CASE("of several that are being done the first is") {
  const TodoList items =
      read_todo(R"({"items":[{"text":"a","state":"doing"},{"text":"b","state":"doing"}]})").items;
  CHECK(items == TodoList{{State::doing, "a"}, {State::pending, "b"}});
}

TEST_CASE("what is no list is said to be none, and an empty one is one") {
  CHECK(read_todo("[]").complaint != "");
  CHECK(read_todo(R"({"items":"a"})").complaint != "");
  CHECK(read_todo(R"({"items":[{"state":"done"}]})").complaint != "");
  CHECK(read_todo(R"({"items":[{"text":"a","state":"soon"}]})").complaint.find("soon") !=
        std::string::npos);
  CHECK(read_todo(R"({"items":[]})").complaint == "");
  CHECK(is_finished({}));
  CHECK(current_in({}) == nullptr);
}

TEST_CASE("the list of a path is what the newest call on it says that was not refused") {
  std::vector<model::Entry> path{call_of("1", list("first")), result_of("1", false)};
  CHECK(first_of(path) == "first");
  path.push_back(call_of("2", list("second")));
  path.push_back(result_of("2", true));
  CHECK(first_of(path) == "first");
  path.push_back(call_of("3", list("other"), "read"));
  CHECK(first_of(path) == "first");
  path.push_back(call_of("4", R"({"items":"?"})"));
  CHECK(first_of(path) == "first");
  path.push_back(call_of("5", list("third")));
  path.push_back(result_of("5", false));
  CHECK(first_of(path) == "third");
  CHECK(first_of(path, {path[path.size() - 2].id}) == "first");
  path.resize(2);  // the head went back
  CHECK(first_of(path) == "first");
}

TEST_CASE("what the user changed counts like a call, and is told without being a prompt") {
  std::vector<model::Entry> path{call_of("1", list("first")), result_of("1", false)};
  path.push_back(todo_entry("The user changed it:", {{State::pending, "mine"}}));
  CHECK(first_of(path) == "mine");
  CHECK(model::tells_todo(path.back()));
  const auto message = model::message_of(path.back());
  REQUIRE(message);
  CHECK_FALSE(model::is_prompt(*message));
  CHECK(model::plain_text(*message) == "The user changed it:\n[ ] mine\n");
  path.push_back(todo_entry("The user changed it:", {}));
  CHECK(todo_on(path, {}).empty());
  const std::set<Id> none;
  TodoSearch search(none);
  CHECK(search.see(path.back()));
  CHECK(search.by_message());
}
