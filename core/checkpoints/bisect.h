// Binary search for the step that broke something, and the folder in which states are tested.
#pragma once

#include "core/checkpoints/plan.h"
#include "core/process/private_temporary.h"

namespace skein::checkpoints {

// What changes when a file is written to, replaced, or given another mode.
struct CopiedFileStamp {
  std::uint64_t inode = 0, size = 0, mode = 0;
  std::int64_t modified_ns = 0, changed_ns = 0;
  bool operator==(const CopiedFileStamp&) const = default;
};

enum class Verdict { good, bad, skip };

struct Bisected {
  enum class Kind {
    found,         // between `good` and `bad` it broke; if they are not neighbours, what is between
                   // could not be tested
    good_at_end,   // the last state is good
    bad_at_start,  // the first one is bad
    unclear,       // the first or the last state cannot be tested
  } kind = Kind::unclear;
  std::size_t good = 0, bad = 0;
  std::size_t tests = 0;
};

// Of at least two states; each is tested at most once.
Bisected bisect(std::size_t states, const std::function<Verdict(std::size_t)>& test);

// Earlier states of a workspace, one at a time, in a scratch copy that is made once. It is removed
// with the object; the next one removes it after a kill.
class EarlierStates {
 public:
  // `own_places` (absolute), devices, pipes and sockets are not copied. `workspace` must outlive
  // this. Throws Error if it cannot copy.
  EarlierStates(WorkspaceFiles& workspace, Id session, const std::vector<std::string>& own_places,
                Sandbox sandbox);

  // Puts the files into folder() as they were before a prompt; none: when this object was made.
  // Whatever happened in the copy since, only files that were touched are copied again. Says which
  // files could not be put back. Throws Error if the copy cannot be written.
  store::Result<std::vector<LeftAlone>> show(const std::optional<Id>& prompt);
  const std::string& folder() const { return folder_; }  // the workspace, in the copy; canonical

 private:
  WorkspaceFiles& workspace_;
  Id session_;
  Sandbox sandbox_;  // none: without a repository none is looked for around the copy
  process::PrivateTemporary place_;
  std::string original_{}, copy_{}, folder_{};
  // Files of the copy as they were left when it was made like the original.
  std::unordered_map<std::string, CopiedFileStamp> untouched_{};
};

}  // namespace skein::checkpoints
