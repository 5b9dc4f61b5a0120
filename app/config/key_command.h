// What a key command or a notify-command runs, where it comes with a workspace. Trust is given to
// the text of its configuration; a script beside it may change the next minute, by a checkout or by
// a tool.
#pragma once

#include <string>

namespace skein::config {

// The first file of the workspace that `command` names, be it by a relative or an absolute path, or
// by a word that a folder of $PATH in the workspace would answer to; empty: none.
std::string workspace_file_in(const std::string& command, const std::string& workspace);

// The same command, run where no relative path leads into the workspace.
std::string away_from_workspace(const std::string& command);

}  // namespace skein::config
