// Where a project and its user keep what skein reads of their own accord: the folders of skills and
// of commands, in the order in which they count.
#pragma once

#include "core/text/std.h"

namespace skein::project {

struct Places {
  std::string workspace{};            // absolute, without links
  std::vector<std::string> levels{};  // from the workspace up to the project's root
  std::string home{};                 // the user's; may be empty
  std::string config{};               // skein's configuration; may be empty

  const std::string& root() const { return levels.back(); }
};
Places places_of(const std::string& workspace, const std::string& home, const std::string& config);

struct OwnFolder {
  std::string path;
  bool of_project;  // else it is the user's own
};
// Those that are there. What is the user's own counts as that, also in a project that is their
// home.
std::vector<OwnFolder> skill_folders(const Places& places);
std::vector<OwnFolder> command_folders(const Places& places);
std::vector<OwnFolder> agent_folders(const Places& places);

// Where a file of a project leads, if a link in it may lead there: into the project, or into the
// user's folders of skills, commands and agents. Empty: elsewhere, or nowhere.
std::string followed(const std::string& path, const Places& places);
// The same for one of the user's own files, which may lead anywhere.
std::string followed(const std::string& path, const Places& places, bool of_project);

}  // namespace skein::project
