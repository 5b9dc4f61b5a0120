// Which programs are run as hooks: those of the configuration, of hooks.json beside it, and, if the
// user wants that, of Claude Code's settings; and which of them may be.
#pragma once

#include <string>
#include <vector>

#include "app/cli.h"
#include "app/load_config.h"
#include "app/project_files.h"
#include "app/trust_items.h"
#include "core/hooks/definition.h"
#include "core/hooks/hooks.h"
#include "core/tools/sandbox/file_claims.h"

namespace skein::app {

struct ConfiguredHooks {
  std::vector<hooks::Definition> definitions{};  // those that count, the user's first
  std::vector<hooks::Definition> untrusted{};    // those that would if the user trusted them
  std::vector<std::string> notices{};            // what was passed over, and why
};
// `config` is that of the workspace. Throws Error (usage) if hooks start skein in a circle.
ConfiguredHooks configured_hooks(const Invocation& invocation, const config::Config& config,
                                 ProjectFiles& project);

// Why a program must not be run: it would run a file of the project that the user does not trust in
// its current form. Empty: it may.
std::string hook_refusal(const hooks::Definition& definition, ProjectFiles& project);
// The same, and keeps commands from replacing those files for as long as the hook runs.
hooks::Clearance clearance_for(const hooks::Definition& definition, ProjectFiles& project,
                               const tools::sandbox::FileClaims& claims);
// What in it cannot be followed to files; see ExecutedFiles::unseen.
std::vector<std::string> unseen_by(const hooks::Definition& definition,
                                   const project::Places& places);

// What `skein trust` and a start ask about: files of the project that hold hooks, and files that
// hooks run. A trusted configuration's hooks are its own matter; `definitions` of it are listed by
// hook_words.
std::vector<TrustItem> hooks_to_trust(const config::Config& config, ProjectFiles& project);
// The hooks a workspace's configuration would have if it were trusted.
std::vector<hooks::Definition> hooks_in(const WorkspaceFile& file, const std::string& workspace);
std::string hook_words(const hooks::Definition& definition);  // "PreToolUse bash: ./check.sh"
// The same, with the files of the project that it runs, and what follows if they are not known.
std::string hook_report(const hooks::Definition& definition, const project::Places& places);

// The variables it gets: the user's, without any key; of the project's those a command gets.
std::vector<std::string> hook_environment(const hooks::Definition& definition,
                                          const std::vector<std::string>& secrets);

}  // namespace skein::app
