// list: the contents of a folder and its subfolders, without files ignored by git.

#include "core/text/base.h"
#include "core/tools/arguments.h"
#include "core/tools/tools.h"
#include "core/workspace/tree_walk.h"

namespace skein::tools {

using workspace::EntryKind, workspace::walk_tree, workspace::WalkControl, workspace::Walked;

namespace {

constexpr std::size_t default_depth = 2, deepest = 20;

struct DirectoryListing {
  std::vector<std::string> lines{};
  std::size_t bytes = 0;
  bool cut = false;
  bool left_out = false;  // something a rule forbids
  bool deeper = false;    // there are folders whose contents are not shown
  std::string refusal{};
};

DirectoryListing list(const Root& root, const std::string& path, std::size_t depth,
                      const ToolLimits& limits, const ToolPorts& ports) {
  DirectoryListing listing;
  const workspace::WalkOptions options{.depth = static_cast<int>(depth),
                                       .denied = noting_denied(ports, listing.left_out)};
  const FilePlace start = judged_place(root, path, ports);
  listing.refusal = walk_tree(root, path, start, options, [&](const Walked& found) {
    const bool folder = found.kind == EntryKind::folder;
    std::string line = found.path + (folder ? "/" : found.kind == EntryKind::link ? "@" : "");
    listing.cut = listing.lines.size() >= limits.list_entries ||
                  listing.bytes + line.size() > limits.result_bytes || ports.stopped();
    if (listing.cut) return WalkControl::stop;
    listing.deeper |= folder && found.depth == options.depth;
    listing.bytes += line.size() + 1;
    listing.lines.push_back(std::move(line));
    return WalkControl::go_on;
  });
  return listing;
}

ToolOutcome run_list(const Root& root, const ToolLimits& limits, const JsonText& input,
                     const ToolPorts& ports) {
  Arguments arguments(input);
  const std::string path = arguments.text("path", ".");
  const std::size_t wanted =
      std::clamp<std::size_t>(arguments.number("depth", default_depth), 1, deepest);
  if (!arguments.complaint().empty()) return tool_failure(arguments.complaint());

  // Level by level, so that one large folder does not crowd out the names next to it.
  DirectoryListing listing = list(root, path, 1, limits, ports);
  if (!listing.refusal.empty()) return tool_failure(listing.refusal);
  std::size_t depth = 1;
  bool too_long = false;
  while (depth < wanted && listing.deeper && !listing.cut) {
    DirectoryListing next = list(root, path, depth + 1, limits, ports);
    too_long = next.cut || !next.refusal.empty();
    if (too_long) break;
    listing = std::move(next);
    ++depth;
  }

  std::string text;
  for (const std::string& line : listing.lines) text += line + "\n";
  if (listing.lines.empty()) text = "[empty, or everything in it is ignored by git]";
  if (listing.left_out) text += "[files that the user's rules forbid are left out]\n";
  if (listing.cut)
    text += "[the first " + std::to_string(listing.lines.size()) + " names; there are more]";
  if (too_long)
    text += "[only " + std::to_string(depth) + " of " + std::to_string(wanted) +
            " levels: the next has too many names; list a folder of it instead]";
  return tool_text(valid_utf8(text));
}

}  // namespace

Tool list_tool(const Roots& roots, const ToolLimits& limits) {
  Tool tool =
      path_tool("list", model::Argument::Kind::tree, Effect::reads, roots, limits, run_list);
  tool.description =
      "List the files and folders in the workspace. Folders end in /, symbolic links in @. Files "
      "ignored by git are left out.";
  tool.schema =
      schema_of("", {{"path", "string",
                      "folder to list, relative to the workspace; default: the workspace itself"},
                     {"depth", "integer", "how many levels to show; default: 2", 1}});
  tool.concurrent = true;
  tool.other_names = {"glob", "ls"};
  return tool;
}

}  // namespace skein::tools
