// Where things are for this invocation: the home of sessions, the workspace, and the store on them.
#pragma once

#include "app/invocation/paths.h"
#include "core/checkpoints/file_look.h"
#include "core/store/session_store.h"

namespace skein::store::home {
class Home;
}  // namespace skein::store::home

namespace skein::app {

// The git remote of the project a folder is in, host/path; empty: it has none.
std::string project_of(const std::string& folder);
// Where sessions live, by what the command line, the environment and the user's configuration say:
// an absolute path or an address; empty: none of them says it. A relative path counts only where it
// was typed. Throws Error (usage) if the environment has one.
std::string chosen_home(const Invocation& given);
bool is_absolute_home(const std::string& home);  // or an address
// Whether a home is the one of this invocation, or a folder in it.
bool is_in_home(const Invocation& invocation, const std::string& other);
// As it was given: a folder, or the address of a database.
std::string home_given(const Invocation& invocation);
bool home_in_database(const Invocation& invocation);
std::string home_shown(const Invocation& invocation);  // for people
// The home's own folder, or one that replaces a database here: drafts stay on this machine.
std::string home_folder(const Invocation& invocation);
// skein's own files, which tools and commands are kept out of: the home of this invocation, also
// if it keeps no session, the one a plain `skein` would use, the configuration and the state.
std::vector<std::string> own_places(const Invocation& invocation);
// What was typed before; empty if nothing is to be kept.
std::string history_file(const Invocation& invocation);
// Where what is remembered between sessions is kept; empty if nothing is to be kept or shown.
std::string memory_folder(const Invocation& invocation);
// Windows that servers reported, and rules that sessions and workspaces were given: windows.json,
// grants.json, rules.json. Empty if nothing is to be kept, or there is no place for it.
std::string state_file(const Invocation& invocation, const char* name);
// What services said of their models; empty if there is no place for it.
std::string models_file(const Invocation& invocation);
// What was seen of the workspace's files; see checkpoints::FileLook. Empty: it is not kept.
std::string looks_file(const Invocation& invocation, const std::string& workspace);
// Shared by the store and by those who look after the home. Throws Error (usage) if the home is no
// folder.
std::shared_ptr<store::home::Home> open_home(const Invocation& invocation);
std::shared_ptr<store::home::Home> open_folder(const std::string& folder);
store::SessionStore open_store(const Invocation& invocation);
std::unique_ptr<store::StorageBackend> open_backend(const std::string& home);
// Where checkpoints keep what was in files: in the home, or if that is a database in a folder here.
// `store` must outlive it.
checkpoints::ContentStore contents_of(const Invocation& invocation, store::SessionStore& store);

}  // namespace skein::app
