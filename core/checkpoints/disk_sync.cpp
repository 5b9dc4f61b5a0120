#include "core/checkpoints/disk_sync.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace skein::checkpoints {

using tools::workspace::StagedFile;

StagedFile::Sync DiskSync::of_files() const {
  return extent_ == Extent::each_file ? StagedFile::Sync::now : StagedFile::Sync::later;
}

void DiskSync::add(int folder) {
  struct stat info {};
  if (extent_ == Extent::nothing || fstat(folder, &info) != 0) return;
  const ino_t inode = extent_ == Extent::each_file ? info.st_ino : 0;
  const auto [at, is_new] = folders_.try_emplace({info.st_dev, inode});
  if (is_new) at->second = Fd(openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

std::string DiskSync::sync() const {
  for (const auto& [id, folder] : folders_)
    if (folder && (extent_ == Extent::each_file ? fsync : syncfs)(folder.get()) != 0)
      return std::strerror(errno);
  return {};
}

}  // namespace skein::checkpoints
