// What skills said when they were last read, so that thousands need not be read at every start. A
// file that has changed since is read again.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "core/project/skill.h"
#include "core/project/skill_search.h"

namespace skein::project {

class SkillCache {
 public:
  explicit SkillCache(std::string file);  // where it is kept; empty: nowhere

  Skill get(const SkillPlace& place);
  void save();  // if something was read anew

 private:
  // A skill is a line of the file, which is read only when it is asked for.
  struct Line {
    std::string_view text;
    bool used = false;
  };
  void load();
  std::optional<Skill> known(const SkillPlace& place, const std::string& folder);

  std::string file_, text_{};
  std::unordered_map<std::string_view, Line> lines_{};    // by the folder, as it is in `text_`
  std::unordered_map<std::string, std::string> fresh_{};  // lines of what was read anew
  bool loaded_ = false, changed_ = false;
};

}  // namespace skein::project
