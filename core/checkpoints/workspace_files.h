// The files of one workspace as checkpoints see them: where they are, the repository around them,
// and who reads them. Checkpoints are taken and restored through the same one.
#pragma once

#include "core/checkpoints/file_look.h"
#include "core/checkpoints/git_repository.h"
#include "core/model/payloads.h"
#include "core/store/session_store.h"

namespace skein::checkpoints {

struct ScanLimits {
  std::uint64_t untracked_bytes = 8u << 20;  // a larger file that git does not know is left out
  std::size_t walk_files = 20'000;
  std::uint64_t walk_bytes = 200'000'000;
  std::size_t git_files = 100'000;  // that differ from the commit; the rest is left out
  std::uint64_t git_bytes = 1u << 30;
};

struct TreeScan {
  model::payload::Checkpoint state{};   // coverage, git, files, left_out; the rest is the caller's
  std::vector<std::string> left_out{};  // whose contents were not kept
  std::vector<std::string> passed_over{};  // repositories inside
  bool converts = false;                   // see GitRepository::Status
};

struct WorkspaceFiles {
  // See Root and FileLook. `store` must outlive this. Throws Error if the folder cannot be opened.
  WorkspaceFiles(store::SessionStore& in_store, ContentStore kept_in, const std::string& folder,
                 std::vector<std::string> forbidden, Sandbox sandbox, std::string memory = {},
                 ScanLimits limits = {}, std::string unfinished = {})
      : store(in_store),
        contents(std::move(kept_in)),
        root(folder, std::move(forbidden), workspace::best_resolver(), nullptr,
             std::move(unfinished)),
        repository(root, sandbox, stop),
        files(root, contents, stop, std::move(memory)),
        scan_limits(limits) {}
  WorkspaceFiles(const WorkspaceFiles&) = delete;  // its parts refer to each other

  store::SessionStore& store;  // of the entries
  StopRequest stop{};
  ContentStore contents;
  Root root;
  GitRepository repository;
  FileLook files;
  const ScanLimits scan_limits;
};

// Finds everything that is needed to restore a workspace: with git what differs from the commit,
// else every file, within limits. With coverage "tools" it says nothing of any file: no repository,
// and the folder is too large. Tracked files with other modes than `modes` (left out: than most
// have) are listed. The failure is the store's. Throws StopRequest::Stopped.
using UsualModes = std::optional<model::payload::Checkpoint::Modes>;
store::Result<TreeScan> scan(WorkspaceFiles& workspace, FileLook::Contents contents,
                             const UsualModes& modes = std::nullopt);

}  // namespace skein::checkpoints
