// What is done to files by their names. What goes wrong is a failure; its sentence begins with
// `doing`, or with the path.
#pragma once

#include "core/store/files/files.h"

namespace skein::store::files {

using Take = std::function<bool(std::string_view piece)>;  // false ends it

// A file while it is open, and closed with it. Its failures begin with the name that people know it
// by.
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

// A file in the making: a temporary file next to its place, which it takes when it is whole and
// synced. Until then no process sees it; if it never does, nothing is left of it.
class NewFile {
 public:
  // `doing` begins the sentence about what goes wrong.
  NewFile(Files& files, const std::string& path, const std::string& doing);
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  // What goes wrong is remembered until it is finished; false: something did, now or earlier.
  bool write(std::string_view bytes);
  void start_over();

  Result<void> finish();             // everything is written and synced, under the temporary name
  Result<void> finish_unsynced();    // the same for one who syncs many files at once
  Result<void> link_into_place();    // finishes; fails if a file is there
  Result<void> rename_into_place();  // finishes; in the place of what is there

  // Finished before; the caller syncs the folder.
  Result<void> rename_unsynced();

  const std::string& temporary() const { return temporary_; }
  const FileStat& stat() const { return stat_; }  // once it is finished

 private:
  void write_out(std::string_view bytes);

  Files& files_;
  const std::string path_, temporary_, doing_;
  OpenFile file_{};
  bool there_ = false;  // the temporary file
  Result<void> done_{};
  std::string buffer_{};
  FileStat stat_{};
};

// `damaged` if what is there is not a file.
Result<OpenFile> open(Files& files, const std::string& path, OpenAs as, const std::string& doing);
Result<FileStat> stat(Files& files, const std::string& path, const std::string& doing = {});
bool exists(Files& files, const std::string& path);
Result<std::vector<std::string>> list(Files& files, const std::string& folder);  // sorted
// All of a file; `refused` if that is more than `limit` bytes.
Result<std::string> read_whole(Files& files, const std::string& path, std::uint64_t limit,
                               const std::string& doing = {});
Result<void> make_folder(Files& files, const std::string& folder);  // nothing if it is there
Result<void> link(Files& files, const std::string& from, const std::string& to,
                  const std::string& doing = {});
Result<void> remove(Files& files, const std::string& path, const std::string& doing = {});
Result<void> sync_folder(Files& files, const std::string& folder, const std::string& doing = {});
// Through a temporary file, synced, renamed into place, the folder synced.
Result<void> replace_file(Files& files, const std::string& path, std::string_view bytes,
                          const std::string& doing = {});
// Across file systems as well; both folders synced.
Result<void> move_file(Files& files, const std::string& from, const std::string& to,
                       const std::string& doing = {});

}  // namespace skein::store::files
