// git, run in the sandbox, where it can write nothing and has no network: a repository's filters
// and settings are code.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/tools/sandbox/private_temporary.h"
#include "core/tools/sandbox/process.h"
#include "core/tools/sandbox/sandbox.h"
#include "core/tools/workspace/root.h"

namespace skein::checkpoints {

using tools::sandbox::Sandbox, tools::workspace::Root;

class SandboxedGit {
 public:
  // `root` must outlive this. Without a sandbox git is never run: then there is no repository.
  SandboxedGit(const Root& root, Sandbox sandbox);

  const std::string& top() const { return top_; }  // the folder that .git lies in; may be empty
  const std::string& prefix() const {
    return prefix_;
  }  // of the workspace in it: "", "sub/folder/"

  struct Asked {
    std::vector<std::string> arguments{};
    std::string input{};
    std::uint64_t most_bytes = 256u << 20;  // of the answer
    std::function<bool()> stopped = [] { return false; };
    // The answer begins with "<core.autocrlf> <core.eol>" and a NUL.
    bool settings_first = false;
    int also_good = 0;    // an exit status that is no failure either
    bool literal = true;  // no path means a pattern; check-ignore refuses to be told so
  };
  // What it printed; nullopt: it cannot be run, has failed, or printed too much.
  std::optional<std::string> ask(const Asked& asked);

 private:
  std::optional<std::string> answer_to(tools::sandbox::Program& program, const Asked& asked) const;
  std::vector<std::string> words_of(const Asked& asked, const std::string& input) const;

  const Root& root_;
  Sandbox sandbox_;
  std::string top_{}, prefix_{};
  std::vector<std::string> seen_too_{};  // where the repository is kept, if not in the folder
  tools::sandbox::PrivateTemporary temporary_{};
};

}  // namespace skein::checkpoints
