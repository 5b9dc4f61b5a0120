// The hooks of an invocation, and what /hooks shows of them.
#pragma once

#include "app/config/config.h"
#include "app/invocation/cli.h"
#include "app/setup/load_config.h"
#include "app/setup/project_files.h"
#include "app/trust/trust.h"
#include "core/hooks/definition.h"
#include "core/hooks/hooks.h"
#include "core/model/tool.h"
#include "core/sandbox/file_claims.h"
#include "providers/keys.h"

namespace skein::app {

// Which programs are run as hooks: those of the configuration, of hooks.json next to it, and, if
// the user wants that, of Claude Code's settings; and which of them may be.
struct ConfiguredHooks {
  std::vector<hooks::HookDefinition> definitions{};  // those that count, the user's first
  std::vector<hooks::HookDefinition> untrusted{};    // those that would if the user trusted them
  std::vector<std::string> notices{};                // what was passed over, and why
};
// `config` is that of the workspace. Throws Error (usage) if hooks start skein in a circle.
ConfiguredHooks configured_hooks(const Invocation& invocation, const config::Config& config,
                                 ProjectFiles& project);

// What `skein trust` and a start ask about: files of the project that hold hooks, and files that
// hooks run. A trusted configuration's hooks are its own matter; `definitions` of it are listed by
// hook_words.
std::vector<TrustItem> hooks_to_trust(const config::Config& config, ProjectFiles& project);
// The hooks a workspace's configuration would have if it were trusted.
std::vector<hooks::HookDefinition> hooks_in(const WorkspaceFile& file,
                                            const std::string& workspace);
// "PreToolUse bash: ./check.sh", with the files of the project that it runs, and what follows if
// they are not known.
std::string hook_report(const hooks::HookDefinition& definition, const project::Places& places);

// The variables it gets: the user's, without any key; of the project's those a command gets.
std::vector<std::string> hook_environment(const hooks::HookDefinition& definition,
                                          const std::vector<std::string>& secrets);

class UserHooks {
 public:
  struct Parts {
    const Invocation& invocation;
    const config::Config& config;
    ProjectFiles& project;
    const model::Tools& tools;
    const providers::Keyring& keys;
    sandbox::FileClaims claims;
    std::vector<hooks::HookDefinition> more{};  // of this start; --no-hooks leaves them
    bool for_sub_agent = false;
  };
  explicit UserHooks(Parts parts);
  UserHooks(const UserHooks&) = delete;
  UserHooks& operator=(const UserHooks&) = delete;

  hooks::Hooks* hooks() { return hooks_.get(); }                        // null: there are none
  const std::vector<std::string>& notices() const { return notices_; }  // what was passed over
  std::vector<hooks::Hooks::Line> lines() const;  // with the reason why one is not run now
  // The command of one that may run any file of the project; empty: there is none.
  const std::string& unseen() const { return unseen_; }

 private:
  void note_unseen(const std::vector<hooks::HookDefinition>& definitions);
  const std::string& workspace() const { return parts_.project.places().workspace; }

  Parts parts_;
  std::unique_ptr<hooks::Hooks> hooks_{};
  std::vector<hooks::HookDefinition> untrusted_{};
  std::vector<std::string> notices_{};
  std::string unseen_{};
};

}  // namespace skein::app
