// A program that runs, and can be watched by one after the other: by the call that started it, then
// by whoever looks after it in the background. It ends with this object.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/text/fd.h"
#include "core/text/wait.h"
#include "core/tools/sandbox/keeper.h"
#include "core/tools/sandbox/process.h"

namespace skein::tools::sandbox {

class RunningProgram {
 public:
  // Starts it. Throws Error if there are no descriptors left; what else fails watch() tells.
  explicit RunningProgram(const Program& program);

  // Until it has ended and what it had printed by then is read. nullopt: it runs on, since
  // Watch::leaves wanted that.
  std::optional<ProgramEnd> watch(const Watch& watch);

  int error() const { return keeper_->error(); }
  void settled() const { keeper_->settled(); }  // see Kept::record
  Keeper& keeper() { return *keeper_; }

 private:
  void wait_a_little(Deadline until, const Watch& watch, const std::function<bool()>& stop = {});
  void take_output(const Watch& watch);

  Fd output_{};
  std::optional<Keeper> keeper_{};
  int wake_fd_ = -1;
};

}  // namespace skein::tools::sandbox
