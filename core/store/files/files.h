// The file system as the store sees it: about twenty calls. Real and in memory; tests put a faulty
// one in between. Paths are relative to the home the object was made for; our own code makes them,
// from fixed names and hex ids. Every call returns a number >= 0, or -errno, which no code outside
// this room sees: OpenFile and named_files make failures of it.
#pragma once

#include "core/store/lease.h"
#include "core/store/result.h"

namespace skein::store::files {

struct FileStat {
  enum class Kind { file, folder, other } kind = Kind::file;
  std::uint64_t size = 0;
  std::int64_t mtime_ns = 0;
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  bool same_file(const FileStat& other) const {
    return device == other.device && inode == other.inode;
  }
  bool same_version(const FileStat& other) const {
    return same_file(other) && size == other.size && mtime_ns == other.mtime_ns;
  }
};

enum class OpenAs {
  reader,    // must exist
  appender,  // must exist; every write goes to the end
  creator,   // must not exist
  locker,    // made if it is not there; only locked, never written
};

// The byte of a file that means `place`, with which hold() marks it: offsets have a sign, and
// a range of one byte must end below the largest.
constexpr std::uint64_t lock_offset(std::uint64_t place) { return place & 0x7FFF'FFFF'FFFF'FFFE; }

class Files {
 public:
  using Handle = int;
  virtual ~Files() = default;

  virtual int open(const std::string& path, OpenAs as) = 0;  // a Handle; a symlink is an error
  virtual int close(Handle file) = 0;
  virtual int stat(Handle file, FileStat& out) = 0;
  virtual int stat_path(const std::string& path, FileStat& out) = 0;  // of a symlink: itself
  virtual std::int64_t read(Handle file, char* to, std::size_t count, std::uint64_t at) = 0;
  virtual std::int64_t write(Handle file, std::string_view bytes) = 0;  // one write(2)
  virtual int sync(Handle file) = 0;
  virtual int truncate(Handle file, std::uint64_t size) = 0;
  // Exclusive, advisory, gone with the handle or the process. -EBUSY after `patience_ms`.
  virtual int lock(Handle file, int patience_ms) = 0;
  virtual int unlock(Handle file) = 0;
  // One place in a file, for any number of holders or for one alone; at once, or -EBUSY. Advisory,
  // gone with the handle or the process.
  virtual int hold(Handle file, std::uint64_t place, LockMode company) = 0;
  virtual int link(const std::string& from, const std::string& to) = 0;  // -EEXIST if `to` is there
  virtual int rename(const std::string& from, const std::string& to) = 0;  // replaces `to`
  virtual int remove(const std::string& path) = 0;
  virtual int make_folder(const std::string& path) = 0;  // 0 as well if it is there
  virtual int list(const std::string& folder, std::vector<std::string>& names) = 0;
  virtual int sync_folder(const std::string& folder) = 0;
  // Makes all safe that was written to any file here, for those who have written many. Where that
  // cannot be done each is to be synced by itself.
  virtual bool can_sync_all() const { return false; }
  virtual int sync_all() { return -ENOSYS; }
  // The places of a file that anybody holds, as lock_offset() counts them.
  virtual int held(Handle, std::vector<std::uint64_t>&) { return -ENOSYS; }
  // A descriptor of inotify that tells of changes to a folder's files; the caller's to close.
  virtual int watch(const std::string&) { return -ENOSYS; }
  // Several threads may open and read files at once.
  virtual bool for_threads() const { return false; }
};

// `home` is made if it is not there: 0700, ours, not a symlink; throws Error when it is not.
std::unique_ptr<Files> real_files(const std::string& home);
std::unique_ptr<Files> memory_files();
// A folder that is there already; it may belong to any user.
Result<std::unique_ptr<Files>> files_beneath(const std::string& folder);

// The places of an open file that anybody holds; the kernel is asked for one after the other.
std::vector<std::uint64_t> held_places(int file);

std::string parent_folder(const std::string& path);

// What a call that returned -errno means; `doing` begins the sentence.
Failure failure_from_errno(int error, const std::string& doing);
Result<void> result_from_errno(int returned, const std::string& doing);

}  // namespace skein::store::files
