// git, run in the sandbox, where it can write nothing and has no network: a repository's filters
// and settings are code.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/checkpoints/stop.h"
#include "core/tools/sandbox/private_temporary.h"
#include "core/tools/sandbox/process.h"
#include "core/tools/sandbox/sandbox.h"
#include "core/tools/workspace/root.h"

namespace skein::checkpoints {

using tools::sandbox::Sandbox, tools::workspace::Root;

class SandboxedGit {
 public:
  // `root` and `stop` must outlive this. Without a sandbox git is never run: then there is no
  // repository.
  SandboxedGit(const Root& root, Sandbox sandbox, const Stop& stop);

  const std::string& top() const { return top_; }  // the folder that .git lies in; may be empty
  const std::string& prefix() const {
    return prefix_;
  }  // of the workspace in it: "", "sub/folder/"

  struct Asked {
    std::vector<std::string> arguments{};
    std::string input{};
    std::uint64_t most_bytes = 256u << 20;  // of the answer
    // The answer begins with "<core.autocrlf> <core.eol>" and a NUL.
    bool settings_first = false;
    // Then what is tracked below the workspace, as `git ls-files -s -z` says it.
    bool tracked_first = false;
    int also_good = 0;    // an exit status that is no failure either
    bool literal = true;  // no path means a pattern; check-ignore refuses to be told so
  };
  // What it printed; nullopt: it cannot be run, has failed, took too long, or printed too much.
  // Throws Stop::Stopped.
  std::optional<std::string> ask(const Asked& asked);
  // Why git has not answered the last question, if a file keeps it from that; else empty.
  const std::string& obstacle() const { return obstacle_; }

 private:
  std::string find_obstacle() const;
  std::optional<std::string> answer_to(tools::sandbox::Program& program, const Asked& asked);
  std::vector<std::string> words_of(const Asked& asked, const std::string& input) const;

  const Root& root_;
  Sandbox sandbox_;
  const Stop& stop_;
  std::string obstacle_{};
  bool timed_out_ = false;  // the last time
  std::string top_{}, prefix_{};
  std::vector<std::string> seen_too_{};  // where the repository is kept, if not in the folder
  tools::sandbox::PrivateTemporary temporary_{};
};

}  // namespace skein::checkpoints
