// Finds skills. Folders are walked at every start; SkillCache remembers the contents of the files.
#pragma once

#include "core/text/std.h"

#include <sys/stat.h>

#include "core/project/places.h"
#include "core/project/skill.h"

namespace skein::project {

// Shows that a file is the one that was read, and has not been written since. Times are in
// nanoseconds.
struct FileStamp {
  explicit FileStamp(const struct stat& file)
      : modified(std::int64_t{file.st_mtim.tv_sec} * 1'000'000'000 + file.st_mtim.tv_nsec),
        changed(std::int64_t{file.st_ctim.tv_sec} * 1'000'000'000 + file.st_ctim.tv_nsec),
        size(file.st_size),
        inode(static_cast<std::int64_t>(file.st_ino)) {}
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

// Skills as they were last read, so that thousands need not be read at every start. A file that has
// changed since is read again.
class SkillCache {
 public:
  explicit SkillCache(std::string file) : file_(std::move(file)) {}  // empty: nothing is kept

  Skill get(const SkillPlace& place);
  void save();  // if something was read again

 private:
  // A skill is a line of the file, which is read only when it is asked for.
  struct Line {
    std::string_view text;
    bool used = false;
  };
  void load();

  std::string file_, text_{};
  std::deque<std::string> fresh_{};                     // lines of what was read again
  std::unordered_map<std::string_view, Line> lines_{};  // by the folder, as it is in those texts
  bool loaded_ = false, changed_ = false;
};

}  // namespace skein::project
