// todo: the model's list of what is to be done. The call itself is what is kept.
#include "core/plan/todo_list.h"
#include "core/tools/arguments.h"
#include "core/tools/tools.h"

namespace skein::tools {

namespace {

constexpr std::string_view todo_schema = R"({
  "type": "object",
  "properties": {
    "items": {
      "type": "array",
      "description": "the whole list, each time",
      "items": {
        "type": "object",
        "properties": {
          "text": {"type": "string"},
          "state": {"type": "string", "description": "pending, doing (one at most) or done"}
        },
        "required": ["text", "state"]
      }
    }
  },
  "required": ["items"]
})";

std::string todo_title(const JsonText& input) {
  const plan::ReadTodo read = plan::read_todo(input);
  if (!read.complaint.empty()) return "todo";
  return one_line("todo", plan::progress_of(read.items));
}

}  // namespace

Tool todo_tool() {
  Tool tool;
  tool.name = plan::todo_tool;
  tool.description =
      "Keep a list of what is to be done, for work of three steps or more; the user sees it. Send "
      "the whole list whenever an item begins or is done.";
  tool.schema = todo_schema;
  tool.effect = Effect::reads;
  tool.does = "plans";
  tool.title = todo_title;
  tool.run = [](const JsonText& input, const ToolPorts&) {
    const plan::ReadTodo read = plan::read_todo(input);
    if (!read.complaint.empty()) return tool_failure(read.complaint);
    return tool_text("ok, " + plan::progress_of(read.items));
  };
  tool.other_names = {"todowrite", "todo_write", "write_todos", "update_plan"};
  return tool;
}

}  // namespace skein::tools
