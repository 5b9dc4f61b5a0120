// Waits for a signal of ours, with an eye on the keyboard.
#pragma once

#include "core/mcp/signal.h"
#include "core/model/tool.h"
#include "core/text/wait.h"

namespace skein::mcp {

class Watcher {
 public:
  // Both must outlive it.
  Watcher(const Signal& signal, const model::ToolPorts& ports)
      : signal_(signal), ports_(ports), wake_fd_(ports.wake_fd) {}

  // Until the signal is raised, the user wants no more, or for no reason at all.
  void until(Deadline deadline);

 private:
  const Signal& signal_;
  const model::ToolPorts& ports_;
  int wake_fd_;
};

}  // namespace skein::mcp
