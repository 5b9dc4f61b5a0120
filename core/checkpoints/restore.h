// Carries out a plan: file by file through the workspace's walls, each in one step. What it
// replaces is kept first, with what it is to become; if it is cut short, planning and doing it
// again finishes it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/checkpoints/disk_sync.h"
#include "core/checkpoints/plan.h"
#include "core/tools/workspace/staged_file.h"

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
  // A file that is complete next to its place.
  struct Staged {
    Staged(const FileAction& for_action, Place in_place, tools::workspace::Unfinished& notes);
    const FileAction& action;
    Place place;
    tools::workspace::StagedFile file;
    LineCount lines{};
  };
  void fetch(std::span<const FileAction> actions);
  store::Result<std::string> contents_of(const FileAction& action) const;
  Place place_of(const FileAction& action) const;
  void apply(const std::vector<FileAction>& actions, DiskSync& disk, RestoreReport& report);
  void write_group(std::span<const FileAction> actions, DiskSync& disk, RestoreReport& report);
  std::string stage(const FileAction& action, tools::workspace::Unfinished& notes, DiskSync& disk,
                    std::vector<std::unique_ptr<Staged>>& staged);
  std::string remove(const FileAction& action, DiskSync& disk);
  std::string change_mode(const FileAction& action, DiskSync& disk);
  void remove_empty_folders(const std::vector<std::string>& removed);
  LineCount lines_of(const FileAction& action, std::string_view target);

  WorkspaceFiles& workspace_;
  Contents contents_;
};

}  // namespace skein::checkpoints
