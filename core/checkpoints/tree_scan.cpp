#include "core/checkpoints/tree_scan.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <utility>

#include "core/tools/workspace/tree_walk.h"

namespace skein::checkpoints {

using model::payload::Checkpoint;
using tools::workspace::EntryKind, tools::workspace::WalkControl, tools::workspace::Walked;

void TreeScanner::add(TreeScan& scan, const SeenFile& seen) {
  KeptFile file = seen.file;
  if (seen.kind == SeenFile::Kind::other) file.hash = "";
  if (file.hash && file.hash->empty()) scan.left_out.push_back(file.path);
  scan.state.files.push_back(std::move(file));
}

store::Result<std::optional<TreeScan>> TreeScanner::by_git(FileLook::Contents contents) {
  std::optional<GitRepository::Status> status = repository_.status();
  if (!status) return std::optional<TreeScan>{};
  TreeScan out;
  out.state.coverage = Checkpoint::by_git;
  out.state.git = status->commit;
  out.converts = status->converts;
  out.passed_over = std::move(status->passed_over);
  std::uint64_t bytes = 0;
  for (const std::string& path : status->changed) {
    const bool over = out.state.files.size() >= limits_.git_files || bytes >= limits_.git_bytes;
    const std::uint64_t most = over                               ? 0
                               : status->untracked.contains(path) ? limits_.untracked_bytes
                                                                  : most_kept_bytes;
    const store::Result<SeenFile> seen = files_.look(path, contents, most);
    if (!seen) return seen.error();
    // skein's own files lie in the workspace: nobody's business here.
    if (seen->kind == SeenFile::Kind::other && seen->info.st_mode == 0) continue;
    if (seen->file.contents_kept()) bytes += seen->file.size;
    add(out, *seen);
  }
  return std::optional(std::move(out));
}

// Looked through before the first file is read: what is too large must not cost what it is large.
bool TreeScanner::fits_a_walk() const {
  std::size_t count = 0;
  std::uint64_t bytes = 0;
  const auto refusal = walk_tree(root_, ".", root_.locate("."), {}, [&](const Walked& found) {
    stop_.check();
    struct stat info {};
    if (found.kind == EntryKind::file && fstatat(found.place.folder.get(), found.place.name.c_str(),
                                                 &info, AT_SYMLINK_NOFOLLOW) == 0)
      ++count, bytes += static_cast<std::uint64_t>(info.st_size);
    const bool fits = count <= limits_.walk_files && bytes <= limits_.walk_bytes;
    return fits ? WalkControl::go_on : WalkControl::stop;
  });
  return refusal.empty() && count <= limits_.walk_files && bytes <= limits_.walk_bytes;
}

store::Result<std::optional<TreeScan>> TreeScanner::by_walk(FileLook::Contents contents) {
  if (!fits_a_walk()) return std::optional<TreeScan>{};
  TreeScan out;
  out.state.coverage = Checkpoint::by_walk;
  store::Result<void> done;
  walk_tree(root_, ".", root_.locate("."), {}, [&](const Walked& found) {
    if (found.kind == EntryKind::folder) return WalkControl::go_on;
    const store::Result<SeenFile> seen =
        files_.look(found.path, found.place, contents, most_kept_bytes);
    if (!seen) {
      done = seen.error();
      return WalkControl::stop;
    }
    if (seen->kind != SeenFile::Kind::none) add(out, *seen);
    return WalkControl::go_on;
  });
  if (!done) return done.error();
  std::ranges::sort(out.state.files, {}, &KeptFile::path);
  return std::optional(std::move(out));
}

store::Result<TreeScan> TreeScanner::scan(FileLook::Contents contents) {
  store::Result<std::optional<TreeScan>> found = std::optional<TreeScan>{};
  if (repository_.is_there()) found = by_git(contents);
  if (found && !*found) found = by_walk(contents);
  if (!found) return found.error();
  if (const auto flushed = files_.flush(); !flushed) return flushed.error();
  if (!*found) return TreeScan{.state = {.coverage = std::string(Checkpoint::by_tools)}};
  TreeScan out = **std::move(found);
  out.state.left_out = static_cast<std::int64_t>(out.left_out.size());
  return out;
}

}  // namespace skein::checkpoints
