// Claude Code's settings files: where they are, and the permissions in them. Their hooks are
// read by configured_hooks.
#pragma once

#include <string>
#include <vector>

#include "app/config/config.h"
#include "app/trust_items.h"

namespace skein::app {

// The project's, where they really are; those that a link leads out of the project are left out.
std::vector<std::string> claude_settings_files(const project::Places& places);

// What forbids or asks always counts. What loosens counts in the user's own file, and in a file of
// the project that the user trusts in its current form. Without a workspace only the user's file is
// read.
void add_claude_permissions(config::Config& config, const std::string& workspace);

// What loosens in files of the project.
std::vector<TrustItem> permissions_to_trust(ProjectFiles& project);

}  // namespace skein::app
