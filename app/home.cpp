#include "app/home.h"

#include <cstdio>
#include <filesystem>

#include "app/config.h"
#include "core/store/home/file_backend.h"
#include "core/text/text.h"
#include "repl/layout/sanitize.h"

namespace skein::app {

namespace {

std::string default_home() { return skein_folder("XDG_DATA_HOME", ".local/share"); }

// Empty: nothing is to be kept, or there is no place for it.
std::string state_file(const Invocation& invocation, const char* name) {
  const std::string folder = invocation.no_session ? "" : state_folder();
  return folder.empty() ? "" : folder + "/" + name;
}

}  // namespace

std::string skein_folder(const char* variable, const char* below) {
  if (const std::string base = env(variable); !base.empty()) return base + "/skein";
  const std::string home = env("HOME");
  return home.empty() ? "" : home + "/" + below + "/skein";
}

std::string home_folder(const Invocation& invocation) {
  if (!invocation.home.empty()) return invocation.home;
  if (std::string home = default_home(); !home.empty()) return home;
  throw Error("no home for sessions: give --home or set SKEIN_HOME", ExitStatus::usage);
}

std::string state_folder() { return skein_folder("XDG_STATE_HOME", ".local/state"); }

std::string history_file(const Invocation& invocation) {
  return env("SKEIN_NO_HISTORY").empty() ? state_file(invocation, "input_history") : "";
}
std::string memory_folder(const Invocation& invocation) {
  const bool none = invocation.no_session || invocation.no_instructions;
  return none ? "" : home_folder(invocation) + "/memory";
}
std::string windows_file(const Invocation& invocation) {
  return state_file(invocation, "windows.json");
}
std::string grants_file(const Invocation& invocation) {
  return state_file(invocation, "grants.json");
}

std::string cache_folder() { return skein_folder("XDG_CACHE_HOME", ".cache"); }

std::string models_file(const Invocation& invocation) {
  const std::string folder = invocation.no_session ? "" : cache_folder();
  return folder.empty() ? "" : folder + "/models.json";
}

std::vector<std::string> own_places(const Invocation& invocation) {
  std::vector<std::string> places{invocation.home, default_home(), config_folder(),
                                  state_folder(),  cache_folder(), env("SKEIN_CONFIG")};
  std::erase(places, "");
  return places;
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
