// A place of our own for what must be copied or unpacked before it can be read: nobody else can
// look into it, and it is gone afterwards.
#pragma once

#include <cstdint>
#include <string>

#include "core/exchange/importers/source_file.h"
#include "core/text/fd.h"

namespace skein::exchange::importers {

// A database and what its program has not yet put into it (its -wal), so that the original is never
// touched, not even by a lock. Throws Error if there is no room.
class PrivateCopy {
 public:
  explicit PrivateCopy(const SourceFile& database);
  ~PrivateCopy();
  PrivateCopy(const PrivateCopy&) = delete;
  PrivateCopy& operator=(const PrivateCopy&) = delete;

  std::string path() const { return folder_ + "/db"; }
  std::uint64_t size() const { return size_; }  // of all that was copied

 private:
  PrivateCopy();  // the folder; from then on the destructor is what removes it
  bool copy_once(const SourceFile& database);  // false: it was written to meanwhile

  std::string folder_{};
  std::uint64_t size_ = 0;
};

// A file that never had a name, or not for long; none: errno says why.
Fd nameless_file();

}  // namespace skein::exchange::importers
