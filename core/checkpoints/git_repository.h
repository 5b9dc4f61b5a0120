// The repository a workspace lies in, asked and never changed.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/checkpoints/sandboxed_git.h"

namespace skein::checkpoints {

class GitRepository {
 public:
  // See SandboxedGit.
  GitRepository(const Root& root, Sandbox sandbox, const Stop& stop) : git_(root, sandbox, stop) {}

  bool is_there() const { return !git_.top().empty(); }
  const std::string& top() const { return git_.top(); }  // the folder that .git lies in

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
  // See SandboxedGit.
  const std::string& obstacle() const { return git_.obstacle(); }

  // What a commit has of a file.
  struct Object {
    std::string id{};  // hex
    enum class Kind { file, program, link, other } kind = Kind::file;
  };
  // Of those that are in it, none in no commit. nullopt: git could not tell, which says nothing of
  // what is in it.
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
  std::optional<std::string> below(std::string_view path) const;

  SandboxedGit git_;
};

// 40 or 64 hex digits: all that is ever passed on to git, or written down.
bool is_object_id(std::string_view text);

}  // namespace skein::checkpoints
