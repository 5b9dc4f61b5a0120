// The repository that a workspace is in, asked and never changed. git runs in the sandbox, where it
// can write nothing and has no network: a repository's filters and settings are code.
#pragma once

#include "core/checkpoints/file_look.h"
#include "core/process/child.h"
#include "core/process/private_temporary.h"
#include "core/sandbox/sandbox.h"
#include "core/workspace/root.h"

namespace skein::checkpoints {

using sandbox::Sandbox, workspace::Root;

class GitRepository {
 public:
  // `root` and `stop` must outlive this. Without a sandbox git never runs: there is no repository.
  GitRepository(const Root& root, Sandbox sandbox, const StopRequest& stop);

  bool is_there() const { return !top_.empty(); }
  const std::string& top() const { return top_; }  // the folder that .git is in; may be empty

  // What differs from the commit that is checked out. Paths are below the workspace.
  struct Status {
    std::string commit{};                    // empty: there is none yet
    std::vector<std::string> changed{};      // in any way, tracked or not; sorted
    std::set<std::string> untracked{};       // of these
    std::vector<std::string> passed_over{};  // repositories inside, which are not looked into
    struct Tracked {
      std::string path{};
      bool program = false;  // git would make it one that can be run
    };
    std::vector<Tracked> tracked{};  // files, changed or not; no links
    bool converts = false;  // git changes files on their way into the repository and out of it
  };
  // nullopt: git cannot be run, or says what cannot be understood.
  std::optional<Status> status();
  // Why git has not answered the last question, if a file keeps it from that; else empty.
  const std::string& obstacle() const { return obstacle_; }

  // What a commit has of a file.
  struct Object {
    std::string id{};  // hex
    enum class Kind { file, program, link, other } kind = Kind::file;
  };
  // Of those that are in it; none in no commit. nullopt: git could not tell.
  std::optional<std::map<std::string, Object>> objects_in(const std::string& commit,
                                                          const std::vector<std::string>& paths);
  // The paths in which two commits differ; an empty one is no commit.
  std::optional<std::vector<std::string>> changed_between(const std::string& a,
                                                          const std::string& b);
  // Visits the contents of each that is there.
  void contents(const std::vector<std::string>& ids,
                const std::function<void(const std::string& id, std::string_view bytes)>& visit);
  // Those that are not in the folder as they are in a commit: LFS, line ends, encodings.
  std::set<std::string> converted(const std::vector<std::string>& paths);
  // Those git ignores, whether they are there or not.
  std::set<std::string> ignored(const std::vector<std::string>& paths);
  // Those a sparse checkout leaves out.
  std::set<std::string> sparse();

 private:
  struct Asked {
    std::vector<std::string> arguments{};
    std::string input{};
    std::uint64_t most_bytes = 256u << 20;  // of the answer
    std::string first{};                    // a script whose output comes before git's
    int also_good = 0;                      // an exit status that is no failure either
    bool literal = true;  // no path means a pattern; check-ignore refuses that option
  };
  // What it printed; nullopt: it cannot be run, or failed. Throws StopRequest::Stopped.
  std::optional<std::string> ask(const Asked& asked);
  std::string find_obstacle() const;
  std::optional<std::string> answer_to(process::Program& program, const Asked& asked);
  std::optional<std::string> below(std::string_view path) const;

  const Root& root_;
  Sandbox sandbox_;
  const StopRequest& stop_;
  std::string obstacle_{};
  bool timed_out_ = false;  // the last time
  std::string top_{};
  std::string prefix_{};                 // of the workspace in the repository: "", "sub/folder/"
  std::vector<std::string> seen_too_{};  // where the repository is, if not in the folder
  process::PrivateTemporary temporary_{};
};

}  // namespace skein::checkpoints
