// Which file a name refers to, whatever it is called.
#pragma once

#include <sys/types.h>

#include <compare>

namespace skein::tools::workspace {

struct FileId {
  dev_t device = 0;
  ino_t inode = 0;
  auto operator<=>(const FileId&) const = default;
};

}  // namespace skein::tools::workspace
