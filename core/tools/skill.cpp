// skill: instructions for a kind of work, read when they are needed. The name is a plain string, so
// that the declaration stays the same whatever skills there are.
#include "core/tools/arguments.h"
#include "core/tools/tools.h"

namespace skein::tools {

namespace {

constexpr std::string_view skill_schema = R"({
  "type": "object",
  "properties": {
    "name": {"type": "string", "description": "of the skill, as the list of skills has it"}
  },
  "required": ["name"],
  "additionalProperties": false
})";

}  // namespace

Tool skill_tool(ReadSkill read) {
  Tool tool;
  tool.name = "skill";
  tool.description =
      "Read a skill: instructions for a certain kind of work, and the names of the files that "
      "belong to them. The files can be read and searched like those of the workspace.";
  tool.schema = skill_schema;
  tool.effect = Effect::reads;
  tool.title = [](const JsonText& input) {
    return one_line("skill", Arguments(input).text("name", ""));
  };
  tool.run = [read = std::move(read)](const JsonText& input, const ToolPorts& ports) {
    Arguments arguments(input);
    const std::string name = arguments.text("name");
    if (!arguments.complaint().empty()) return tool_failure(arguments.complaint());
    return read(name, ports);
  };
  return tool;
}

}  // namespace skein::tools
