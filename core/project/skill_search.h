// Finds skills. Folders are walked at every start, and files read only if they have changed: what
// they said the last time is kept in a cache.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/project/places.h"
#include "core/project/skill.h"

namespace skein::project {

// A folder with a SKILL.md, which has not been read.
struct SkillPlace {
  std::string folder;  // where it really is
  std::string source;  // the folder of skills it was found in
  bool of_project = false;
  struct stat file {};  // its SKILL.md
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

// What skills said when they were last read, by file. Kept in `file`; empty: not kept.
class SkillCache {
 public:
  explicit SkillCache(std::string file);

  const Skill& get(const SkillPlace& place);
  void save();  // if something was read anew

 private:
  struct Known {
    std::int64_t modified_ns = 0, changed_ns = 0, size = 0;
    std::uint64_t inode = 0;
    Skill skill{};
    bool used = false;
    bool lasting = true;
  };
  void load();

  std::string file_;
  std::unordered_map<std::string, Known> known_{};
  bool loaded_ = false, changed_ = false;
};

}  // namespace skein::project
