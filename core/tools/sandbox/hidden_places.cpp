// settle_hidden: skein's own files put in a form that a sandbox can hide.
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "core/tools/sandbox/sandbox.h"
#include "core/tools/workspace/real_place.h"

namespace skein::tools::sandbox {

namespace {

namespace fs = std::filesystem;

// Ours alone, each missing folder on the way. Returns the errno of what failed.
int make_folders(const fs::path& folder) {
  struct stat info {};
  if (stat(folder.c_str(), &info) == 0) return S_ISDIR(info.st_mode) ? 0 : ENOTDIR;
  if (const int error = make_folders(folder.parent_path())) return error;
  return mkdir(folder.c_str(), 0700) == 0 || errno == EEXIST ? 0 : errno;
}

}  // namespace

std::string settle_hidden(SandboxSpec& cell) {
  std::vector<std::string> places, links;
  for (const std::string& path : cell.hidden) places.push_back(workspace::real_place(path, &links));
  std::ranges::sort(places);
  cell.hidden.clear();
  for (const std::string& place : places)  // the outer comes before the inner, which it hides too
    if (std::ranges::none_of(cell.hidden,
                             [&](const auto& outer) { return workspace::is_below(place, outer); }))
      cell.hidden.push_back(place);

  const auto is_writable = [&](const std::string& place) {
    return workspace::is_below(place, cell.root);
  };
  // No mount covers a link: a command could put a home or a configuration of its own in its place.
  if (const auto link = std::ranges::find_if(links, is_writable); link != links.end())
    return "commands do not run, because they could replace the link " + *link +
           ", which leads to skein's own files; choose another workspace (-C), or name the real "
           "folder (SKEIN_HOME, XDG_DATA_HOME, XDG_CONFIG_HOME, XDG_STATE_HOME)";
  for (const std::string& place : cell.hidden) {
    if (workspace::is_below(cell.root, place))
      return "commands do not run in " + cell.root + ", because it lies in " + place +
             ", where skein keeps its own files; choose another workspace (-C)";
    // What a command could make itself must be there first: only what is there can be closed.
    struct stat info {};
    if (stat(place.c_str(), &info) == 0 || !is_writable(place)) continue;
    if (const int error = make_folders(place))
      return "commands do not run, because " + place +
             ", where skein keeps its own files, cannot be closed to them: " + std::strerror(error);
  }
  return "";
}

}  // namespace skein::tools::sandbox
