// write: a file's whole contents, new or instead of the old.
#include "core/text/amounts.h"
#include "core/tools/arguments.h"
#include "core/tools/diff.h"
#include "core/tools/tools.h"
#include "core/tools/workspace/reading.h"

namespace skein::tools {

namespace {

constexpr std::string_view write_schema = R"({
  "type": "object",
  "properties": {
    "path": {"type": "string", "description": "file to write, relative to the workspace; missing folders are made"},
    "content": {"type": "string", "description": "the whole text of the file"}
  },
  "required": ["path", "content"],
  "additionalProperties": false
})";

model::ToolOutcome run_write(const workspace::Root& root, const JsonText& input,
                             const model::ToolPorts& ports) {
  Arguments arguments(input);
  const std::string path = arguments.text("path");
  const std::string content = arguments.text("content");
  if (!arguments.complaint().empty()) return model::tool_failure(arguments.complaint());

  const workspace::Place place =
      judged_place(root, path, ports, workspace::Root::Missing::make_folders);
  if (!place) return model::tool_failure(place.refusal);
  if (const std::string refusal = root.replace(place, content); !refusal.empty())
    return model::tool_failure(refusal);
  return model::tool_text("wrote " + counted(workspace::split_lines(content).size(), "line") +
                          ", " + with_separators(content.size()) + " bytes, to " +
                          root.shown(path));
}

std::string preview_write(const workspace::Root& root, const ToolLimits& limits,
                          const JsonText& input) {
  Arguments arguments(input);
  const std::string path = arguments.text("path");
  const std::string content = arguments.text("content");
  if (!arguments.complaint().empty()) return "";

  std::string before;
  if (const workspace::Place place = root.locate(path)) {
    const workspace::Opened file = root.open_file(place);
    if (!file && !file.missing) return file.refusal;
    if (file) {
      auto bytes = workspace::read_all(file.fd.get(), limits.edit_bytes);
      if (!bytes || workspace::looks_binary(*bytes))
        return "replaces " + root.shown(path) + ", which is too large or not text, with " +
               with_separators(content.size()) + " bytes";
      before = std::move(*bytes);
    }
  }
  return unified_diff(before, content, root.shown(path));
}

}  // namespace

model::Tool write_tool(SharedRoot root, const ToolLimits& limits) {
  return {
      .name = "write",
      .description =
          "Write a file of the workspace: makes it, or replaces everything in it. To change a part "
          "of a file, use edit.",
      .schema = std::string(write_schema),
      .effect = model::Effect::writes,
      .argument = {model::Argument::Kind::file, "path"},
      .title =
          [root](const JsonText& input) {
            return one_line("write", root->shown(Arguments(input).text("path", "")));
          },
      .preview = [root,
                  limits](const JsonText& input) { return preview_write(*root, limits, input); },
      .diff =
          [root](const JsonText& input) {
            Arguments arguments(input);
            return unified_diff("", arguments.text("content", ""),
                                root->shown(arguments.text("path", "")));
          },
      .run = [root](const JsonText& input,
                    const model::ToolPorts& ports) { return run_write(*root, input, ports); },
      .locate = [root](std::string_view path) { return root->located(path); },
      .amendable = "content",
      .forbidden_with = "edit",
  };
}

}  // namespace skein::tools
