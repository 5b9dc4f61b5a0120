// A skill: a folder with a SKILL.md, instructions that a model reads when a task calls for them.
// What a model reads of skills: the list at the beginning, and one of them when it asks.
#pragma once

#include "core/text/std.h"

#include "core/project/markdown_files.h"

namespace skein::project {

// A list for the system prompt of what a model may ask for by name: skills, agents.
struct Offered {
  std::string_view name, description;
};
// Behind `opening`, sorted by name, in at most about `most_bytes`: beyond that descriptions are
// cut, then left out. Empty if there is nothing.
std::string catalogue(std::string_view opening, std::vector<Offered> offered,
                      std::size_t most_bytes);

inline constexpr std::size_t longest_description = 1024;  // in characters
inline constexpr std::string_view skill_file = "SKILL.md";

// What is known of a skill without reading its text.
struct Skill {
  std::string name{};                  // that it is called by
  std::string description{};           // with when to use it; in one line
  std::string hint{};                  // for its arguments
  bool for_model = true;               // in the list of skills
  bool for_user = true;                // a command
  std::string sha256{};                // of the whole file
  std::size_t bytes = 0;               // of the text
  std::vector<std::string> paths{};    // of files it is about; none: it is always in the list
  std::string refusal{};               // why it cannot be used; with its line
  std::vector<std::string> remarks{};  // what is wrong with it, although it can
  bool operator==(const Skill&) const = default;
};

// `folder` is the last part of its path.
Skill skill_from(const MarkdownFile& file, std::string_view folder);

// Whether it is for this file of the workspace, and has to be offered with it.
bool is_about(const Skill& skill, std::string_view below);

// The agent that is to do what the file says, of those there are: `context: fork` wants one, and
// `agent` says which. Empty: it is for the model of the conversation.
std::string agent_for(const MarkdownFile& file, std::span<const std::string> agents);

// What of a skill's or command's front matter skein does not obey, or not everywhere, in sentences.
std::vector<std::string> not_obeyed(const MarkdownFile& file);

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

// Offers the model a skill that is not in the list, with a file that it is about.
std::string skill_offer(const LoadedSkill& skill);

// The result of the tool `skill`. A command in the text is left for the model to run.
std::string skill_text(const LoadedSkill& skill, const MarkdownFile& file,
                       const std::string& project_folder);

// The other files of a skill than its SKILL.md, sorted; `most` at most, and how many more there
// are.
struct SkillFiles {
  std::vector<std::string> names{};
  std::size_t more = 0;
};
SkillFiles files_of(const std::string& folder, std::size_t most = 40);

}  // namespace skein::project
