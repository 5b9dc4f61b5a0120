#include "app/home.h"

#include <cstdlib>
#include <filesystem>

#include "core/store/file_backend.h"

namespace skein {

std::string home_folder(const Invocation& invocation) {
  if (!invocation.home.empty()) return invocation.home;
  if (const char* data = std::getenv("XDG_DATA_HOME"); data && *data)
    return std::string(data) + "/skein";
  if (const char* home = std::getenv("HOME"); home && *home)
    return std::string(home) + "/.local/share/skein";
  throw Error("no home for sessions: give --home or set SKEIN_HOME", Trouble::usage);
}

std::string history_file(const Invocation& invocation) {
  const char* unwanted = std::getenv("SKEIN_NO_HISTORY");
  if (invocation.no_session || (unwanted && *unwanted)) return {};
  if (const char* state = std::getenv("XDG_STATE_HOME"); state && *state)
    return std::string(state) + "/skein/input_history";
  if (const char* home = std::getenv("HOME"); home && *home)
    return std::string(home) + "/.local/state/skein/input_history";
  return {};
}

std::string workspace_folder(const Invocation& invocation) {
  const std::string given = invocation.workspace.empty() ? "." : invocation.workspace;
  std::error_code failed;
  const std::filesystem::path folder = std::filesystem::canonical(given, failed);
  if (failed || !std::filesystem::is_directory(folder))
    throw Error("the workspace " + given + " is not a folder", Trouble::usage);
  return folder.string();
}

SessionStore open_store(const Invocation& invocation) {
  return SessionStore(std::make_unique<FileBackend>(real_files(home_folder(invocation))));
}

}  // namespace skein
