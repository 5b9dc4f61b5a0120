// edit: one exact piece of a file's text becomes another.
#include <algorithm>

#include "core/text/amounts.h"
#include "core/text/io.h"
#include "core/tools/arguments.h"
#include "core/tools/closest_lines.h"
#include "core/tools/diff.h"
#include "core/tools/tools.h"

namespace skein::tools {

namespace {

constexpr std::string_view edit_schema = R"({
  "type": "object",
  "properties": {
    "path": {"type": "string", "description": "file to change, relative to the workspace"},
    "old_text": {"type": "string", "description": "the text to replace, exactly as it is in the file, with enough around it to occur only once"},
    "new_text": {"type": "string", "description": "what to put in its place"},
    "replace_all": {"type": "boolean", "description": "replace every occurrence instead of the only one"}
  },
  "required": ["path", "old_text", "new_text"],
  "additionalProperties": false
})";

struct Edit {
  std::string path, old_text, new_text;
  bool replace_all = false;
};

struct Edited {
  std::string text{};
  std::size_t count = 0;
  std::size_t first_line = 0;
  std::string problem{};
};

std::size_t line_at(std::string_view text, std::size_t at) {
  return static_cast<std::size_t>(
             std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n')) +
         1;
}

Edited with_edit(std::string_view text, const Edit& edit) {
  if (edit.old_text.empty()) return {.problem = "`old_text` is empty; to make a file, use write"};
  if (edit.old_text == edit.new_text)
    return {.problem = "`old_text` and `new_text` are the same: nothing to change"};
  Edited result;
  std::string lines;
  std::size_t from = 0;
  for (std::size_t at = text.find(edit.old_text); at != std::string_view::npos;
       at = text.find(edit.old_text, from)) {
    if (result.count < 10) lines += (lines.empty() ? "" : ", ") + std::to_string(line_at(text, at));
    if (result.count++ == 0) result.first_line = line_at(text, at);
    result.text += text.substr(from, at - from);
    result.text += edit.new_text;
    from = at + edit.old_text.size();
  }
  result.text += text.substr(from);
  if (result.count == 0) {
    const std::string hint = nearest_lines(text, edit.old_text);
    return {.problem = "`old_text` is not in the file" + (hint.empty() ? "" : "; " + hint)};
  }
  if (result.count > 1 && !edit.replace_all)
    return {.problem = "`old_text` occurs " + std::to_string(result.count) + " times (lines " +
                       lines + (result.count > 10 ? ", …" : "") +
                       "); give more of the text around it, or set replace_all"};
  return result;
}

// Everything up to the new text, so that what was approved and what is done come the same way.
struct Attempt {
  Edit edit{};
  Place place{};
  Opened file{};
  std::string before{};
  Edited after{};
  std::string problem{};
};

Attempt attempt(const Root& root, const ToolLimits& limits, const JsonText& input,
                const ToolPorts& ports) {
  Attempt made;
  Arguments arguments(input);
  made.edit.path = arguments.text("path");
  made.edit.old_text = arguments.text("old_text");
  made.edit.new_text = arguments.text("new_text");
  made.edit.replace_all = arguments.flag("replace_all");
  const auto fail = [&](const std::string& why) {
    made.problem = why;
    return std::move(made);
  };
  if (!arguments.complaint().empty()) return fail(arguments.complaint());
  made.place = judged_place(root, made.edit.path, ports);
  if (!made.place) return fail(made.place.refusal);
  made.file = root.open_file(made.place);
  if (!made.file) return fail(made.file.refusal);
  auto bytes = read_all(made.file.fd.get(), limits.edit_bytes);
  if (!bytes)
    return fail(made.place.name + ": larger than the " + with_separators(limits.edit_bytes) +
                " bytes that can be edited");
  made.before = std::move(*bytes);
  made.after = with_edit(made.before, made.edit);
  if (!made.after.problem.empty()) return fail(made.place.name + ": " + made.after.problem);
  return made;
}

ToolOutcome run_edit(const Root& root, const ToolLimits& limits, const JsonText& input,
                     const ToolPorts& ports) {
  const Attempt made = attempt(root, limits, input, ports);
  if (!made.problem.empty()) return tool_failure(made.problem);
  if (ports.before_write)
    if (const std::string refusal = ports.before_write({.below = made.place.below,
                                                        .bytes = made.before,
                                                        .mode = made.file.info.st_mode & 07777,
                                                        .size = made.before.size()});
        !refusal.empty())
      return tool_failure(refusal);
  const std::string refusal =
      root.replace(made.place, made.after.text,
                   workspace::Expected{made.file.info, workspace::holding(made.before)});
  if (!refusal.empty()) return tool_failure(refusal);
  const std::size_t count = made.after.count;
  return tool_text("changed " + root.shown(made.edit.path) + " at line " +
                   std::to_string(made.after.first_line) +
                   (count > 1 ? " and " + counted(count - 1, "more place") : ""));
}

std::string preview_edit(const Root& root, const ToolLimits& limits, const JsonText& input) {
  const Attempt made = attempt(root, limits, input, {});
  if (!made.problem.empty()) return made.problem;
  return unified_diff(made.before, made.after.text, root.shown(made.edit.path));
}

}  // namespace

Tool edit_tool(const Roots& roots, const ToolLimits& limits) {
  Tool tool =
      path_tool("edit", model::Argument::Kind::file, Effect::writes, roots, limits, run_edit);
  tool.description =
      "Change a file of the workspace: replaces old_text, which must occur exactly once (or set "
      "replace_all), by new_text. White space counts.";
  tool.schema = edit_schema;
  tool.preview = [=](const JsonText& input) {
    const Roots::Chosen chosen = roots.of(Arguments(input).text("path", ""), Roots::Use::writes);
    return preview_edit(*chosen.root, limits, input);
  };
  tool.diff = [root = roots.workspace()](const JsonText& input) {
    Arguments arguments(input);
    return unified_diff(arguments.text("old_text", ""), arguments.text("new_text", ""),
                        root->shown(arguments.text("path", "")));
  };
  tool.amendable = "new_text";
  tool.other_names = {"multiedit", "notebookedit"};
  return tool;
}

}  // namespace skein::tools
