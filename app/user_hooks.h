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
    bool for_sub_agent = false;
  };
  explicit UserHooks(Parts parts);
  UserHooks(const UserHooks&) = delete;
  UserHooks& operator=(const UserHooks&) = delete;

  hooks::Hooks* hooks() { return hooks_.get(); }                        // null: there are none
  const std::vector<std::string>& notices() const { return notices_; }  // what was passed over
  std::vector<session::HookLine> lines() const;

 private:
  const std::string& workspace() const { return parts_.project.places().workspace; }

  Parts parts_;
  std::unique_ptr<hooks::Hooks> hooks_{};
  std::vector<hooks::Definition> untrusted_{};
  std::vector<std::string> notices_{};
};

}  // namespace skein::app
