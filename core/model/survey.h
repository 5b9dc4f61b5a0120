// What a command would come across that only reads: what its words alone do not tell.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace skein::model {

// All of them may be empty: then nothing can be proven of such a command. Paths are as a command
// in the workspace names them.
struct Survey {
  // Whether a program of this name comes from the machine, not from the workspace.
  std::function<bool(const std::string& program)> installed{};
  // The files that a pattern finds, where every other character than * and ? is itself behind a
  // backslash. Nullopt: too many.
  std::function<std::optional<std::vector<std::string>>(const std::string& pattern)> glob{};
  // A file in a folder, however deep, that must not be read unasked; empty: there is none. With
  // `all` also among what git ignores and what is hidden.
  std::function<std::string(const std::string& folder, bool all)> secret_in{};
  // Why git may run programs of the repository's when it is started in a folder, or show with
  // `contents` what must not be read unasked; empty: it does not.
  std::function<std::string(const std::string& folder, bool contents)> repository_risk{};
};

}  // namespace skein::model
