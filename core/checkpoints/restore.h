// Carries out a plan, each file in one step, after saving what it replaces. After an interruption,
// planning and running it again finishes it.
#pragma once

#include "core/checkpoints/plan.h"

namespace skein::checkpoints {

struct RestoreReport {
  std::vector<std::string> changed{}, removed{};  // paths; changed: also made, and other modes
  std::vector<LeftAlone> kept{}, failed{};
  LineCount lines{};
  std::optional<Id> before{};  // the checkpoint of what was replaced
};

struct RestoreRequest {
  Id session{};
  Id to{};                   // the entry the state belongs to
  std::optional<Id> head{};  // where the conversation was, if it moves too
  bool redo = false;
  bool overwrite = false;  // also what was changed by hand
  bool files = true;       // false: only the conversation moves, and that is written down
  bool recorded = true;    // false: in a copy, of which the session knows nothing
};

// Appends what was replaced and what came of it. On failure, the store's, nothing was changed.
// `before_step` is called before each step; for tests that end there.
store::Result<RestoreReport> restore(
    WorkspaceFiles& workspace, const RestorePlan& plan, const RestoreRequest& request,
    const std::function<void()>& before_step = [] {});
// What it would do, lines counted.
RestoreReport foresee(WorkspaceFiles& workspace, const RestorePlan& plan,
                      const RestoreRequest& request);

}  // namespace skein::checkpoints
