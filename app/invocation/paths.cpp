#include "app/invocation/paths.h"

#include "core/text/text.h"

namespace skein::app {

namespace {

// $VARIABLE/skein, else $HOME/`fallback`/skein, else nothing. A relative path does not count.
std::string skein_folder(const char* variable, const char* fallback) {
  const std::string base = env_path(variable);
  return below(base.empty() ? below(user_home(), fallback) : base, "skein");
}

}  // namespace

std::string config_folder() { return skein_folder("XDG_CONFIG_HOME", ".config"); }
std::string state_folder() { return skein_folder("XDG_STATE_HOME", ".local/state"); }
std::string cache_folder() { return skein_folder("XDG_CACHE_HOME", ".cache"); }
std::string data_folder() { return skein_folder("XDG_DATA_HOME", ".local/share"); }

std::string below(const std::string& folder, const std::string& name) {
  return folder.empty() ? "" : folder + "/" + name;
}

std::string user_config_file() {
  const std::string named = env("SKEIN_CONFIG");
  if (named.empty()) return below(config_folder(), "config.toml");
  if (!named.starts_with('/'))
    throw UsageError("SKEIN_CONFIG is " + named + ", which is not an absolute path");
  return named;
}

std::string writable_config_file() {
  std::string file = user_config_file();
  if (file.empty())
    throw UsageError(
        "no place for your configuration: set HOME, XDG_CONFIG_HOME or SKEIN_CONFIG to an absolute "
        "path");
  return file;
}

std::string workspace_config_file(const std::string& workspace) {
  return (std::filesystem::path(workspace) / ".skein/config.toml").string();
}

std::string workspace_folder(const Invocation& invocation) {
  const std::string given = invocation.workspace.empty() ? "." : invocation.workspace;
  std::error_code failed;
  const std::filesystem::path folder = std::filesystem::canonical(given, failed);
  if (failed || !std::filesystem::is_directory(folder))
    throw UsageError("the workspace " + given + " is not a folder");
  return folder.string();
}

project::Places places_around(const std::string& workspace) {
  return project::places_of(workspace, user_home(), config_folder());
}

}  // namespace skein::app
