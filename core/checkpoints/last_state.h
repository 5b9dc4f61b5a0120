// How sessions left the files of a workspace, and the way from the one to the other.
#pragma once

#include <optional>

#include "core/checkpoints/checkpoint_log.h"
#include "core/checkpoints/plan.h"

namespace skein::checkpoints {

// Its last checkpoints put together as one; none: it kept nothing of this workspace.
store::Result<std::optional<CheckpointRecord>> last_state(WorkspaceFiles& workspace, Id session);

// What `from` left becomes what `to` left. Only of files that are still as `from` left them: what
// anybody else changed since stays, and is not spoken of. Empty where another commit was checked
// out: then git has taken the files along.
store::Result<Plan> plan_between(WorkspaceFiles& workspace, Id from, Id to);

}  // namespace skein::checkpoints
