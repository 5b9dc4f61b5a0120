// list: what is in a folder, and below it, without what git ignores.
#include <algorithm>
#include <vector>

#include "core/text/base.h"
#include "core/tools/arguments.h"
#include "core/tools/tools.h"
#include "core/tools/workspace/tree_walk.h"

namespace skein::tools {

namespace {

constexpr std::string_view list_schema = R"({
  "type": "object",
  "properties": {
    "path": {"type": "string", "description": "folder to list, relative to the workspace; the workspace itself if left out"},
    "depth": {"type": "integer", "minimum": 1, "description": "how many levels to show; 2 if left out"}
  },
  "additionalProperties": false
})";
constexpr std::size_t default_depth = 2, deepest = 20;

struct Listing {
  std::vector<std::string> lines{};
  std::size_t bytes = 0;
  bool cut = false;
  bool left_out = false;  // something a rule forbids
  bool deeper = false;    // there are folders whose contents are not shown
  std::string refusal{};
};

Listing list(const workspace::Root& root, const std::string& path, std::size_t depth,
             const ToolLimits& limits, const model::ToolPorts& ports) {
  Listing listing;
  workspace::WalkOptions options{.depth = static_cast<int>(depth)};
  if (ports.denied)
    options.denied = [&](std::string_view below) {
      const bool denied = ports.denied(below);
      listing.left_out |= denied;
      return denied;
    };
  const workspace::Place start = judged_place(root, path, ports);
  listing.refusal =
      workspace::walk_tree(root, path, start, options, [&](const workspace::Walked& found) {
        const bool folder = found.kind == workspace::EntryKind::folder;
        std::string line = found.path + (folder                                     ? "/"
                                         : found.kind == workspace::EntryKind::link ? "@"
                                                                                    : "");
        listing.cut = listing.lines.size() >= limits.list_entries ||
                      listing.bytes + line.size() > limits.result_bytes || ports.stopped();
        if (listing.cut) return workspace::WalkControl::stop;
        listing.deeper |= folder && found.depth == options.depth;
        listing.bytes += line.size() + 1;
        listing.lines.push_back(std::move(line));
        return workspace::WalkControl::go_on;
      });
  return listing;
}

model::ToolOutcome run_list(const workspace::Root& root, const ToolLimits& limits,
                            const JsonText& input, const model::ToolPorts& ports) {
  Arguments arguments(input);
  const std::string path = arguments.text("path", ".");
  const std::size_t wanted =
      std::clamp<std::size_t>(arguments.number("depth", default_depth), 1, deepest);
  if (!arguments.complaint().empty()) return model::tool_failure(arguments.complaint());

  // Level by level, so that one large folder does not crowd out the names beside it.
  Listing listing = list(root, path, 1, limits, ports);
  if (!listing.refusal.empty()) return model::tool_failure(listing.refusal);
  std::size_t depth = 1;
  bool too_long = false;
  while (depth < wanted && listing.deeper && !listing.cut) {
    Listing next = list(root, path, depth + 1, limits, ports);
    too_long = next.cut || !next.refusal.empty();
    if (too_long) break;
    listing = std::move(next);
    ++depth;
  }

  std::string text;
  for (const std::string& line : listing.lines) text += line + "\n";
  if (listing.lines.empty()) text = "[empty, or everything in it is ignored by git]";
  if (listing.left_out) text += "[what the user's rules forbid is left out]\n";
  if (listing.cut)
    text += "[the first " + std::to_string(listing.lines.size()) + " names; there are more]";
  if (too_long)
    text += "[only " + std::to_string(depth) + " of " + std::to_string(wanted) +
            " levels: the next has too many names; list a folder of it instead]";
  return model::tool_text(valid_utf8(text));
}

}  // namespace

model::Tool list_tool(SharedRoot root, const ToolLimits& limits) {
  return {
      .name = "list",
      .description =
          "List the files and folders of the workspace. Folders end in /, symbolic links in @; "
          "what git ignores is left out.",
      .schema = std::string(list_schema),
      .effect = model::Effect::reads,
      .argument = {model::Argument::Kind::tree, "path"},
      .title =
          [root](const JsonText& input) {
            return one_line("list", root->shown(Arguments(input).text("path", ".")));
          },
      .run = [root, limits](
                 const JsonText& input,
                 const model::ToolPorts& ports) { return run_list(*root, limits, input, ports); },
      .locate = [root](std::string_view path) { return root->located(path); },
      .other_names = {"glob", "ls"},
  };
}

}  // namespace skein::tools
