// A file while it is open, and closed with it. It goes by the name people know it by, so that what
// goes wrong is a failure with a sentence.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "core/store/files/files.h"

namespace skein::store::files {

using Take = std::function<bool(std::string_view piece)>;  // false ends it

class OpenFile {
 public:
  OpenFile() = default;
  OpenFile(Files& files, Files::Handle handle, std::string name);
  OpenFile(OpenFile&& other) noexcept;
  OpenFile& operator=(OpenFile&& other) noexcept;
  ~OpenFile() { reset(); }
  void reset();
  bool is_open() const { return handle_ >= 0; }

  Result<FileStat> stat() const;
  // Until `count` bytes are there or the file ends; how many there are.
  Result<std::size_t> read(char* to, std::size_t count, std::uint64_t at) const;
  Result<void> read_all(const Take& take) const;     // piece by piece
  Result<void> write(std::string_view bytes) const;  // all, through short counts and EINTR
  Result<void> sync() const;
  Result<void> truncate(std::uint64_t size) const;
  Result<void> lock(int patience_ms = 10'000) const;
  void unlock() const;
  Result<void> hold(std::uint64_t place, LockMode company) const;

 private:
  Files* files_ = nullptr;
  Files::Handle handle_ = -1;
  std::string name_{};
};

}  // namespace skein::store::files
