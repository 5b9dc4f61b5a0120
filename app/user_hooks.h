// The hooks of an invocation, and what /hooks shows of them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/cli.h"
#include "app/config/config.h"
#include "app/project_files.h"
#include "core/hooks/hooks.h"
#include "core/model/tool.h"
#include "core/tools/sandbox/file_claims.h"
#include "providers/keys.h"
#include "repl/session/services.h"

namespace skein::app {

class UserHooks {
 public:
  struct Parts {
    const Invocation& invocation;
    const config::Config& config;
    ProjectFiles& project;
    const model::Tools& tools;
    const providers::Keyring& keys;
    tools::sandbox::FileClaims claims;
    bool for_sub_agent = false;
  };
  explicit UserHooks(Parts parts);
  UserHooks(const UserHooks&) = delete;
  UserHooks& operator=(const UserHooks&) = delete;

  hooks::Hooks* hooks() { return hooks_.get(); }                        // null: there are none
  const std::vector<std::string>& notices() const { return notices_; }  // what was passed over
  std::vector<session::HookLine> lines() const;
  // The command of one that may run any file of the project; empty: there is none.
  const std::string& unseen() const { return unseen_; }

 private:
  void note_unseen(const std::vector<hooks::Definition>& definitions);
  const std::string& workspace() const { return parts_.project.places().workspace; }

  Parts parts_;
  std::unique_ptr<hooks::Hooks> hooks_{};
  std::vector<hooks::Definition> untrusted_{};
  std::vector<std::string> notices_{};
  std::string unseen_{};
};

}  // namespace skein::app
