// A file at some time, wherever its contents are: in a blob, or in a commit.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/checkpoints/workspace_files.h"

namespace skein::checkpoints {

struct FileState {
  KeptFile file{};        // `hash` is empty while it is only known as an object
  std::string object{};   // git's id of the contents; empty: they are in a blob
  std::string problem{};  // why its contents cannot be had; empty: they can, as far as is known
};

// Contents of states, git asked for many at once.
class Contents {
 public:
  explicit Contents(WorkspaceFiles& workspace) : workspace_(workspace) {}  // must outlive this

  // From git's repository; what was there before is forgotten.
  void fetch(std::span<const std::string> objects);
  // The hashes of what is in objects, as blobs would be called.
  std::map<std::string, std::string> hashes(const std::vector<std::string>& objects);
  // Failure: they are gone. An object must have been fetched.
  store::Result<std::string> of(const FileState& state) const;

 private:
  WorkspaceFiles& workspace_;
  std::map<std::string, std::string> fetched_{};
};

// Lines that a change adds and removes; none for what is not text, or too long.
struct LineCount {
  std::int64_t added = 0, removed = 0;
  LineCount& operator+=(const LineCount& more) {
    added += more.added;
    removed += more.removed;
    return *this;
  }
};
LineCount lines_changed(std::string_view before, std::string_view after);

}  // namespace skein::checkpoints
