// Finds skills. Folders are walked at every start; what the files say, SkillCache knows.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <string>
#include <vector>

#include "core/project/places.h"
#include "core/project/skill.h"

namespace skein::project {

// What tells that a file is the one that was read, and has not been written since. Times are in
// nanoseconds.
struct FileStamp {
  explicit FileStamp(const struct stat& file);
  std::int64_t modified, changed, size, inode;
};

// A folder with a SKILL.md, which has not been read.
struct SkillPlace {
  std::string folder;  // where it really is
  std::string source;  // the folder of skills it was found in
  bool of_project;
  FileStamp file;  // its SKILL.md
};

struct SkillLimits {
  std::size_t folders = 5000, skills = 5000;  // of all folders of skills together
};

// In the order in which they count; the same folder only once. A folder with a SKILL.md is not
// looked into. Never follows a link that leads out of the project or the user's folders.
struct SkillPlaces {
  std::vector<SkillPlace> found{};
  bool cut = false;  // there is more than the limits allow
};
SkillPlaces find_skills(const std::vector<OwnFolder>& folders, const Places& places,
                        const SkillLimits& limits = {});

}  // namespace skein::project
