// A skill: a folder with a SKILL.md, instructions that a model reads when a task calls for them.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/project/markdown_file.h"

namespace skein::project {

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

// Whether it is for this file of the workspace, and has to be told of with it.
bool is_about(const Skill& skill, std::string_view below);

// The agent that is to do what the file says, of those there are: `context: fork` wants one, and
// `agent` says which. Empty: it is for the model of the conversation.
std::string agent_for(const MarkdownFile& file, std::span<const std::string> agents);

// What of a skill's or command's front matter skein does not obey, or not everywhere, in sentences.
std::vector<std::string> not_obeyed(const MarkdownFile& file);

}  // namespace skein::project
