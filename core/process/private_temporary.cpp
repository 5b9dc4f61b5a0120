#include "core/process/private_temporary.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "core/text/text.h"

namespace skein::process {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view placeholder = "XXXXXX";

void remove_dead(const fs::path& above, std::string_view prefix) {
  std::error_code error;
  for (fs::directory_iterator entry(above, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename();
    if (!name.starts_with(prefix) || name.size() != prefix.size() + placeholder.size()) continue;
    const Fd folder(open(entry->path().c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    struct stat info {};
    if (!folder || fstat(folder.get(), &info) != 0 || info.st_uid != geteuid()) continue;
    if (flock(folder.get(), LOCK_EX | LOCK_NB) != 0) continue;  // its owner lives
    remove_tree(entry->path());
  }
}

}  // namespace

void remove_tree(const fs::path& path) {
  std::error_code failed, ignored;
  fs::remove_all(path, failed);
  if (!failed) return;
  const auto open_up = [&](const fs::path& folder) {
    fs::permissions(folder, fs::perms::owner_all,
                    fs::perm_options::add | fs::perm_options::nofollow, ignored);
  };
  open_up(path);
  // Each folder is opened up before the next step goes into it.
  for (fs::recursive_directory_iterator entry(path, failed), end; !failed && entry != end;
       entry.increment(failed))
    if (fs::is_directory(entry->symlink_status(ignored))) open_up(entry->path());
  fs::remove_all(path, ignored);
}

PrivateTemporary::~PrivateTemporary() {
  if (!path_.empty()) remove_tree(path_);
}

const std::string& PrivateTemporary::path() {
  if (!path_.empty()) return path_;
  std::error_code error;
  const fs::path above = fs::canonical(above_.empty() ? temporary_folder() : above_, error);
  if (error) return path_;
  remove_dead(above, prefix_);
  // Another process that removes dead ones may be quicker than our lock: then try again.
  for (int attempt = 0; attempt < 100 && path_.empty(); ++attempt) {
    std::string name = (above / (prefix_ + std::string(placeholder))).string();
    if (mkdtemp(name.data()) == nullptr) break;
    Fd folder(open(name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    struct stat info {};
    if (!folder || flock(folder.get(), LOCK_EX) != 0 || fstat(folder.get(), &info) != 0 ||
        info.st_nlink == 0)
      continue;
    path_ = name;
    lock_ = std::move(folder);
  }
  return path_;
}

}  // namespace skein::process
