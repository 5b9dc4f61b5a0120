// Carries out a plan: file by file through the workspace's walls, each in one step. What it
// replaces is kept first; if it is cut short, planning and doing it again finishes it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/checkpoints/plan.h"

namespace skein::checkpoints {

struct RestoreReport {
  std::vector<std::string> changed{}, removed{};  // paths; changed: also made, and other modes
  std::vector<LeftAlone> kept{}, failed{};
  LineCount lines{};
  std::optional<Id> before{};  // the checkpoint of what was replaced
};

struct RestoreRequest {
  Id session{};
  Id to{};                   // the entry the state belongs to
  std::optional<Id> head{};  // where the conversation was, if it moves too
  bool redo = false;
  bool overwrite = false;  // also what was changed by hand
  bool files = true;       // false: only the conversation moves, and that is written down
  bool recorded = true;    // false: in a copy, of which the session knows nothing
};

class Restorer {
 public:
  explicit Restorer(WorkspaceFiles& workspace) : workspace_(workspace), contents_(workspace) {}

  // Appends to the session what was replaced, what came of it, and that it was done. The failure is
  // the store's, and before anything was changed.
  store::Result<RestoreReport> run(const Plan& plan, const RestoreRequest& request);
  // What it would do, lines counted.
  RestoreReport foresee(const Plan& plan, const RestoreRequest& request);

  // Called before each step; for tests that end there.
  std::function<void()> before_step = [] {};

 private:
  static std::vector<FileAction> chosen(const Plan& plan, const RestoreRequest& request,
                                        RestoreReport& report);
  store::Result<std::optional<Id>> keep_present(const std::vector<FileAction>& actions,
                                                const RestoreRequest& request,
                                                std::string_view phase);
  template <class Each>
  void with_contents(const std::vector<FileAction>& actions, const Each& each);
  std::string apply(const FileAction& action, const store::Result<std::string>& bytes);
  std::string remove(const FileAction& action);
  std::string write(const FileAction& action, const std::string& bytes);
  std::string change_mode(const FileAction& action);
  void count_lines(const FileAction& action, const store::Result<std::string>& bytes,
                   RestoreReport& report);
  void sync_folders();

  WorkspaceFiles& workspace_;
  Contents contents_;
  std::map<std::string, Fd> touched_{};  // folders, open
};

}  // namespace skein::checkpoints
