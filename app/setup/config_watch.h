// ConfigWatch: reads the configuration files again when they change while skein runs.
#pragma once

#include "app/config/config.h"
#include "app/invocation/cli.h"

namespace skein::app {

// Looks only when it is asked.
class ConfigWatch {
 public:
  // What the files say now is in force. The invocation must outlive this.
  ConfigWatch(const Invocation& invocation, std::string workspace);

  // The whole configuration as a start would read it now, with what is wrong in it; nullopt: no
  // file has changed since the last look.
  std::optional<config::Config> look();
  // What the last look found, for the user: a line for each file that says something new, what has
  // been `applied` of it, and what is wrong. Empty: everything is as it was at the start.
  std::string report(const std::vector<std::string>& applied);

 private:
  struct File {
    std::string path{};
    std::optional<std::string> at_start{}, seen{};  // texts; none: there is no file
    bool changed = false;                           // at the last look
  };

  const Invocation& invocation_;
  std::string workspace_;
  std::vector<File> files_{};
  std::vector<std::string> troubles_{};
  bool any_applied_ = false;  // so what the files said at the start is not in force any more
};

}  // namespace skein::app
