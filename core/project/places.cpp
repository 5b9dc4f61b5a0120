#include "core/project/places.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <span>
#include <string_view>

#include "core/project/project_root.h"

namespace skein::project {

namespace {

namespace fs = std::filesystem;

bool is_folder(const std::string& path) {
  struct stat info {};
  return stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

bool lies_in(const std::string& path, const std::string& folder) {
  return !folder.empty() && !path.empty() &&
         (path == folder || folder == "/" || path.starts_with(folder + "/"));
}

std::string canonical(const std::string& path) {
  std::error_code failed;
  const std::string found = fs::canonical(path, failed).string();
  return failed ? "" : found;
}

std::vector<std::string> users_folders(const Places& places, std::string_view kind,
                                       std::span<const std::string_view> families) {
  std::vector<std::string> out;
  if (!places.config.empty()) out.push_back(places.config + "/" + std::string(kind));
  if (!places.home.empty())
    for (const std::string_view family : families)
      if (family != ".skein")
        out.push_back(places.home + "/" + std::string(family) + "/" + std::string(kind));
  return out;
}

constexpr std::string_view skill_families[] = {".skein", ".agents", ".claude"};
constexpr std::string_view command_families[] = {".skein", ".claude"};
constexpr std::string_view agent_families[] = {".skein", ".claude"};

std::vector<OwnFolder> folders(const Places& places, std::string_view kind,
                               std::span<const std::string_view> families) {
  const std::vector<std::string> own = users_folders(places, kind, families);
  std::vector<OwnFolder> out;
  for (const std::string& level : places.levels)
    for (const std::string_view family : families) {
      const std::string path = level + "/" + std::string(family) + "/" + std::string(kind);
      if (is_folder(path) && std::ranges::find(own, path) == own.end() &&
          !followed(path, places).empty())
        out.push_back({path, true});
    }
  for (const std::string& path : own)
    if (is_folder(path)) out.push_back({path, false});
  return out;
}

}  // namespace

Places places_of(const std::string& workspace, const std::string& home, const std::string& config) {
  return {workspace, project_folders(workspace, home), home, config};
}

std::vector<OwnFolder> skill_folders(const Places& places) {
  return folders(places, "skills", skill_families);
}

std::vector<OwnFolder> command_folders(const Places& places) {
  return folders(places, "commands", command_families);
}

std::vector<OwnFolder> agent_folders(const Places& places) {
  return folders(places, "agents", agent_families);
}

std::string followed(const std::string& path, const Places& places) {
  const std::string real = canonical(path);
  if (real.empty() || lies_in(real, places.root())) return real;
  for (const std::string_view kind : {"skills", "commands", "agents"})
    for (const std::string& folder : users_folders(places, kind, skill_families))
      if (lies_in(real, canonical(folder))) return real;
  return {};
}

std::string followed(const std::string& path, const Places& places, bool of_project) {
  return of_project ? followed(path, places) : canonical(path);
}

}  // namespace skein::project
