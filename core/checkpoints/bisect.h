// Binary search over states in time for the step that broke something, and the folder in which each
// state is tested.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/checkpoints/plan.h"
#include "core/checkpoints/scratch_copy.h"

namespace skein::checkpoints {

enum class Verdict { good, bad, skip };

struct Bisected {
  enum class Kind {
    found,  // between `good` and `bad` it broke; if they are not neighbours, what lies between
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

// Earlier states of a workspace, one at a time, in a scratch copy. The workspace itself is only
// read, once: what happens in it later changes no state.
class EarlierStates {
 public:
  // `own_places`: skein's own files, which are not copied. `workspace` must outlive this. Throws
  // Error if the copy cannot be made.
  EarlierStates(WorkspaceFiles& workspace, Id session, const std::vector<std::string>& own_places,
                Sandbox sandbox);

  // Puts the files into folder() as they were before a prompt; none: when this object was made.
  // Says which files could not be put back. Throws Error if the copy cannot be written.
  store::Result<std::vector<LeftAlone>> show(const std::optional<Id>& prompt);
  const std::string& folder() const { return folder_; }  // the workspace, in the copy

 private:
  WorkspaceFiles& workspace_;
  Id session_;
  Sandbox sandbox_;  // none: without a repository none is looked for around the copy
  ScratchCopy copy_;
  std::string folder_;
};

}  // namespace skein::checkpoints
