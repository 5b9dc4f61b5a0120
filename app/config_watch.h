// Tells at the prompt that a configuration file has changed: what is in it counts from the next
// start on. Looks only when it is asked.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "app/cli.h"

namespace skein::app {

class ConfigWatch {
 public:
  // What the files say now is in force. The invocation must outlive this.
  ConfigWatch(const Invocation& invocation, std::string workspace);

  // A line for each file that says something new, and what is wrong with it; empty: none does, or
  // it has been told.
  std::string announce();

 private:
  // What tells whether a file may have been written; all 0: there is none.
  using Stamp = std::array<std::int64_t, 4>;
  struct File {
    std::string path{};
    Stamp stamp{};
    std::string in_force{}, told{};  // texts
  };
  static Stamp stamp_of(const std::string& path);
  std::string trouble() const;

  const Invocation& invocation_;
  std::string workspace_;
  std::vector<File> files_{};
};

}  // namespace skein::app
