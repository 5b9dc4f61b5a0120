#include "core/tools/sandbox/quarantine.h"

#include <fcntl.h>
#include <stdio.h>

#include <cerrno>
#include <filesystem>
#include <utility>

#include "core/text/base.h"
#include "core/text/fd.h"

namespace skein::tools::sandbox {

namespace {

namespace fs = std::filesystem;

// To another file system: only what a record can hold.
bool copy_and_remove(int folder, const std::string& name, const fs::path& target) {
  const TreeRecord tree = record_tree(folder, name);
  const Fd above(open(target.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  for (const auto& [path, thing] : tree) {
    const fs::path goal = path.empty() ? target.filename() : target.filename() / path;
    const Fd inner = open_below(above.get(), goal.parent_path().string());
    if (!thing.whole || !inner || !put(inner.get(), goal.filename(), thing)) return false;
  }
  std::error_code error;
  fs::remove_all("/proc/self/fd/" + std::to_string(folder) + "/" + name, error);
  return !error;
}

}  // namespace

bool Quarantine::take(int folder, const std::string& name, const std::string& path) {
  // A folder without rights cannot be moved.
  const Fd inner(openat(folder, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!inner && errno == EACCES) fchmodat(folder, name.c_str(), S_IRWXU, AT_SYMLINK_NOFOLLOW);
  std::error_code error;
  if (!folder_.empty()) {
    if (bundle_.empty()) bundle_ = folder_ + "/" + now_utc() + "-" + to_string(random_id());
    const fs::path target = bundle_ / fs::path(path).relative_path();
    fs::create_directories(target.parent_path(), error);
    fs::permissions(folder_, fs::perms::owner_all, error);
    if (renameat2(folder, name.c_str(), AT_FDCWD, target.c_str(), RENAME_NOREPLACE) == 0 ||
        copy_and_remove(folder, name, target))
      return true;
  }
  const std::string aside = name + ".set-aside-" + to_string(random_id());
  if (renameat(folder, name.c_str(), folder, aside.c_str()) != 0) return false;
  left_in_place_ = true;
  return true;
}

std::string Quarantine::place() {
  const std::string bundle = std::exchange(bundle_, "");
  return std::exchange(left_in_place_, false) ? "beside it, under a name with .set-aside" : bundle;
}

}  // namespace skein::tools::sandbox
