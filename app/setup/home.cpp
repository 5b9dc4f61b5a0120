#include "app/setup/home.h"

#include "app/invocation/signals.h"
#include "app/setup/load_config.h"
#include "core/project/project_root.h"
#include "core/store/home/file_backend.h"
#include "core/store/postgres/database_backend.h"
#include "core/text/checksum.h"
#include "core/text/text.h"

namespace skein::app {

std::string project_of(const std::string& folder) {
  return project::project_remote(project::project_root(folder, user_home()));
}

std::string home_given(const Invocation& invocation) {
  if (!invocation.home.empty()) return invocation.home;
  if (std::string home = data_folder(); !home.empty()) return home;
  throw UsageError(
      "no folder for sessions: HOME is not an absolute path; use --home or set SKEIN_HOME");
}

std::string chosen_home(const Invocation& given) {
  if (given.home.empty()) return settings_of_home().home;
  if (is_absolute_home(given.home)) return given.home;
  if (given.home == env("SKEIN_HOME"))
    throw UsageError("SKEIN_HOME is " + given.home + ", which is not an absolute path");
  return std::filesystem::absolute(given.home).string();
}

bool is_absolute_home(const std::string& home) {
  return home.starts_with('/') || store::postgres::is_address(home);
}

bool is_in_home(const Invocation& invocation, const std::string& other) {
  using workspace::is_below, workspace::real_place;
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
    throw UsageError("no folder for local state: set HOME or XDG_STATE_HOME to an absolute path");
  const std::string folder =
      state_folder() + "/homes/" + sha256_hex(home_shown(invocation)).substr(0, 16);
  std::error_code failed;  // then whatever is to be kept there reports it
  std::filesystem::create_directories(folder, failed);
  return folder;
}

std::string history_file(const Invocation& invocation) {
  return env("SKEIN_NO_HISTORY").empty() ? state_file(invocation, "input_history") : "";
}
std::string memory_folder(const Invocation& invocation) {
  const bool none = invocation.no_session || invocation.no_instructions;
  return none ? "" : home_folder(invocation) + "/memory";
}
std::string state_file(const Invocation& invocation, const char* name) {
  return invocation.no_session ? "" : below(state_folder(), name);
}

std::string models_file(const Invocation& invocation) {
  return invocation.no_session ? "" : below(cache_folder(), "models.json");
}

std::string looks_file(const Invocation& invocation, const std::string& workspace) {
  const std::string name = "trees/" + sha256_hex(workspace).substr(0, 16);
  return invocation.no_session ? "" : below(cache_folder(), name);
}

std::vector<std::string> own_places(const Invocation& invocation) {
  std::vector<std::string> places{data_folder(), config_folder(), state_folder(), cache_folder(),
                                  env_path("SKEIN_CONFIG")};
  if (home_in_database(invocation)) {
    // What leads into the database: with it, sessions can be changed without skein.
    const store::postgres::DatabaseTarget target =
        store::postgres::described_address(invocation.home);
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

std::shared_ptr<store::home::Home> open_folder(const std::string& folder) {
  return std::make_shared<store::home::Home>(store::files::real_files(folder), tell_user);
}

std::shared_ptr<store::home::Home> open_home(const Invocation& invocation) {
  if (home_in_database(invocation))
    throw UsageError("this works only with a home folder, and the home is " +
                     home_shown(invocation));
  return open_folder(home_given(invocation));
}

std::unique_ptr<store::StorageBackend> open_backend(const std::string& home) {
  if (store::postgres::is_address(home))
    return std::make_unique<store::postgres::DatabaseBackend>(home, tell_user, stop_count);
  return std::make_unique<store::home::FileBackend>(open_folder(home));
}

store::SessionStore open_store(const Invocation& invocation) {
  if (home_in_database(invocation) && settings_of_home().home_outbox) {
    auto backend =
        std::make_unique<store::postgres::DatabaseBackend>(invocation.home, tell_user, stop_count);
    backend->use_outbox(home_folder(invocation) + "/outbox");
    return store::SessionStore(std::move(backend), project_of);
  }
  return store::SessionStore(open_backend(home_given(invocation)), project_of);
}

checkpoints::ContentStore contents_of(const Invocation& invocation, store::SessionStore& store) {
  if (!home_in_database(invocation) || invocation.no_session)
    return checkpoints::content_store(store.blobs());
  return open_backend(home_folder(invocation));
}

}  // namespace skein::app
