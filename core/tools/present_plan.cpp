// present_plan: the way out of plan mode. Only the user can take it.
#include "core/plan/presented.h"
#include "core/text/request_text.h"
#include "core/tools/arguments.h"
#include "core/tools/tools.h"

namespace skein::tools {

namespace {

constexpr std::string_view present_plan_schema = R"({
  "type": "object",
  "properties": {
    "plan": {"type": "string", "description": "Markdown; its steps as a numbered list"},
    "title": {"type": "string", "description": "short"}
  },
  "required": ["plan"],
  "additionalProperties": false
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
    return tool_failure("plan mode is off, so nothing waits for a plan; go on with the work");
  if (!ports.review)
    return tool_failure("nobody can be asked to approve it; give the plan as your answer");
  return plan::outcome_of(plan, ports.review(plan));
}

}  // namespace

Tool present_plan_tool() {
  Tool tool;
  tool.name = plan::present_tool;
  tool.description =
      "In plan mode only: show the user your plan and ask whether it is to be carried out.";
  tool.schema = present_plan_schema;
  tool.effect = Effect::reads;
  tool.asks_user = true;
  tool.title = [](const JsonText& input) {
    Arguments arguments(input);
    return one_line(plan::present_tool, plan::title_of(plan_in(arguments)));
  };
  tool.run = run_present_plan;
  tool.other_names = {"exitplanmode", "exit_plan_mode", "plan_exit"};
  return tool;
}

}  // namespace skein::tools
