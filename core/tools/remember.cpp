// remember: a line that later sessions are told. The user sees it and agrees first; where it is
// kept is up to whoever offers the tool.
#include "core/text/base.h"
#include "core/tools/arguments.h"
#include "core/tools/tools.h"

namespace skein::tools {

namespace {

constexpr std::string_view remember_schema = R"({
  "type": "object",
  "properties": {
    "text": {"type": "string", "description": "one line, understandable without this conversation"}
  },
  "required": ["text"],
  "additionalProperties": false
})";

}  // namespace

Tool remember_tool(Remember remember) {
  const auto text_in = [](const JsonText& input) { return Arguments(input).text("text", ""); };
  Tool tool;
  tool.name = "remember";
  tool.description =
      "Keep a line about this project for later sessions: something the user wants remembered, or "
      "corrected you on. Not what can be seen in the files.";
  tool.schema = remember_schema;
  tool.effect = Effect::writes;
  tool.title = [=](const JsonText& input) { return one_line("remember", text_in(input)); };
  tool.preview = text_in;
  tool.amendable = "text";
  tool.run = [remember = std::move(remember)](const JsonText& input, const ToolPorts& ports) {
    Arguments arguments(input);
    const std::string text = arguments.text("text");
    if (!arguments.complaint().empty()) return tool_failure(arguments.complaint());
    remember(text, ports);
    return tool_text("remembered");
  };
  return tool;
}

}  // namespace skein::tools
