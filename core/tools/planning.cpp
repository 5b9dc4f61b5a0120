// ask, todo and present_plan. ask waits for the user however long it takes, and never answers.
#include "core/plan/presented.h"
#include "core/plan/todo_list.h"
#include "core/text/request_text.h"
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

model::Plan plan_in(Arguments& arguments) {
  return {.title = arguments.text("title", ""), .text = arguments.text("plan")};
}

ToolOutcome run_present_plan(const JsonText& input, const ToolPorts& ports) {
  Arguments arguments(input);
  const model::Plan plan = plan_in(arguments);
  if (!arguments.complaint().empty()) return tool_failure(arguments.complaint());
  if (is_blank(plan.text)) return tool_failure("the plan is empty");
  if (!ports.planning)
    return tool_failure("plan mode is off, so no plan is needed; continue with the work");
  if (!ports.review)
    return tool_failure("no user can be asked to approve it; give the plan as your answer");
  return plan::outcome_of(plan, ports.review(plan));
}

constexpr std::string_view ask_schema = R"({
  "type": "object",
  "properties": {
    "questions": {
      "type": "array",
      "description": "one to four",
      "items": {
        "type": "object",
        "properties": {
          "question": {"type": "string"},
          "header": {"type": "string", "description": "what it is about, in at most 12 characters"},
          "options": {
            "type": "array",
            "description": "two to four; the user can always say something else",
            "items": {
              "type": "object",
              "properties": {
                "label": {"type": "string", "description": "short"},
                "description": {"type": "string", "description": "what choosing it means"}
              },
              "required": ["label"]
            }
          },
          "multiple": {"type": "boolean", "description": "several options may be chosen"}
        },
        "required": ["question", "options"]
      }
    }
  },
  "required": ["questions"]
})";

ToolOutcome run_ask(const JsonText& input, const ToolPorts& ports) {
  const plan::ReadInquiries read = plan::read_inquiries(input);
  if (!read.complaint.empty()) return tool_failure(read.complaint);
  if (!ports.inquire)
    return tool_failure("no user can be asked; decide yourself and say what you assumed");
  std::string answers;
  for (const model::Inquiry& question : read.questions) {
    const std::optional<std::string> answer = ports.inquire(question);
    if (!answer) {
      ToolOutcome out = tool_failure(answers + plan::answer_line(question, "no answer") +
                                     "the user did not answer; stop and wait");
      out.decided.ends_turn = model::Stop::aborted;
      return out;
    }
    answers += plan::answer_line(question, *answer);
  }
  return tool_text(valid_utf8(answers));
}

}  // namespace

Tool ask_tool() {
  return {.name = "ask",
          .description =
              "Ask the user for a decision that only they can make and that the work depends on, "
              "such as a choice between two ways to do it. Do not ask what the files can tell you.",
          .schema = std::string(ask_schema),
          .effect = Effect::reads,
          .title =
              [](const JsonText& input) {
                const plan::ReadInquiries read = plan::read_inquiries(input);
                return read.questions.empty() ? "ask"
                                              : one_line("ask", read.questions.front().question);
              },
          .run = run_ask,
          .other_names = {"askuserquestion", "ask_user", "request_user_input", "question"},
          .asks_user = true};
}

Tool present_plan_tool() {
  return {
      .name = std::string(plan::present_tool),
      .description = "In plan mode only: show the user your plan and ask whether to carry it out.",
      .schema = schema_of("plan", {{"plan", "string", "Markdown; its steps as a numbered list"},
                                   {"title", "string", "short"}}),
      .effect = Effect::reads,
      .title =
          [](const JsonText& input) {
            Arguments arguments(input);
            return one_line(plan::present_tool, plan::title_of(plan_in(arguments)));
          },
      .run = run_present_plan,
      .other_names = {"exitplanmode", "exit_plan_mode", "plan_exit"},
      .asks_user = true};
}

Tool todo_tool() {
  return {.name = std::string(plan::todo_tool),
          .description =
              "Keep a to-do list for work of three steps or more; the user sees it. Send the whole "
              "list whenever an item is started or done.",
          .schema = std::string(todo_schema),
          .effect = Effect::reads,
          .does = "plans",
          .title =
              [](const JsonText& input) {
                const plan::ReadTodo read = plan::read_todo(input);
                return read.complaint.empty() ? one_line("todo", plan::progress_of(read.items))
                                              : "todo";
              },
          .run =
              [](const JsonText& input, const ToolPorts&) {
                const plan::ReadTodo read = plan::read_todo(input);
                return read.complaint.empty() ? tool_text("ok, " + plan::progress_of(read.items))
                                              : tool_failure(read.complaint);
              },
          .other_names = {"todowrite", "todo_write", "write_todos", "update_plan"}};
}

}  // namespace skein::tools
