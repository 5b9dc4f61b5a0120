// How an Application comes by its hooks, and what /hooks shows of them.
#include <utility>

#include "app/application.h"
#include "app/configured_hooks.h"
#include "app/home.h"
#include "app/trust.h"

namespace skein::app {

void Application::set_up_hooks() {
  ConfiguredHooks found = configured_hooks(invocation_, config_, project_);
  for (std::string& text : found.notices) server_notices_.push_back(std::move(text));
  untrusted_hooks_ = std::move(found.untrusted);
  // A sub-agent's calls are judged like all others, and its end has an event of its own; its
  // session is not one of the user's.
  if (for_another_)
    std::erase_if(found.definitions, [](const hooks::Definition& each) {
      return !hooks::facts_about(each.event).of_tool && each.event != hooks::Event::subagent_stop;
    });
  if (found.definitions.empty()) return;
  hooks_ = std::make_unique<hooks::Hooks>(
      hooks::Hooks::Parts{.definitions = std::move(found.definitions),
                          .tools = &tools_,
                          .workspace = workspace_,
                          .refusal =
                              [this](const hooks::Definition& definition) {
                                return hook_refusal(definition, project_);
                              },
                          .environment =
                              [this](const hooks::Definition& definition) {
                                return hook_environment(definition, keys_.secrets());
                              }});
}

std::vector<std::string> Application::own_environment() const {
  return hook_environment({}, keys_.secrets());
}

std::string Application::transcript_of(Id session) const {
  if (invocation_.no_session || home_in_database(invocation_)) return {};
  return home_folder(invocation_) + "/transcripts/" + to_string(session) + ".jsonl";
}

std::vector<session::HookLine> Application::hook_lines() const {
  std::vector<session::HookLine> out;
  const auto add = [&](const hooks::Hooks::Line& line, const std::string& trouble) {
    const hooks::Definition& each = line.definition;
    out.push_back({.event = std::string(hooks::name(each.event)),
                   .matcher = each.matcher,
                   .command = shown(each),
                   .file = each.file,
                   .of_project = each.of_project,
                   .runs = line.runs,
                   .last_exit = line.last_exit,
                   .last_ms = line.last_ms,
                   .trouble = trouble});
  };
  ProjectFiles now(project_.places());  // trusted or not by now
  if (hooks_)
    for (const hooks::Hooks::Line& line : hooks_->lines())
      add(line, hook_refusal(line.definition, now));
  for (const hooks::Definition& each : untrusted_hooks_)
    add({.definition = each}, "not trusted, and so not run (`skein trust` lets it run)");
  // A configuration that is not trusted: it is not read for anything else.
  const std::optional<WorkspaceFile> file = workspace_file(workspace_);
  if (file && !invocation_.no_hooks && trust_in(workspace_, file->text) != Trust::given)
    for (const hooks::Definition& each : hooks_in(*file, workspace_))
      add({.definition = each}, "not trusted, and so not run (`skein trust` lets it run)");
  return out;
}

}  // namespace skein::app
