// The notes that count in a project: those for every project, and its own. Clones and worktrees of
// one repository share them.
#pragma once

#include <string>
#include <vector>

#include "core/memory/notes.h"

namespace skein::memory {

enum class Scope { everywhere, project };

class Memory {
 public:
  // `folder`: where notes are kept; empty: nothing is. `project`: see project::project_id.
  Memory(const std::string& folder, const std::string& project);

  const NoteFile& file(Scope scope) const {
    return scope == Scope::everywhere ? everywhere_ : project_;
  }

  struct Numbered {
    Scope scope;
    Note note;
  };
  std::vector<Numbered> notes() const;  // those for every project first, as people count them

  // What a model is told, as it was when last looked at; empty: nothing.
  const std::string& told(Scope scope) const {
    return scope == Scope::everywhere ? told_everywhere_ : told_project_;
  }
  bool refresh();  // looks again; true: it is different now

 private:
  NoteFile everywhere_, project_;
  std::string told_everywhere_{}, told_project_{};
};

}  // namespace skein::memory
