#include "core/tools/tools.h"

#include "core/tools/arguments.h"

namespace skein::tools {

namespace {

Tools tools_in(const SharedRoot& root, const ToolSettings& settings) {
  const ToolLimits& limits = settings.limits;
  const Roots roots(root, settings.readable, settings.further);
  Tools tools{read_tool(roots, limits), write_tool(roots, limits), edit_tool(roots, limits),
              list_tool(roots, limits), grep_tool(roots, limits),  bash_tool(roots, settings)};
  if (settings.jobs)
    for (Tool (*const make)(SharedJobs) : {job_output_tool, job_stop_tool})
      tools.push_back(make(settings.jobs));
  return tools;
}

}  // namespace

Tools standard_tools(const ToolSettings& settings) {
  return tools_in(
      std::make_shared<const Root>(settings.root, settings.forbidden, workspace::best_resolver(),
                                   settings.withheld, settings.unfinished),
      settings);
}

const Tools& tool_table() {
  static const Tools table = [] {
    Tools tools = tools_in(nullptr, {.root = {}});
    for (const Tool& more : {job_output_tool({}), job_stop_tool({}), recall_tool({}),
                             remember_tool({}), skill_tool({}), web_fetch_tool(nullptr),
                             agent_tool({}), todo_tool(), ask_tool(), present_plan_tool()})
      tools.push_back(more);
    for (Tool& tool : tools) tool.locate = {}, tool.survey = {};
    return tools;
  }();
  return table;
}

Roots::Use use_of(Effect effect) {
  return effect == Effect::writes ? Roots::Use::writes : Roots::Use::reads;
}

Tool path_tool(std::string_view name, model::Argument::Kind kind, Effect effect, const Roots& roots,
               const ToolLimits& limits, ToolFunction run) {
  const Roots::Use use = use_of(effect);
  Tool tool;
  tool.name = name;
  tool.effect = effect;
  tool.argument = {kind, "path"};
  const std::string fallback = kind == model::Argument::Kind::tree ? "." : "";
  tool.title = [=, verb = tool.name](const JsonText& input) {
    return one_line(verb, roots.workspace()->shown(Arguments(input).text("path", fallback)));
  };
  tool.run = [=](const JsonText& input, const ToolPorts& ports) {
    const std::string path = Arguments(input).text("path", fallback);
    const Roots::Chosen chosen = roots.of(path, use);
    if (chosen.closed) return tool_failure(Roots::closed_to_changes(path));
    if (!chosen.further) return run(*chosen.root, limits, input, ports);
    ToolOutcome outcome = run(*chosen.root, limits, input, Roots::ports_in(chosen, ports));
    if (kind == model::Argument::Kind::tree && !outcome.is_error)
      outcome.content.push_back(model::Text{"[these paths are relative to " + chosen.root->path() +
                                            "; put it in front of them]"});
    return outcome;
  };
  tool.locate = [=](std::string_view path) { return roots.located(path, use); };
  return tool;
}

std::function<bool(std::string_view)> noting_denied(const ToolPorts& ports, bool& any) {
  if (!ports.denied) return {};
  return [&](std::string_view below) {
    const bool denied = ports.denied(below);
    any = any || denied;
    return denied;
  };
}

FilePlace judged_place(const Root& root, std::string_view path, const ToolPorts& ports,
                       Root::Missing folders) {
  const auto moved = [&] {
    return FilePlace{.refusal = root.shown(path) +
                                ": the path has changed since it was checked; call the tool again"};
  };
  // Checked before a folder is created, and again on the opened folder.
  if (ports.judged && folders == Root::Missing::make_folders)
    if (const FilePlace now = root.locate(path, Root::Missing::imagine);
        now && now.below != *ports.judged)
      return moved();
  FilePlace place = root.locate(path, folders);
  return place && ports.judged && place.below != *ports.judged ? moved() : std::move(place);
}

}  // namespace skein::tools
