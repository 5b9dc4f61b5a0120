// Translates the permissions in Claude Code's settings files to skein's rules.
#pragma once

#include "core/permission/policy.h"

namespace skein::permission {

struct ClaudePermissions {
  // What tightens. A rule that forbids or asks and has no exact counterpart here is in `ask`, with
  // every call that it could mean.
  std::vector<Rule> deny{}, ask{};
  // What loosens.
  std::vector<Rule> allow{};
  std::optional<Mode> mode{};
  std::vector<std::string> folders{};  // absolute, or from ~/
  JsonText loosening{};                // that part of the file; empty: there is none

  // Rules that cannot be used as they are written: those asked about instead, and those that were
  // to allow something.
  std::vector<std::string> asked_instead{}, not_allowed{};
  std::string trouble{};  // why nothing could be read; empty: it could
};

// Never throws, whatever the file says. `workspace` is where relative paths begin.
ClaudePermissions read_claude_permissions(std::string_view settings, const std::string& workspace,
                                          const Tools& tools);

}  // namespace skein::permission
