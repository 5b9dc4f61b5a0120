// A file while it is open, and closed with it. It goes by the name people know it by, so that what
// goes wrong is a failure with a sentence.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "core/store/files/files.h"

namespace skein::store::files {

using Take = std::function<bool(std::string_view piece)>;  // false ends it

class OpenFile {
 public:
  OpenFile() = default;
  OpenFile(Files& files, Files::Handle handle, const std::string& name)
      : held_(std::make_unique<Held>(files, handle, name)) {}
  void reset() { held_.reset(); }
  bool is_open() const { return held_ != nullptr; }

  // All of these only while it is open.
  Result<FileStat> stat() const;
  // Until `count` bytes are there or the file ends; how many there are.
  Result<std::size_t> read(char* to, std::size_t count, std::uint64_t at) const;
  Result<void> read_all(const Take& take) const;     // piece by piece
  Result<void> write(std::string_view bytes) const;  // all, through short counts and EINTR
  Result<void> sync() const { return result(held_->files.sync(held_->handle)); }
  Result<void> truncate(std::uint64_t size) const {
    return result(held_->files.truncate(held_->handle, size));
  }
  Result<void> lock(int patience_ms = 10'000) const {
    return result(held_->files.lock(held_->handle, patience_ms));
  }
  void unlock() const { held_->files.unlock(held_->handle); }
  Result<void> hold(std::uint64_t place, LockMode company) const {
    return result(held_->files.hold(held_->handle, place, company));
  }

 private:
  struct Held {
    Held(Files& all, Files::Handle one, const std::string& called)
        : files(all), handle(one), name(called) {}
    ~Held() { files.close(handle); }
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;
    Files& files;
    Files::Handle handle;
    std::string name;
  };
  Result<void> result(int returned) const { return result_from_errno(returned, held_->name); }

  std::unique_ptr<Held> held_{};
};

}  // namespace skein::store::files
