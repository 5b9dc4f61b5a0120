#include "core/checkpoints/workspace_files.h"

#include <fcntl.h>

#include "core/workspace/tree_walk.h"

namespace skein::checkpoints {

using model::payload::Checkpoint;
using workspace::EntryKind, workspace::WalkControl, workspace::Walked;

namespace {

using Scanned = store::Result<std::optional<TreeScan>>;

void add(TreeScan& scan, const SeenFile& seen) {
  if (seen.kind == SeenFile::Kind::own) return;
  KeptFile file = seen.file;
  if (seen.kind == SeenFile::Kind::other) file.hash = "";
  if (file.hash && file.hash->empty()) scan.left_out.push_back(file.path);
  scan.state.files.push_back(std::move(file));
}

// git knows one bit of a mode. Files whose other bits are not what most files have are listed.
void add_modes(const WorkspaceFiles& workspace, TreeScan& scan, const GitRepository::Status& status,
               const UsualModes& modes) {
  constexpr std::uint32_t passed_over = ~0u;
  std::vector<std::uint32_t> seen;
  std::map<std::uint32_t, std::size_t> counts[2];
  for (const auto& [path, program] : status.tracked) {
    workspace.stop.check();
    struct stat info {};
    const bool unchanged =
        !std::ranges::binary_search(status.changed, path) &&
        fstatat(workspace.root.fd(), path.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0 &&
        S_ISREG(info.st_mode);
    seen.push_back(unchanged ? info.st_mode & 0777 : passed_over);
    if (unchanged) ++counts[program][seen.back()];
  }
  const auto most = [&](bool program, std::uint32_t otherwise) {
    const auto found =
        std::ranges::max_element(counts[program], {}, [](const auto& each) { return each.second; });
    return found == counts[program].end() ? otherwise : found->first;
  };
  const auto usual = modes ? *modes : Checkpoint::Modes{most(false, 0644), most(true, 0755)};
  scan.state.modes = usual;
  for (std::size_t i = 0; i < seen.size(); ++i)
    if (const auto& [path, program] = status.tracked[i];
        seen[i] != passed_over && seen[i] != usual.of(program))
      scan.state.files.push_back({.path = path, .mode = seen[i], .hash = "", .committed = true});
  std::ranges::sort(scan.state.files, {}, &KeptFile::path);
}

Scanned by_git(WorkspaceFiles& workspace, FileLook::Contents contents, const UsualModes& modes) {
  std::optional<GitRepository::Status> status = workspace.repository.status();
  if (!status) return std::optional<TreeScan>{};
  const ScanLimits& limits = workspace.scan_limits;
  TreeScan out;
  out.state.coverage = Checkpoint::by_git;
  out.state.git = status->commit;
  out.converts = status->converts;
  out.passed_over = std::move(status->passed_over);
  std::uint64_t bytes = 0;
  for (const std::string& path : status->changed) {
    const bool over = out.state.files.size() >= limits.git_files || bytes >= limits.git_bytes;
    const std::uint64_t most = over                               ? 0
                               : status->untracked.contains(path) ? limits.untracked_bytes
                                                                  : most_kept_bytes;
    const SeenFile seen = TRY(workspace.files.look(path, contents, most));
    if (seen.file.contents_kept()) bytes += seen.file.size;
    add(out, seen);
  }
  add_modes(workspace, out, *status, modes);
  return std::optional(std::move(out));
}

// Looked through before the first file is read: what is too large must not cost what it is large.
bool fits_a_walk(const WorkspaceFiles& workspace) {
  std::size_t count = 0;
  std::uint64_t bytes = 0;
  const auto fits = [&] {
    return count <= workspace.scan_limits.walk_files && bytes <= workspace.scan_limits.walk_bytes;
  };
  const auto refusal =
      walk_tree(workspace.root, ".", workspace.root.locate("."), {}, [&](const Walked& found) {
        workspace.stop.check();
        struct stat info {};
        if (found.kind == EntryKind::file &&
            fstatat(found.place.folder.get(), found.place.name.c_str(), &info,
                    AT_SYMLINK_NOFOLLOW) == 0)
          ++count, bytes += static_cast<std::uint64_t>(info.st_size);
        return fits() ? WalkControl::go_on : WalkControl::stop;
      });
  return refusal.empty() && fits();
}

Scanned by_walk(WorkspaceFiles& workspace, FileLook::Contents contents) {
  if (!fits_a_walk(workspace)) return std::optional<TreeScan>{};
  TreeScan out;
  out.state.coverage = Checkpoint::by_walk;
  store::Result<void> done;
  walk_tree(workspace.root, ".", workspace.root.locate("."), {}, [&](const Walked& found) {
    if (found.kind == EntryKind::folder) return WalkControl::go_on;
    const store::Result<SeenFile> seen =
        workspace.files.look(found.path, found.place, contents, most_kept_bytes);
    if (!seen) {
      done = seen.error();
      return WalkControl::stop;
    }
    if (seen->kind != SeenFile::Kind::none) add(out, *seen);
    return WalkControl::go_on;
  });
  TRY(done);
  std::ranges::sort(out.state.files, {}, &KeptFile::path);
  return std::optional(std::move(out));
}

}  // namespace

store::Result<TreeScan> scan(WorkspaceFiles& workspace, FileLook::Contents contents,
                             const UsualModes& modes) {
  std::optional<TreeScan> found;
  if (workspace.repository.is_there()) found = TRY(by_git(workspace, contents, modes));
  if (!found) found = TRY(by_walk(workspace, contents));
  TRY(workspace.files.flush());
  if (!found) return TreeScan{.state = {.coverage = std::string(Checkpoint::by_tools)}};
  found->state.left_out = static_cast<std::int64_t>(found->left_out.size());
  return *std::move(found);
}

}  // namespace skein::checkpoints
