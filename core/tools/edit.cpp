// edit: replaces an exact piece of text in a file.

#include "core/text/io.h"
#include "core/text/text.h"
#include "core/tools/arguments.h"
#include "core/tools/diff.h"
#include "core/tools/tools.h"

namespace skein::tools {

namespace {

constexpr std::size_t most_kept_bytes = 64u << 20;  // as a blob holds

// Saves what is in the open file, then replaces it. Returns why it did not; empty: it was done.
std::string replace(const Root& root, const FilePlace& place, const OpenedFile& old,
                    const std::optional<std::string>& bytes, std::string_view content,
                    const ToolPorts& ports) {
  model::FileBefore saved{.below = place.below};
  std::optional<workspace::Expected> before;
  if (old) {
    saved = {.below = place.below,
             .bytes = bytes,
             .mode = old.info.st_mode & 07777,
             .size = bytes ? bytes->size() : static_cast<std::uint64_t>(old.info.st_size),
             .too_large = !bytes};
    before = {old.info, bytes ? workspace::holding(*bytes) : workspace::Holds{}};
  }
  if (ports.before_write)
    if (std::string refusal = ports.before_write(saved); !refusal.empty()) return refusal;
  return root.replace(place, content, before);
}

ToolOutcome run_write(const Root& root, const ToolLimits& limits, const JsonText& input,
                      const ToolPorts& ports) {
  Arguments arguments(input);
  const std::string path = arguments.text("path");
  const std::string content = arguments.text("content");
  if (!arguments.complaint().empty()) return tool_failure(arguments.complaint());

  const FilePlace place = judged_place(root, path, ports, Root::Missing::make_folders);
  if (!place) return tool_failure(place.refusal);
  const OpenedFile old = root.open_file(place);
  if (!old && !old.missing) return tool_failure(old.refusal);
  std::optional<std::string> bytes;
  if (old && old.info.st_size <= off_t{most_kept_bytes})
    bytes = read_all(old.fd.get(), most_kept_bytes);
  if (const std::string refusal = replace(root, place, old, bytes, content, ports);
      !refusal.empty())
    return tool_failure(refusal);
  ToolOutcome done = tool_text("wrote " + counted(split(content, '\n').size(), "line") + ", " +
                               with_separators(content.size()) + " bytes, to " + root.shown(path));
  // Of a new file the call says it all.
  if (bytes && bytes->size() <= limits.edit_bytes && !looks_binary(*bytes))
    done.meta = model::diff_meta(unified_diff(*bytes, content, root.shown(path)));
  return done;
}

model::Preview preview_write(const Root& root, const ToolLimits& limits, const JsonText& input) {
  Arguments arguments(input);
  const std::string path = arguments.text("path");
  const std::string content = arguments.text("content");
  if (!arguments.complaint().empty()) return {""};

  std::string before;
  if (const FilePlace place = root.locate(path)) {
    const OpenedFile file = root.open_file(place);
    if (!file && !file.missing) return {file.refusal, true};
    if (file) {
      auto bytes = read_all(file.fd.get(), limits.edit_bytes);
      if (!bytes || looks_binary(*bytes))
        return {"replaces " + root.shown(path) + ", which is too large or not text, with " +
                with_separators(content.size()) + " bytes"};
      before = std::move(*bytes);
    }
  }
  return {unified_diff(before, content, root.shown(path))};
}

struct Edit {
  std::string path{}, old_text{}, new_text{};
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
  if (edit.old_text.empty()) return {.problem = "`old_text` is empty; to create a file, use write"};
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
struct EditAttempt {
  Edit edit{};
  FilePlace place{};
  OpenedFile file{};
  std::string before{};
  Edited after{};
  std::string problem{};
};

EditAttempt attempt(const Root& root, const ToolLimits& limits, const JsonText& input,
                    const ToolPorts& ports) {
  EditAttempt made;
  Arguments arguments(input);
  made.edit = {arguments.text("path"), arguments.text("old_text"), arguments.text("new_text"),
               arguments.flag("replace_all")};
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
  const EditAttempt made = attempt(root, limits, input, ports);
  if (!made.problem.empty()) return tool_failure(made.problem);
  if (const std::string refusal =
          replace(root, made.place, made.file, made.before, made.after.text, ports);
      !refusal.empty())
    return tool_failure(refusal);
  const std::size_t count = made.after.count;
  ToolOutcome done = tool_text("changed " + root.shown(made.edit.path) + " at line " +
                               std::to_string(made.after.first_line) +
                               (count > 1 ? " and " + counted(count - 1, "more place") : ""));
  done.meta =
      model::diff_meta(unified_diff(made.before, made.after.text, root.shown(made.edit.path)));
  return done;
}

model::Preview preview_edit(const Root& root, const ToolLimits& limits, const JsonText& input) {
  const EditAttempt made = attempt(root, limits, input, {});
  if (!made.problem.empty()) return {made.problem, true};
  return {unified_diff(made.before, made.after.text, root.shown(made.edit.path))};
}

auto preview_with(const Roots& roots, const ToolLimits& limits,
                  model::Preview (*preview)(const Root&, const ToolLimits&, const JsonText&)) {
  return [=](const JsonText& input) -> model::Preview {
    const std::string path = Arguments(input).text("path", "");
    const Roots::Chosen chosen = roots.of(path, Roots::Use::writes);
    if (chosen.closed) return {Roots::closed_to_changes(path), true};
    return preview(*chosen.root, limits, input);
  };
}

// Between the texts of two arguments.
auto diff_of(const Roots& roots, std::string_view before, std::string_view after) {
  return [=, root = roots.workspace()](const JsonText& input) {
    Arguments arguments(input);
    return unified_diff(arguments.text(before, ""), arguments.text(after, ""),
                        root->shown(arguments.text("path", "")));
  };
}

}  // namespace

Tool edit_tool(const Roots& roots, const ToolLimits& limits) {
  Tool tool =
      path_tool("edit", model::Argument::Kind::file, Effect::writes, roots, limits, run_edit);
  tool.description =
      "Change a file in the workspace: replaces old_text, which must occur exactly once (or set "
      "replace_all), with new_text. White space counts.";
  tool.schema = schema_of(
      "path old_text new_text",
      {{"path", "string", "file to change, relative to the workspace"},
       {"old_text", "string",
        "the text to replace, exactly as it is in the file, with enough around it to occur only "
        "once"},
       {"new_text", "string", "what to put in its place"},
       {"replace_all", "boolean", "replace every occurrence instead of the only one"}});
  tool.preview = preview_with(roots, limits, preview_edit);
  tool.diff = diff_of(roots, "old_text", "new_text");
  tool.amendable = "new_text";
  tool.other_names = {"multiedit", "notebookedit"};
  return tool;
}

Tool write_tool(const Roots& roots, const ToolLimits& limits) {
  Tool tool =
      path_tool("write", model::Argument::Kind::file, Effect::writes, roots, limits, run_write);
  tool.description =
      "Write a file in the workspace: creates it or replaces everything in it. To change a part of "
      "a file, use edit.";
  tool.schema = schema_of(
      "path content",
      {{"path", "string", "file to write, relative to the workspace; missing folders are created"},
       {"content", "string", "the whole text of the file"}});
  tool.preview = preview_with(roots, limits, preview_write);
  tool.diff = diff_of(roots, "", "content");
  tool.amendable = "content";
  tool.forbidden_with = "edit";
  return tool;
}

}  // namespace skein::tools
