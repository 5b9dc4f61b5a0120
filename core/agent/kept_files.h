// The files of the workspace on their way through a turn: what the keeper of files answers is
// written into the session and told, before a tool may change anything and after the turn.
#pragma once

#include <functional>
#include <string>

#include "core/agent/turn.h"

namespace skein::agent {

class KeptFiles {
 public:
  // `parts` must outlive this.
  explicit KeptFiles(const Parts& parts) : parts_(parts) {}

  // Why the call must not be run; empty: it may. Throws Error if the session cannot be written.
  std::string before_call(Turn& turn, const model::Tool& tool) const;
  // For ToolPorts; empty if nothing is kept, or the tool changes more than one file.
  std::function<std::string(const model::FileBefore&)> before_write(Turn& turn,
                                                                    const model::Tool& tool) const;
  void after_turn(Turn& turn) const;

 private:
  std::string take_in(Turn& turn, model::FileKeeper::Kept kept) const;

  const Parts& parts_;
};

}  // namespace skein::agent
