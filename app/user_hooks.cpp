#include "app/user_hooks.h"

#include <algorithm>
#include <utility>

#include "app/configured_hooks.h"
#include "app/trust.h"

namespace skein::app {

UserHooks::UserHooks(Parts parts) : parts_(parts) {
  ConfiguredHooks found = configured_hooks(parts_.invocation, parts_.config, parts_.project);
  notices_ = std::move(found.notices);
  untrusted_ = std::move(found.untrusted);
  note_unseen(found.definitions);
  // A sub-agent's calls are judged like all others, and its end has an event of its own; its
  // session is not one of the user's.
  if (parts_.for_sub_agent)
    std::erase_if(found.definitions, [](const hooks::Definition& each) {
      return !hooks::facts_about(each.event).of_tool && each.event != hooks::Event::subagent_stop;
    });
  if (found.definitions.empty()) return;
  hooks_ = std::make_unique<hooks::Hooks>(
      hooks::Hooks::Parts{.definitions = std::move(found.definitions),
                          .tools = &parts_.tools,
                          .workspace = workspace(),
                          .clearance =
                              [this](const hooks::Definition& definition) {
                                return clearance_for(definition, parts_.project, parts_.claims);
                              },
                          .environment =
                              [this](const hooks::Definition& definition) {
                                return hook_environment(definition, parts_.keys.secrets());
                              }});
}

void UserHooks::note_unseen(const std::vector<hooks::Definition>& definitions) {
  const auto unseen = std::ranges::find_if(definitions, [this](const hooks::Definition& each) {
    return !unseen_by(each, parts_.project.places()).empty();
  });
  if (unseen == definitions.end()) return;
  unseen_ = shown(*unseen);
  if (parts_.config.rules.mode == permission::Mode::bypass)
    notices_.push_back("the hook `" + unseen_ +
                       "` may run any file of this project; with -y, skein does not ask before "
                       "such a file is changed");
}

std::vector<session::HookLine> UserHooks::lines() const {
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
  ProjectFiles now(parts_.project.places());  // trusted or not by now
  if (hooks_)
    for (const hooks::Hooks::Line& line : hooks_->lines())
      add(line, hook_refusal(line.definition, now));
  for (const hooks::Definition& each : untrusted_)
    add({.definition = each}, "not trusted, and so not run (`skein trust` lets it run)");
  // A configuration that is not trusted: it is not read for anything else.
  const std::optional<WorkspaceFile> file = workspace_file(workspace());
  if (file && !parts_.invocation.no_hooks && trust_in(workspace(), file->text) != Trust::given)
    for (const hooks::Definition& each : hooks_in(*file, workspace()))
      add({.definition = each}, "not trusted, and so not run (`skein trust` lets it run)");
  return out;
}

}  // namespace skein::app
