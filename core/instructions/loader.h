// Finds the files of instructions that count in a workspace, general ones first, with what they
// import.
#pragma once

#include <string>
#include <vector>

#include "core/instructions/document.h"
#include "core/instructions/source.h"

namespace skein::instructions {

// Where to look. All absolute.
struct Places {
  std::string machine = "/etc/skein/AGENTS.md";
  std::vector<std::string> own{};      // the user's: the first that is there
  std::vector<std::string> folders{};  // from the workspace up to where the project begins
  std::string home{};                  // what ~/ means; may be empty

  const std::string& workspace() const { return folders.front(); }
  const std::string& project() const { return folders.back(); }
};

class Loader {
 public:
  // Both must outlive this.
  Loader(Source& source, const Places& places) : source_(source), places_(places) {}

  // What belongs into the system prompt, in its order; rules that speak of paths are not among it.
  void load();
  // Those of one folder below the workspace, which are named after it.
  void load_folder(const std::string& folder);

  std::vector<Document> documents{};
  std::vector<Document> path_rules{};

 private:
  struct Wanted {
    Document document;  // what is known before it is read
    int depth = 0;      // how many imports led to it
  };
  bool add(Wanted wanted);
  void add_user_files();
  void add_folder(const std::string& folder);
  void add_rules(const std::string& folder);
  void add_imports(const Document& of, int depth);
  std::string shown(const std::string& file) const;

  Source& source_;
  const Places& places_;
  std::vector<tools::workspace::FileId> read_{};  // each file counts once
  int mentions_left_ = 64;                        // that are tried as paths
};

}  // namespace skein::instructions
