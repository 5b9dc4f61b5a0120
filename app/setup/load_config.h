// What the user has set: defaults < $XDG_CONFIG_HOME/skein/config.toml < the workspace's
// .skein/config.toml < environment < flags. A workspace may tighten, never loosen; it may choose
// models, addresses and key commands only after the user has trusted it.
#pragma once

#include "app/config/config.h"
#include "app/config/file.h"
#include "app/invocation/paths.h"
#include "providers/catalog/catalog.h"

namespace skein::app {

// Reads both files, adds their providers, models and aliases to the catalog, and lets the flags
// win. Throws Error (usage) with file and line if a file holds anything that is not understood.
// Without a workspace only the user's file is read.
config::Config load_config(const Invocation& invocation, const std::string& workspace,
                           catalog::Catalog& catalog);
config::Config load_config(const Invocation& invocation, const std::string& workspace);
// The same for those who must work with a broken file too: the troubles are in what it returns.
config::Config load_config_anyway(const Invocation& invocation, const std::string& workspace,
                                  catalog::Catalog& catalog, const config::File::See& see = {});
struct SettingOrigin {
  enum class Giver { standard, file, environment, flag };
  Giver giver = Giver::standard;
  std::string place{};   // the file, the variable, the flag
  std::size_t line = 0;  // of the file
};
struct GivenSetting {
  config::Item item{};
  SettingOrigin origin{};
};
// What the flags of this invocation set. The parser has put what the environment says in the same
// place, if there was no flag.
std::vector<GivenSetting> flag_settings(const Invocation& invocation);
// What is known of providers and models, with what the configuration adds. A working folder that is
// gone has none, and is no reason not to list sessions.
std::unique_ptr<const catalog::Catalog> configured_catalog(const Invocation& invocation);

// What the user's own file says of the home of sessions; nothing about what is wrong in the file.
config::Config settings_of_home();

// A workspace's own configuration, if it has one.
struct WorkspaceFile {
  std::string path{};
  std::string text{};
  std::vector<std::string> wants{};  // the settings in it that count only when it is trusted
};
std::optional<WorkspaceFile> workspace_file(const std::string& workspace);
// What would be wrong in it once it is trusted, and what is wrong in the user's own.
std::vector<std::string> troubles_once_trusted(const Invocation& invocation,
                                               const WorkspaceFile& file);
// Throws Error (usage) if there is any.
void check_before_trust(const Invocation& invocation, const WorkspaceFile& file);

}  // namespace skein::app
