// agent: asks another agent for help. Its name is a plain string: the schema never changes.

#include "core/text/request_text.h"
#include "core/tools/arguments.h"
#include "core/tools/tools.h"

namespace skein::tools {

Tool agent_tool(AskAgent ask, bool background) {
  std::vector<Parameter> parameters{
      {"description", "string", "what the agent does, in three to five words"},
      {"prompt", "string", "the whole task: the agent knows nothing else"},
      {"agent", "string", "name of the agent; default: general"},
      {"model", "string", "provider/model, only if the user asked for it"},
      {"background", "boolean", "run it in the background; you will get its report later"},
      {"resume", "string", "the session of an earlier agent, to resume it"}};
  if (!background) parameters.erase(parameters.begin() + 4);
  return {
      .name = "agent",
      .description =
          "Ask another agent for help. It works on its own, sees nothing of this conversation, and "
          "returns one report. `explore` reads and searches the workspace and changes nothing; "
          "`general` has your tools. Use it where a search would fill this conversation with files "
          "that do not matter later, or for tasks that do not depend on each other: several calls "
          "in one answer run at the same time. Do small things yourself.",
      .schema = schema_of("description prompt", parameters),
      .effect = Effect::reads,  // its own calls are judged one by one
      .title =
          [](const JsonText& input) {
            Arguments arguments(input);
            const std::string name = arguments.text("agent", "");
            return one_line("agent " + (name.empty() ? "general" : name) + ":",
                            arguments.text("description", ""));
          },
      .run =
          [ask = std::move(ask)](const JsonText& input, const ToolPorts& ports) {
            Arguments arguments(input);
            const AgentRequest request{.agent = arguments.text("agent", ""),
                                       .description = arguments.text("description"),
                                       .prompt = arguments.text("prompt"),
                                       .model = arguments.text("model", ""),
                                       .resume = arguments.text("resume", ""),
                                       .background = arguments.flag("background")};
            if (!arguments.complaint().empty()) return tool_failure(arguments.complaint());
            return is_blank(request.prompt) ? tool_failure("the prompt is empty")
                                            : ask(request, ports);
          },
      .other_names = {"task"},
      .concurrent = true,
      .delegates = true};
}

}  // namespace skein::tools
