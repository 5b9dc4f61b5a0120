#include "core/tools/tools.h"

#include "core/tools/arguments.h"

namespace skein::tools {

namespace {

Tools tools_in(const SharedRoot& root, const ToolSettings& settings) {
  const ToolLimits& limits = settings.limits;
  const SharedReadable& more = settings.readable;
  return {read_tool(root, limits, more), write_tool(root, limits),      edit_tool(root, limits),
          list_tool(root, limits, more), grep_tool(root, limits, more), bash_tool(root, settings)};
}

}  // namespace

Tools standard_tools(const ToolSettings& settings) {
  return tools_in(std::make_shared<const Root>(settings.root, settings.forbidden,
                                               workspace::best_resolver(), settings.withheld),
                  settings);
}

const Tools& tool_table() {
  static const Tools table = [] {
    Tools tools = tools_in(nullptr, {.root = {}});
    tools.push_back(recall_tool({}));
    tools.push_back(remember_tool({}));
    tools.push_back(skill_tool({}));
    tools.push_back(agent_tool({}));
    for (Tool (*const make)() : {todo_tool, ask_tool, present_plan_tool}) tools.push_back(make());
    for (Tool& tool : tools) tool.locate = {};
    return tools;
  }();
  return table;
}

Tool path_tool(std::string_view name, model::Argument::Kind kind, const SharedRoot& root,
               const ToolLimits& limits, ToolFunction run, const SharedReadable& readable) {
  const auto beside = [=](std::string_view path) {
    return readable ? readable->root_of(path) : nullptr;
  };
  Tool tool;
  tool.name = name;
  tool.argument = {kind, "path"};
  const std::string fallback = kind == model::Argument::Kind::tree ? "." : "";
  tool.title = [=, verb = tool.name](const JsonText& input) {
    return one_line(verb, root->shown(Arguments(input).text("path", fallback)));
  };
  tool.run = [=](const JsonText& input, const ToolPorts& ports) {
    const auto other = beside(Arguments(input).text("path", fallback));
    return run(other ? *other : *root, limits, input, ports);
  };
  tool.locate = [=](std::string_view path) {
    const auto other = beside(path);
    return other ? other->located(path) : root->located(path);
  };
  return tool;
}

Place judged_place(const Root& root, std::string_view path, const ToolPorts& ports,
                   Root::Missing folders) {
  const auto moved = [&] {
    return Place{.refusal = root.shown(path) +
                            ": it leads to another place than when it was judged; ask again"};
  };
  // Before a folder is made, and once more with what is open then.
  if (ports.judged && folders == Root::Missing::make_folders)
    if (const Place now = root.locate(path, Root::Missing::imagine);
        now && now.below != *ports.judged)
      return moved();
  Place place = root.locate(path, folders);
  return place && ports.judged && place.below != *ports.judged ? moved() : std::move(place);
}

}  // namespace skein::tools
