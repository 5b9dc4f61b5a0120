// Everything in a project that counts only if the user trusts it: what there is now, and what is
// known of it.
#pragma once

#include <string>
#include <vector>

#include "app/project_files.h"
#include "app/trust.h"

namespace skein::app {

struct TrustItem {
  // "skill", "command", "agent", "MCP servers", "hooks", "permissions", "file that a command runs",
  // "… a hook runs"
  std::string kind;
  std::string path;
  std::string what{};  // its name and what it says about itself, in one line
  std::string sha256;
  Trust trust = Trust::unknown;
};

// Skills and agents; `look` says how far to look for skills.
struct FoundItems {
  std::vector<TrustItem> items{};
  bool cut = false;  // there is more
};
FoundItems instructions_to_trust(ProjectFiles& files, const project::SkillLimits& look = {});
// All kinds, skills first.
FoundItems all_to_trust(ProjectFiles& files);

// Of a program, as it is trusted; empty: it cannot be read, or is too large to be one.
std::string hash_of_program(const std::string& path);
// The files that commands in `file` run.
std::vector<TrustItem> executed_items(ProjectFiles& files, const project::MarkdownFile& file);

}  // namespace skein::app
