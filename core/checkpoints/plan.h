// What it takes to bring the workspace back to an earlier state: found out without changing
// anything, so that it can be shown first.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/checkpoints/checkpoint_log.h"
#include "core/checkpoints/file_state.h"
#include "core/checkpoints/target_state.h"

namespace skein::checkpoints {

struct FileAction {
  enum class Kind { write, create, remove, mode } kind = Kind::write;
  FileState target{};
  SeenFile now{};
  const std::string& path() const { return target.file.path; }
};

struct LeftAlone {
  std::string path{}, why{};
};

struct Plan {
  std::vector<FileAction> actions{};    // sorted by path
  std::vector<FileAction> by_hand{};    // the same for what somebody else changed: kept unless told
  std::vector<LeftAlone> impossible{};  // and why
  std::vector<std::string> remarks{};   // what the user should know besides
  bool is_empty() const { return actions.empty() && by_hand.empty() && impossible.empty(); }
};

class Planner {
 public:
  // Both must outlive this.
  Planner(WorkspaceFiles& workspace, std::span<const CheckpointRecord> since)
      : workspace_(workspace), since_(since), target_(target_state(since)), contents_(workspace) {}

  // To the state before the first of the checkpoints. The failure is the store's.
  store::Result<Plan> plan();

 private:
  struct Compared {
    FileState target{};
    SeenFile now{};
  };
  store::Result<void> look_around();
  void add_paths_between(const std::string& from, const std::string& to);
  void lose_commit();
  void ask_git();
  std::optional<FileState> target_of(const std::string& path) const;
  store::Result<std::vector<Compared>> differing();
  void complete(FileState& target, const SeenFile& now);
  static std::string objection(const FileState& target, const SeenFile& now);
  void settle(const Compared& each);
  void separate_by_hand();
  void guard_ignored();
  // Whether the target's checkpoints have it without a look into the commit.
  bool listed_outright(const std::string& path) const {
    const auto found = target_.files.find(path);
    return found != target_.files.end() && !found->second.committed;
  }
  std::uint32_t committed_mode(const FileState& target, const SeenFile& now) const;
  bool changed_by_hand(const FileAction& action) const;
  // What a name held, as far as it is known.
  struct Said {
    std::string what{};  // a hash, with a word before that of a link; empty: nothing
    std::optional<std::uint32_t> mode{};
    bool fits(const Said& other) const {
      return what == other.what && (!mode || !other.mode || mode == other.mode);
    }
  };
  template <class File>
  static Said said_of(const File& file);
  // none: the checkpoint says nothing of it.
  std::optional<Said> said(const CheckpointRecord& record, const std::string& path) const;

  WorkspaceFiles& workspace_;
  std::span<const CheckpointRecord> since_;
  TargetState target_;
  Contents contents_;
  Plan plan_{};
  std::set<std::string> paths_{};      // that may differ
  std::set<std::string> seen_now_{};   // that git, or the walk, speaks of now
  std::set<std::string> unchanged_{};  // of these, what git says to be as in the commit of then
  bool git_answers_ = false;
  std::map<std::string, std::map<std::string, GitRepository::Object>> objects_{};  // by commit
  std::map<std::string, std::string> hashes_{};                                    // of objects
  std::set<std::string> converted_{}, ignored_{};
};

}  // namespace skein::checkpoints
