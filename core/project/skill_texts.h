// What a model reads of skills: the list of them at the beginning, and one of them when it asks.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/project/skill.h"

namespace skein::project {

// A skill that counts: the user's own, or one of a project that is trusted.
struct LoadedSkill {
  Skill skill{};
  std::string folder{};  // where it really is
  std::string source{};  // the folder of skills it was found in
  bool of_project = false;

  std::string file() const { return folder + "/" + std::string(skill_file); }
};

// For the system prompt, sorted by name, in at most about `most_bytes`: beyond that descriptions
// are cut, then left out. Empty if there is none for the model.
std::string skill_list(std::span<const LoadedSkill> skills, std::size_t most_bytes);

// What the model is told of a skill that is not in the list, with a file that it is about.
std::string skill_offer(const LoadedSkill& skill);

// The result of the tool `skill`. What stands in the text to be run is left for the model to run.
std::string skill_text(const LoadedSkill& skill, const MarkdownFile& file,
                       const std::string& project_folder);

// The files of a skill beside its SKILL.md, sorted; `most` at most, and how many more there are.
struct SkillFiles {
  std::vector<std::string> names{};
  std::size_t more = 0;
};
SkillFiles files_of(const std::string& folder, std::size_t most = 40);

}  // namespace skein::project
