// Everything in a workspace that must be known to bring it back: through git what differs from the
// commit, else every file, within limits of number and size.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/checkpoints/file_look.h"
#include "core/checkpoints/git_repository.h"
#include "core/model/payloads.h"

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

class TreeScanner {
 public:
  // All must outlive this.
  TreeScanner(const Root& root, GitRepository& repository, FileLook& files, const Stop& stop,
              ScanLimits limits = {})
      : root_(root), repository_(repository), files_(files), stop_(stop), limits_(limits) {}

  // With coverage "tools" if there is neither a repository nor a folder small enough: then it says
  // nothing of any file. Tracked files with other modes than `modes` are listed; without `modes`,
  // with other modes than most have. The failure is the store's. Throws Stop::Stopped.
  using Modes = std::optional<model::payload::Checkpoint::Modes>;
  store::Result<TreeScan> scan(FileLook::Contents contents, const Modes& modes = std::nullopt);

 private:
  store::Result<std::optional<TreeScan>> by_git(FileLook::Contents contents, const Modes& modes);
  void add_modes(TreeScan& scan, const GitRepository::Status& status, const Modes& modes) const;
  store::Result<std::optional<TreeScan>> by_walk(FileLook::Contents contents);
  bool fits_a_walk() const;
  static void add(TreeScan& scan, const SeenFile& seen);

  const Root& root_;
  GitRepository& repository_;
  FileLook& files_;
  const Stop& stop_;
  ScanLimits limits_;
};

}  // namespace skein::checkpoints
