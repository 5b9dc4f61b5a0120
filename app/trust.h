// Which workspaces may configure more than what takes something away: those whose configuration the
// user has seen and trusted, by real path and content. Kept beside the user's own configuration,
// where no tool can write.
#pragma once

#include <string>

namespace skein::app {

enum class Trust { unknown, given, refused };

// In a configuration with this very text: one that was changed since is unknown again.
Trust trust_in(const std::string& workspace, const std::string& text);
// Throws Error (storage) if it cannot be written down.
void set_trust(const std::string& workspace, const std::string& text, Trust trust);

// Shows a configuration that wants more than it may and asks, once, whether it may have it. To be
// called only at a terminal with a user.
void offer_trust(const std::string& workspace);

}  // namespace skein::app
