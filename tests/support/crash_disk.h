// A disk in memory that can fail any call and knows what a power cut would leave of it. Several
// "processes" can share one. Stricter than most real disks: a name is safe only once its folder was
// synced, bytes only once their file was, and what a sync could not write stays unwritten.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/store/files/files.h"

namespace skein::test {

// Everything on a disk at rest.
struct DiskImage {
  struct File {
    std::string bytes{};
    std::int64_t mtime_ns = 0;
    std::uint64_t inode = 0;
  };
  std::map<std::string, File> files{};
  std::map<std::string, std::int64_t> folders{};  // and when they last changed
};

class CrashDisk {
 public:
  CrashDisk() : CrashDisk(DiskImage{.folders = {{"", 1}}}) {}
  explicit CrashDisk(const DiskImage& image);  // all of it is safe

  // The disk as one process sees it. The disk must outlive it.
  std::unique_ptr<store::files::Files> process();

  // Asked before every call: 0, or the errno it fails with.
  std::function<int(const char* call)> fault{};
  // How many of `count` bytes a write takes.
  std::function<std::size_t(std::size_t count)> shorten{};
  // Called after everything that changes the disk.
  std::function<void()> changed{};

  DiskImage now() const;                                      // as programs see it
  void put(const std::string& path, std::string_view bytes);  // safe at once; the inode stays
  std::string bytes(const std::string& path) const;
  bool has(const std::string& path) const { return names_.contains(path); }
  std::vector<std::string> paths(const std::string& folder) const;

  std::size_t calls() const { return calls_; }
  std::size_t open_handles() const { return open_.size(); }
  std::size_t syncs_of_failed_handles() const { return syncs_of_failed_handles_; }

  // What a power cut now could leave, at most about `limit` images; `visit` false ends it. The
  // `seed` picks which, where there are more.
  std::size_t crash_images(std::size_t limit, std::uint64_t seed,
                           const std::function<bool(const DiskImage&)>& visit) const;

 private:
  friend class CrashProcess;
  struct Change {  // of a file's bytes, not yet synced
    bool truncate = false;
    std::uint64_t at = 0;
    std::string bytes{};
    bool dropped = false;  // a failed sync gave it up: no later one writes it
  };
  struct Node {
    std::uint64_t inode = 0;
    std::string cache{}, safe{};
    std::vector<Change> pending{};
    std::int64_t mtime_ns = 0;
    int locked_by = -1;
  };
  using NodePtr = std::shared_ptr<Node>;
  struct NameChange {  // not yet synced
    std::string removed{}, added{};
    NodePtr node{};
    std::set<std::string> waiting_for{};  // folders
  };
  struct Opened {
    NodePtr node{};
    bool writable = false;
    bool sync_failed = false;
  };

  int fails(const char* call);
  void change(const NameChange& name_change);
  void done();
  static void apply(std::string& bytes, const Change& change);
  static std::vector<std::string> variants(const Node& node, std::size_t limit, std::uint64_t seed);

  std::map<std::string, NodePtr> names_{}, safe_names_{};
  std::vector<NameChange> pending_names_{};
  std::map<std::string, std::int64_t> folders_{};
  std::map<int, Opened> open_{};
  std::uint64_t next_inode_ = 100;
  int next_handle_ = 3;
  std::int64_t clock_ = 1000;
  std::size_t calls_ = 0;
  std::size_t syncs_of_failed_handles_ = 0;
};

}  // namespace skein::test
