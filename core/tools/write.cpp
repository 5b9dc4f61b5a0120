// write: a file's whole contents, new or instead of the old.
#include <sys/stat.h>

#include <cstdint>
#include <optional>

#include "core/text/amounts.h"
#include "core/text/io.h"
#include "core/text/text.h"
#include "core/tools/arguments.h"
#include "core/tools/diff.h"
#include "core/tools/tools.h"
#include "core/tools/workspace/reading.h"

namespace skein::tools {

namespace {

constexpr std::size_t most_kept_bytes = 64u << 20;  // as a blob holds

constexpr std::string_view write_schema = R"({
  "type": "object",
  "properties": {
    "path": {"type": "string", "description": "file to write, relative to the workspace; missing folders are made"},
    "content": {"type": "string", "description": "the whole text of the file"}
  },
  "required": ["path", "content"],
  "additionalProperties": false
})";

// What is about to be replaced, as it is in the open file.
std::string keep_old(const Place& place, const Opened& old, const std::optional<std::string>& bytes,
                     const ToolPorts& ports) {
  if (!old) return ports.before_write({.below = place.below});
  return ports.before_write({.below = place.below,
                             .bytes = bytes,
                             .mode = old.info.st_mode & 07777,
                             .size = static_cast<std::uint64_t>(old.info.st_size),
                             .too_large = !bytes});
}

ToolOutcome run_write(const Root& root, const ToolLimits&, const JsonText& input,
                      const ToolPorts& ports) {
  Arguments arguments(input);
  const std::string path = arguments.text("path");
  const std::string content = arguments.text("content");
  if (!arguments.complaint().empty()) return tool_failure(arguments.complaint());

  const Place place = judged_place(root, path, ports, Root::Missing::make_folders);
  if (!place) return tool_failure(place.refusal);
  const Opened old = root.open_file(place);
  if (!old && !old.missing) return tool_failure(old.refusal);
  std::optional<std::string> bytes;
  if (old && old.info.st_size <= off_t{most_kept_bytes})
    bytes = read_all(old.fd.get(), most_kept_bytes);
  if (ports.before_write)
    if (const std::string refusal = keep_old(place, old, bytes, ports); !refusal.empty())
      return tool_failure(refusal);
  std::optional<workspace::Expected> before;
  if (old) before = {old.info, bytes ? workspace::holding(*bytes) : workspace::Holds{}};
  if (const std::string refusal = root.replace(place, content, before); !refusal.empty())
    return tool_failure(refusal);
  return tool_text("wrote " + counted(split(content, '\n').size(), "line") + ", " +
                   with_separators(content.size()) + " bytes, to " + root.shown(path));
}

std::string preview_write(const Root& root, const ToolLimits& limits, const JsonText& input) {
  Arguments arguments(input);
  const std::string path = arguments.text("path");
  const std::string content = arguments.text("content");
  if (!arguments.complaint().empty()) return "";

  std::string before;
  if (const Place place = root.locate(path)) {
    const Opened file = root.open_file(place);
    if (!file && !file.missing) return file.refusal;
    if (file) {
      auto bytes = read_all(file.fd.get(), limits.edit_bytes);
      if (!bytes || workspace::looks_binary(*bytes))
        return "replaces " + root.shown(path) + ", which is too large or not text, with " +
               with_separators(content.size()) + " bytes";
      before = std::move(*bytes);
    }
  }
  return unified_diff(before, content, root.shown(path));
}

}  // namespace

Tool write_tool(const Roots& roots, const ToolLimits& limits) {
  Tool tool =
      path_tool("write", model::Argument::Kind::file, Effect::writes, roots, limits, run_write);
  tool.description =
      "Write a file of the workspace: makes it, or replaces everything in it. To change a part of "
      "a file, use edit.";
  tool.schema = write_schema;
  tool.preview = [=](const JsonText& input) {
    const Roots::Chosen chosen = roots.of(Arguments(input).text("path", ""), Roots::Use::writes);
    return preview_write(*chosen.root, limits, input);
  };
  tool.diff = [root = roots.workspace()](const JsonText& input) {
    Arguments arguments(input);
    return unified_diff("", arguments.text("content", ""), root->shown(arguments.text("path", "")));
  };
  tool.amendable = "content";
  tool.forbidden_with = "edit";
  return tool;
}

}  // namespace skein::tools
