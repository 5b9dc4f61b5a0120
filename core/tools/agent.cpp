// agent: asks another agent for help. The name of an agent is a plain string, so that the
// declaration stays the same whatever agents there are.
#include <string>
#include <string_view>
#include <utility>

#include "core/text/request_text.h"
#include "core/tools/arguments.h"
#include "core/tools/tools.h"

namespace skein::tools {

namespace {

std::string agent_schema(bool background) {
  return std::string(R"({
  "type": "object",
  "properties": {
    "description": {"type": "string", "description": "what for, in three to five words"},
    "prompt": {"type": "string", "description": "the whole task: the agent knows nothing else"},
    "agent": {"type": "string", "description": "its name; left out: general"},
    "model": {"type": "string", "description": "provider/model, only if the user asked for it"},)") +
         (background ? R"(
    "background": {"type": "boolean", "description": "do not wait; you will be told what it found"},)"
                     : "") +
         R"(
    "resume": {"type": "string", "description": "the session of an earlier agent, to go on there"}
  },
  "required": ["description", "prompt"],
  "additionalProperties": false
})";
}

AgentRequest request_in(Arguments& arguments) {
  return {.agent = arguments.text("agent", ""),
          .description = arguments.text("description"),
          .prompt = arguments.text("prompt"),
          .model = arguments.text("model", ""),
          .resume = arguments.text("resume", ""),
          .background = arguments.flag("background")};
}

}  // namespace

Tool agent_tool(AskAgent ask, bool background) {
  Tool tool;
  tool.name = "agent";
  tool.description =
      "Ask another agent for help. It works on its own, sees nothing of this conversation, and "
      "hands back one report. `explore` reads and searches the workspace and changes nothing; "
      "`general` has your tools. Use it where a search would fill this conversation with files "
      "that do not matter later, or for tasks that do not depend on each other: several calls in "
      "one answer run at the same time. Do small things yourself.";
  tool.schema = agent_schema(background);
  tool.effect = Effect::reads;  // its own calls are judged one by one
  tool.concurrent = true;
  tool.delegates = true;
  tool.other_names = {"task"};
  tool.title = [](const JsonText& input) {
    Arguments arguments(input);
    const std::string name = arguments.text("agent", "general");
    return one_line("agent " + (name.empty() ? "general" : name) + ":",
                    arguments.text("description", ""));
  };
  tool.run = [ask = std::move(ask)](const JsonText& input, const ToolPorts& ports) {
    Arguments arguments(input);
    const AgentRequest request = request_in(arguments);
    if (!arguments.complaint().empty()) return tool_failure(arguments.complaint());
    if (is_blank(request.prompt)) return tool_failure("the prompt is empty");
    return ask(request, ports);
  };
  return tool;
}

}  // namespace skein::tools
