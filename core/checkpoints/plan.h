// What would restore an earlier state of the workspace, found without changing anything.
#pragma once

#include "core/checkpoints/checkpoint_log.h"
#include "core/checkpoints/workspace_files.h"

namespace skein::checkpoints {

// A file at some time, wherever its contents are: in a blob, or in a commit.
struct FileState {
  KeptFile file{};        // `hash` is empty while it is only known as an object
  std::string object{};   // git's id of the contents; empty: they are in a blob
  std::string problem{};  // why its contents cannot be had; empty: they can, as far as is known
  // Until resolve() has asked git: the commit that has it, if one does, and the modes then.
  std::string commit{};
  std::optional<model::payload::Checkpoint::Modes> modes{};
  bool operator==(const FileState&) const = default;
};

// Contents of states, git asked for many at once.
class Contents {
 public:
  explicit Contents(WorkspaceFiles& workspace) : workspace_(workspace) {}  // must outlive this

  // From git's repository; what was there before is forgotten.
  void fetch(const std::vector<std::string>& objects);
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

struct FileAction {
  enum class Kind { write, create, remove, mode } kind = Kind::write;
  FileState target{};
  SeenFile now{};
  const std::string& path() const { return target.file.path; }
};

struct LeftAlone {
  std::string path{}, why{};
};

struct RestorePlan {
  std::vector<FileAction> actions{};    // sorted by path
  std::vector<FileAction> by_hand{};    // the same for what others changed: left alone unless asked
  std::vector<LeftAlone> impossible{};  // and why
  std::vector<std::string> remarks{};   // what the user should know besides
  bool is_empty() const { return actions.empty() && by_hand.empty() && impossible.empty(); }
};

// To the state before the first of the checkpoints. The failure is the store's.
store::Result<RestorePlan> plan_restore(WorkspaceFiles& workspace,
                                        std::span<const CheckpointRecord> since);

}  // namespace skein::checkpoints
