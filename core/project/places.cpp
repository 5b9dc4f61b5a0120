#include "core/project/places.h"

#include "core/text/std.h"

#include "core/project/project_root.h"

namespace skein::project {

namespace {

namespace fs = std::filesystem;

bool lies_in(const std::string& path, const std::string& folder) {
  return !folder.empty() && !path.empty() &&
         (path == folder || folder == "/" || path.starts_with(folder + "/"));
}

std::string canonical(const std::string& path) {
  std::error_code failed;
  const std::string found = fs::canonical(path, failed).string();
  return failed ? "" : found;
}

using Families = std::span<const char* const>;
constexpr const char* usual_families[] = {"/.skein/", "/.claude/"};
constexpr const char* skill_families[] = {"/.skein/", "/.agents/", "/.claude/"};

// The first family is skein's, whose folder is the configuration's.
std::vector<std::string> users_folders(const Places& places, const std::string& kind,
                                       Families families) {
  std::vector<std::string> out;
  if (!places.config.empty()) out.push_back(places.config + "/" + kind);
  if (!places.home.empty())
    for (const char* family : families.subspan(1)) out.push_back(places.home + family + kind);
  return out;
}

std::vector<OwnFolder> folders(const Places& places, const std::string& kind, Families families) {
  const std::vector<std::string> own = users_folders(places, kind, families);
  std::vector<OwnFolder> out;
  std::error_code failed;
  for (const std::string& level : places.levels)
    for (const char* family : families) {
      const std::string path = level + family + kind;
      if (fs::is_directory(path, failed) && std::ranges::find(own, path) == own.end() &&
          !followed(path, places).empty())
        out.push_back({path, true});
    }
  for (const std::string& path : own)
    if (fs::is_directory(path, failed)) out.push_back({path, false});
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
  return folders(places, "commands", usual_families);
}

std::vector<OwnFolder> agent_folders(const Places& places) {
  return folders(places, "agents", usual_families);
}

std::string followed(const std::string& path, const Places& places) {
  const std::string real = canonical(path);
  if (real.empty() || lies_in(real, places.root())) return real;
  for (const char* kind : {"skills", "commands", "agents"})
    for (const std::string& folder : users_folders(places, kind, skill_families))
      if (lies_in(real, canonical(folder))) return real;
  return {};
}

std::string followed(const std::string& path, const Places& places, bool of_project) {
  return of_project ? followed(path, places) : canonical(path);
}

}  // namespace skein::project
