// Where skein's own files are on this machine, and the workspace of this invocation. The home of
// sessions is in app/setup/home.h: the configuration may name it.
#pragma once

#include "app/invocation/cli.h"
#include "core/project/places.h"

namespace skein::app {

std::string config_folder();  // $XDG_CONFIG_HOME/skein; empty: there is none
std::string state_folder();   // input history, grants, logs; empty: there is no place for them
std::string cache_folder();   // copies that can be fetched again; may be empty as well
std::string data_folder();    // the usual home of sessions; may be empty as well
// A file or folder in there; empty if there is no such folder.
std::string below(const std::string& folder, const std::string& name);
// Where temporary files in workspaces are noted; see workspace::Unfinished. May be empty.
inline std::string unfinished_folder() { return below(state_folder(), "unfinished"); }
// Where commands note how to undo them; may be empty.
inline std::string command_records() { return below(state_folder(), "commands"); }

// The file that $SKEIN_CONFIG names, else config.toml in the configuration's folder; empty: there
// is none. Throws Error (usage) if the variable is not absolute.
std::string user_config_file();
std::string writable_config_file();  // the same; throws Error (usage) if there is none
std::string workspace_config_file(const std::string& workspace);

std::string workspace_folder(const Invocation& invocation);  // absolute
// Where commands, skills and agents are looked for, from a workspace on. It looks at every folder
// above: pass the result on.
project::Places places_around(const std::string& workspace);

}  // namespace skein::app
