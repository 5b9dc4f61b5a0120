// A file of instructions as the model is given it, and the room such files may take. Values and
// pure functions.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace skein::instructions {

struct Document {
  enum class Author { machine, user, project, rule };  // a rule is the project's, too

  std::string file{};     // absolute
  std::string shown{};    // the same for people: "packages/web/AGENTS.md", "~/.claude/CLAUDE.md"
  std::string heading{};  // "AGENTS.md (packages/web)"
  std::string name{};     // in sentences about it: "AGENTS.md of this workspace"
  std::string why{};      // it is there, for the user: "workspace", "imported by AGENTS.md"
  std::string text{};
  Author author = Author::project;
  std::vector<std::string> paths{};  // of a rule: globs from `base`; empty: it always holds
  std::string base{};                // of a rule: the folder they start from

  bool is_of_project() const { return author == Author::project || author == Author::rule; }
};

// Whether a rule is about this file, which is named absolutely.
bool is_about(const Document& rule, const std::string& file);

// Cuts what does not fit into `bytes`, with a mark. The user's own files have precedence, then
// those of the folders nearest to the workspace, which come last; rules have to take what is left.
// Returns what to tell the user.
std::vector<std::string> fit(std::vector<Document>& documents, std::size_t bytes);

// How they follow skein's own words in a system prompt.
std::string prompt_text(const std::vector<Document>& documents);

}  // namespace skein::instructions
