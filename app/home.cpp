#include "app/home.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "app/config.h"
#include "core/store/home/file_backend.h"
#include "repl/layout/sanitize.h"

namespace skein::app {

namespace {

// $VARIABLE/skein, else $HOME/`below`/skein, else nothing.
std::string folder_of_ours(const char* variable, const char* below) {
  if (const char* base = std::getenv(variable); base && *base) return std::string(base) + "/skein";
  if (const char* home = std::getenv("HOME"); home && *home)
    return std::string(home) + "/" + below + "/skein";
  return {};
}

std::string default_home() { return folder_of_ours("XDG_DATA_HOME", ".local/share"); }

}  // namespace

std::string home_folder(const Invocation& invocation) {
  if (!invocation.home.empty()) return invocation.home;
  if (std::string home = default_home(); !home.empty()) return home;
  throw Error("no home for sessions: give --home or set SKEIN_HOME", ExitStatus::usage);
}

std::string history_file(const Invocation& invocation) {
  const char* unwanted = std::getenv("SKEIN_NO_HISTORY");
  if (invocation.no_session || (unwanted && *unwanted)) return {};
  const std::string folder = state_folder();
  return folder.empty() ? "" : folder + "/input_history";
}

std::string state_folder() { return folder_of_ours("XDG_STATE_HOME", ".local/state"); }

std::string windows_file(const Invocation& invocation) {
  const std::string folder = invocation.no_session ? "" : state_folder();
  return folder.empty() ? "" : folder + "/windows.json";
}

std::vector<std::string> own_places(const Invocation& invocation) {
  const char* named = std::getenv("SKEIN_CONFIG");
  std::vector<std::string> places{invocation.home, default_home(), config_folder(), state_folder(),
                                  named != nullptr ? named : ""};
  std::erase(places, "");
  return places;
}

std::string grants_file(const Invocation& invocation) {
  const std::string folder = state_folder();
  return invocation.no_session || folder.empty() ? std::string{} : folder + "/grants.json";
}

std::string workspace_folder(const Invocation& invocation) {
  const std::string given = invocation.workspace.empty() ? "." : invocation.workspace;
  std::error_code failed;
  const std::filesystem::path folder = std::filesystem::canonical(given, failed);
  if (failed || !std::filesystem::is_directory(folder))
    throw Error("the workspace " + given + " is not a folder", ExitStatus::usage);
  return folder.string();
}

std::shared_ptr<store::home::Home> open_home(const Invocation& invocation) {
  const auto tell = [](const std::string& what) {
    std::fputs((layout::sanitized("skein: " + what) + "\n").c_str(), stderr);
  };
  return std::make_shared<store::home::Home>(store::files::real_files(home_folder(invocation)),
                                             tell);
}

store::SessionStore open_store(const Invocation& invocation) {
  return store::SessionStore(std::make_unique<store::home::FileBackend>(open_home(invocation)));
}

}  // namespace skein::app
