#include "core/checkpoints/tree_scan.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <map>
#include <utility>

#include "core/tools/workspace/tree_walk.h"

namespace skein::checkpoints {

using model::payload::Checkpoint;
using tools::workspace::EntryKind, tools::workspace::WalkControl, tools::workspace::Walked;

void TreeScanner::add(TreeScan& scan, const SeenFile& seen) {
  if (seen.kind == SeenFile::Kind::own) return;
  KeptFile file = seen.file;
  if (seen.kind == SeenFile::Kind::other) file.hash = "";
  if (file.hash && file.hash->empty()) scan.left_out.push_back(file.path);
  scan.state.files.push_back(std::move(file));
}

store::Result<std::optional<TreeScan>> TreeScanner::by_git(FileLook::Contents contents,
                                                           const Modes& modes) {
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
    if (seen->file.contents_kept()) bytes += seen->file.size;
    add(out, *seen);
  }
  add_modes(out, *status, modes);
  return std::optional(std::move(out));
}

// git knows one bit of a mode. Files whose other bits are not what most files have are listed.
void TreeScanner::add_modes(TreeScan& scan, const GitRepository::Status& status,
                            const Modes& modes) const {
  constexpr std::uint32_t passed_over = ~0u;
  std::vector<std::uint32_t> seen;
  std::map<std::uint32_t, std::size_t> counts[2];
  for (const auto& [path, program] : status.tracked) {
    stop_.check();
    struct stat info {};
    const bool unchanged = !std::ranges::binary_search(status.changed, path) &&
                           fstatat(root_.fd(), path.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0 &&
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

store::Result<TreeScan> TreeScanner::scan(FileLook::Contents contents, const Modes& modes) {
  store::Result<std::optional<TreeScan>> found = std::optional<TreeScan>{};
  if (repository_.is_there()) found = by_git(contents, modes);
  if (found && !*found) found = by_walk(contents);
  if (!found) return found.error();
  if (const auto flushed = files_.flush(); !flushed) return flushed.error();
  if (!*found) return TreeScan{.state = {.coverage = std::string(Checkpoint::by_tools)}};
  TreeScan out = **std::move(found);
  out.state.left_out = static_cast<std::int64_t>(out.left_out.size());
  return out;
}

}  // namespace skein::checkpoints
