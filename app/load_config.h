// What the user has set: defaults < $XDG_CONFIG_HOME/skein/config.toml < the workspace's
// .skein/config.toml < environment < flags. A workspace may tighten, never loosen; it may choose
// models, addresses and key commands only after the user has trusted it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/cli.h"
#include "app/config/config.h"
#include "app/config/keys.h"
#include "providers/catalog/catalog.h"

namespace skein::app {

// Reads both files, adds their providers, models and aliases to the catalog, and lets the flags
// win. Throws Error (usage) with file and line if a file holds anything that is not understood.
// Without a workspace only the user's file is read.
config::Config load_config(const Invocation& invocation, const std::string& workspace,
                           catalog::Catalog& catalog);
// The same for those who must work with a broken file too: the troubles are in what it returns.
// `see` is shown every setting of a file that counts, and the file.
using SeeSetting = std::function<void(const config::Item&, const std::string& file)>;
config::Config load_config_anyway(const Invocation& invocation, const std::string& workspace,
                                  catalog::Catalog& catalog, const SeeSetting& see = {});
// What is known of providers and models, with what the configuration adds. A working folder that is
// gone has none, and is no reason not to list sessions.
std::unique_ptr<const catalog::Catalog> configured_catalog(const Invocation& invocation);

std::string config_folder();  // $XDG_CONFIG_HOME/skein; empty: there is none
// What $SKEIN_CONFIG names, else config.toml in that folder; empty: there is none. Throws Error
// (usage) if the variable is not absolute.
std::string user_config_file();
std::string writable_config_file();  // the same; throws Error (usage) if there is none
std::string workspace_config_file(const std::string& workspace);
// Where the user's own file says that sessions live; empty: it does not. Says nothing about what is
// wrong in the file.
std::string configured_home();
bool configured_outbox();  // what it says of home-outbox

// A workspace's own configuration, if it has one.
struct WorkspaceFile {
  std::string path{};
  std::string text{};
  std::vector<std::string> wants{};  // the settings in it that count only when it is trusted
};
std::optional<WorkspaceFile> workspace_file(const std::string& workspace);
// What would be wrong in it once it is trusted, beside what is wrong in the user's own.
std::vector<std::string> troubles_once_trusted(const Invocation& invocation,
                                               const WorkspaceFile& file);
// Throws Error (usage) if there is any.
void check_before_trust(const Invocation& invocation, const WorkspaceFile& file);

}  // namespace skein::app
