// The user's own program that is run when there is something to call them for.
#pragma once

#include <future>
#include <string>
#include <vector>

#include "app/config/config.h"
#include "repl/terminal/notifier.h"

namespace skein::app {

// `notify` and `notify-command` as they are meant together. Throws Error if they make no sense.
terminal::Notifier::Way notify_way(const config::Config& config);

class NotifyCommand {
 public:
  NotifyCommand(const std::string& command, std::string folder);
  // Returns at once; the program has two seconds. While one runs, no other is started.
  void run(const terminal::Notice& notice);

 private:
  std::vector<std::string> arguments_;
  std::string folder_;
  std::future<void> running_{};  // waited for in the end
};

}  // namespace skein::app
