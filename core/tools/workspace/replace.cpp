// Root::replace: how a file gets new contents without ever being half of them.
#include <fcntl.h>
#include <stdio.h>

#include <cerrno>
#include <cstring>

#include "core/text/base.h"
#include "core/text/io.h"
#include "core/tools/workspace/root.h"

namespace skein::tools::workspace {

namespace {

bool same_version(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino && a.st_size == b.st_size &&
         a.st_mtim.tv_sec == b.st_mtim.tv_sec && a.st_mtim.tv_nsec == b.st_mtim.tv_nsec;
}

// Why the file that is there must not be replaced; empty: it may.
std::string objection(const struct stat& old, const std::optional<struct stat>& expected) {
  if (S_ISDIR(old.st_mode)) return "is a folder";
  if (!S_ISREG(old.st_mode)) return "is not a regular file";
  if (old.st_nlink > 1)
    return "has " + std::to_string(old.st_nlink) +
           " hard links, and the others may lie outside the workspace; copy the file first to "
           "make it independent";
  if (expected && !same_version(old, *expected)) return "has changed meanwhile; read it again";
  return "";
}

// A temporary name in an open folder, gone unless it was renamed.
struct Temporary {
  int folder;
  std::string name = ".skein-" + to_string(random_id()) + ".tmp";
  ~Temporary() {
    if (!name.empty()) unlinkat(folder, name.c_str(), 0);
  }
};

}  // namespace

std::string Root::replace(const Place& place, std::string_view bytes,
                          const std::optional<struct stat>& expected,
                          const std::optional<mode_t>& wanted_mode) const {
  const int folder = place.folder.get();
  const auto refuse = [&](const std::string& why) { return place.name + ": " + why; };
  struct stat old {};
  const bool exists = fstatat(folder, place.name.c_str(), &old, AT_SYMLINK_NOFOLLOW) == 0;
  if (!exists && errno != ENOENT) return refuse(std::strerror(errno));
  if (!exists && expected) return refuse("has gone meanwhile");
  if (exists)
    if (const std::string why = objection(old, expected); !why.empty()) return refuse(why);

  Temporary temporary{folder};
  const mode_t mode = exists ? 0600 : 0644;  // the umask takes its part from a new file
  const Fd file(openat(folder, temporary.name.c_str(),
                       O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
  if (!file) {
    temporary.name.clear();
    return refuse(std::strerror(errno));
  }
  if (exists) {
    // Root editing a user's file must not take it away from them; others cannot and need not.
    const bool given = fchown(file.get(), old.st_uid, old.st_gid) == 0;
    const mode_t kept = old.st_mode & (given ? 0777 : 0707);
    if (fchmod(file.get(), old.st_gid == getegid() ? old.st_mode & 0777 : kept) != 0)
      return refuse(std::strerror(errno));
  }
  if (wanted_mode && fchmod(file.get(), *wanted_mode & 0777) != 0)
    return refuse(std::strerror(errno));
  if (!write_all(file.get(), bytes) || fsync(file.get()) != 0) return refuse(std::strerror(errno));

  // A new file must not overwrite what has been put there since we looked.
  const unsigned flags = exists ? 0 : RENAME_NOREPLACE;
  int renamed = renameat2(folder, temporary.name.c_str(), folder, place.name.c_str(), flags);
  if (renamed != 0 && errno == EINVAL && flags != 0)  // a file system without that flag
    renamed = renameat(folder, temporary.name.c_str(), folder, place.name.c_str());
  if (renamed != 0) return refuse(std::strerror(errno));
  temporary.name.clear();
  return "";
}

}  // namespace skein::tools::workspace
