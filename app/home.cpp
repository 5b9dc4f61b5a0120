#include "app/home.h"

#include <cstdio>
#include <filesystem>

#include "app/load_config.h"
#include "app/signals.h"
#include "core/project/project_id.h"
#include "core/project/project_root.h"
#include "core/store/home/file_backend.h"
#include "core/store/postgres/database_backend.h"
#include "core/text/sha256.h"
#include "core/text/text.h"
#include "core/tools/workspace/real_place.h"
#include "repl/layout/sanitize.h"

namespace skein::app {

namespace {

std::string default_home() { return skein_folder("XDG_DATA_HOME", ".local/share"); }

// Empty: nothing is to be kept, or there is no place for it.
std::string state_file(const Invocation& invocation, const char* name) {
  const std::string folder = invocation.no_session ? "" : state_folder();
  return folder.empty() ? "" : folder + "/" + name;
}

void tell(const std::string& what) {
  std::fputs((layout::sanitized("skein: " + what) + "\n").c_str(), stderr);
}

}  // namespace

std::string project_of(const std::string& folder) {
  return project::project_remote(project::project_root(folder, user_home()));
}

std::string skein_folder(const char* variable, const char* below) {
  if (const std::string base = env_path(variable); !base.empty()) return base + "/skein";
  const std::string home = user_home();
  return home.empty() ? "" : home + "/" + below + "/skein";
}

std::string home_given(const Invocation& invocation) {
  if (!invocation.home.empty()) return invocation.home;
  if (std::string home = default_home(); !home.empty()) return home;
  throw Error(
      "no home for sessions: HOME is not set to an absolute path; give --home or set SKEIN_HOME",
      ExitStatus::usage);
}

std::string chosen_home(const Invocation& given) {
  if (given.home.empty()) return configured_home();
  if (is_absolute_home(given.home)) return given.home;
  if (given.home == env("SKEIN_HOME"))
    throw Error("SKEIN_HOME is " + given.home + ", which is not an absolute path",
                ExitStatus::usage);
  return std::filesystem::absolute(given.home).string();
}

bool is_absolute_home(const std::string& home) {
  return home.starts_with('/') || store::postgres::is_address(home);
}

bool is_in_home(const Invocation& invocation, const std::string& other) {
  using tools::workspace::is_below, tools::workspace::real_place;
  const std::string home = home_given(invocation);
  const bool folders = !store::postgres::is_address(home) && !store::postgres::is_address(other);
  return folders ? is_below(real_place(other), real_place(home)) : other == home;
}

bool home_in_database(const Invocation& invocation) {
  return store::postgres::is_address(invocation.home);
}

std::string home_shown(const Invocation& invocation) {
  return home_in_database(invocation) ? store::postgres::shown_address(invocation.home)
                                      : home_given(invocation);
}

std::string home_folder(const Invocation& invocation) {
  if (!home_in_database(invocation)) return home_given(invocation);
  if (state_folder().empty())
    throw Error(
        "no folder for what stays on this machine: set HOME or XDG_STATE_HOME to an absolute path",
        ExitStatus::usage);
  const std::string folder =
      state_folder() + "/homes/" + sha256_hex(home_shown(invocation)).substr(0, 16);
  std::error_code failed;  // then nothing is kept there, and whoever wants to says so
  std::filesystem::create_directories(folder, failed);
  return folder;
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
std::string rules_file(const Invocation& invocation) {
  return state_file(invocation, "rules.json");
}

std::string cache_folder() { return skein_folder("XDG_CACHE_HOME", ".cache"); }

std::string models_file(const Invocation& invocation) {
  const std::string folder = invocation.no_session ? "" : cache_folder();
  return folder.empty() ? "" : folder + "/models.json";
}

std::string looks_file(const Invocation& invocation, const std::string& workspace) {
  const std::string folder = invocation.no_session ? "" : cache_folder();
  return folder.empty() ? "" : folder + "/trees/" + sha256_hex(workspace).substr(0, 16);
}

std::string unfinished_folder() {
  const std::string folder = state_folder();
  return folder.empty() ? "" : folder + "/unfinished";
}

std::vector<std::string> own_places(const Invocation& invocation) {
  std::vector<std::string> places{default_home(), config_folder(), state_folder(), cache_folder(),
                                  env_path("SKEIN_CONFIG")};
  if (home_in_database(invocation)) {
    // What leads into the database: whoever has it needs no skein to change sessions.
    const store::postgres::Target target = store::postgres::described_address(invocation.home);
    places.push_back(target.password_file);
    places.insert(places.end(), target.socket_folders.begin(), target.socket_folders.end());
    places.push_back(env_path("PGSERVICEFILE"));
    if (const std::string home = user_home(); !home.empty())
      places.insert(places.end(), {home + "/.postgresql", home + "/.pg_service.conf"});
  } else {
    places.push_back(invocation.home);
  }
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

std::shared_ptr<store::home::Home> open_folder(const std::string& folder) {
  return std::make_shared<store::home::Home>(store::files::real_files(folder), tell);
}

std::shared_ptr<store::home::Home> open_home(const Invocation& invocation) {
  if (home_in_database(invocation))
    throw Error(
        "this works on the files of a home folder, and the home is " + home_shown(invocation),
        ExitStatus::usage);
  return open_folder(home_given(invocation));
}

std::unique_ptr<store::StorageBackend> open_backend(const std::string& home) {
  if (store::postgres::is_address(home))
    return std::make_unique<store::postgres::DatabaseBackend>(home, tell, stop_count);
  return std::make_unique<store::home::FileBackend>(open_folder(home));
}

store::SessionStore open_store(const Invocation& invocation) {
  if (home_in_database(invocation) && configured_outbox()) {
    auto backend =
        std::make_unique<store::postgres::DatabaseBackend>(invocation.home, tell, stop_count);
    backend->use_outbox(home_folder(invocation) + "/outbox");
    return store::SessionStore(std::move(backend), project_of);
  }
  return store::SessionStore(open_backend(home_given(invocation)), project_of);
}

checkpoints::ContentStore contents_of(const Invocation& invocation, store::SessionStore& store) {
  if (!home_in_database(invocation) || invocation.no_session)
    return checkpoints::ContentStore(store);
  return checkpoints::ContentStore(open_backend(home_folder(invocation)));
}

}  // namespace skein::app
