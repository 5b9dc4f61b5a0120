// A file system in memory: for sessions that leave nothing on disk, and for tests.

#include "core/store/files/files.h"

namespace skein::store::files {

namespace {

struct Node {
  std::uint64_t inode;
  std::string bytes{};
  std::int64_t mtime_ns = 0;
  int locked_by = -1;
  std::map<std::uint64_t, std::map<int, LockMode>> holders{};  // of a place
};

class MemoryFiles : public Files {
 public:
  int open(const std::string& path, OpenAs as) override {
    if (folders_.contains(path)) return -EISDIR;
    const auto found = names_.find(path);
    const bool exists = found != names_.end();
    if (as == OpenAs::creator && exists) return -EEXIST;
    if (!exists && (as == OpenAs::reader || as == OpenAs::appender)) return -ENOENT;
    if (!exists && !folders_.contains(parent_folder(path))) return -ENOENT;
    if (exists) return add(found->second);
    touch(path);
    return add(names_[path] = std::make_shared<Node>(Node{.inode = next_inode_++}));
  }
  int close(Handle file) override {
    unlock(file);
    for (auto& [place, holders] : open_.at(file)->holders) holders.erase(file);
    open_.erase(file);
    return 0;
  }
  int stat(Handle file, FileStat& out) override {
    out = of(*open_.at(file));
    return 0;
  }
  int stat_path(const std::string& path, FileStat& out) override {
    if (const auto folder = folders_.find(path); folder != folders_.end())
      return out = {.kind = FileStat::Kind::folder, .mtime_ns = folder->second}, 0;
    const auto found = names_.find(path);
    if (found == names_.end()) return -ENOENT;
    out = of(*found->second);
    return 0;
  }
  std::int64_t read(Handle file, char* to, std::size_t count, std::uint64_t at) override {
    const std::string& bytes = open_.at(file)->bytes;
    return at < bytes.size() ? static_cast<std::int64_t>(bytes.copy(to, count, at)) : 0;
  }
  std::int64_t write(Handle file, std::string_view bytes) override {
    Node& node = *open_.at(file);
    node.bytes += bytes;
    node.mtime_ns = ++clock_;
    return static_cast<std::int64_t>(bytes.size());
  }
  int sync(Handle) override { return 0; }
  int truncate(Handle file, std::uint64_t size) override {
    Node& node = *open_.at(file);
    node.bytes.resize(size);
    node.mtime_ns = ++clock_;
    return 0;
  }
  int lock(Handle file, int) override {
    int& holder = open_.at(file)->locked_by;
    if (holder >= 0 && holder != file) return -EBUSY;
    holder = file;
    return 0;
  }
  int unlock(Handle file) override {
    if (int& holder = open_.at(file)->locked_by; holder == file) holder = -1;
    return 0;
  }
  int hold(Handle file, std::uint64_t place, LockMode company) override {
    auto& holders = open_.at(file)->holders[place];
    for (const auto& [other, mode] : holders)
      if (other != file && (mode == LockMode::exclusive || company == LockMode::exclusive))
        return -EBUSY;
    holders[file] = company;
    return 0;
  }
  int link(const std::string& from, const std::string& to) override {
    if (!names_.contains(from)) return -ENOENT;
    if (names_.contains(to)) return -EEXIST;
    names_[to] = names_[from];
    touch(to);
    return 0;
  }
  int rename(const std::string& from, const std::string& to) override {
    if (!names_.contains(from)) return -ENOENT;
    const auto node = names_[from];
    names_.erase(from);
    names_[to] = node;
    touch(from);
    touch(to);
    return 0;
  }
  int remove(const std::string& path) override {
    if (!names_.erase(path)) return -ENOENT;
    touch(path);
    return 0;
  }
  int make_folder(const std::string& path) override {
    folders_.emplace(path, ++clock_);
    return 0;
  }
  int list(const std::string& folder, std::vector<std::string>& names) override {
    if (!folders_.contains(folder)) return -ENOENT;
    for (const auto& [path, node] : names_)
      if (parent_folder(path) == folder)
        names.push_back(path.substr(folder.empty() ? 0 : folder.size() + 1));
    return 0;
  }
  int sync_folder(const std::string& folder) override {
    return folders_.contains(folder) ? 0 : -ENOENT;
  }

 private:
  int add(std::shared_ptr<Node> node) {
    open_[next_handle_] = std::move(node);
    return next_handle_++;
  }
  void touch(const std::string& path) { folders_[parent_folder(path)] = ++clock_; }
  static FileStat of(const Node& node) {
    return {FileStat::Kind::file, node.bytes.size(), node.mtime_ns, 1, node.inode};
  }

  // A node is shared by its names and its open handles, as an inode is.
  std::map<std::string, std::shared_ptr<Node>> names_{};
  std::map<Handle, std::shared_ptr<Node>> open_{};
  std::map<std::string, std::int64_t> folders_{{"", 0}};  // and when a name in them last changed
  std::uint64_t next_inode_ = 1;
  Handle next_handle_ = 3;
  std::int64_t clock_ = 0;
};

}  // namespace

std::unique_ptr<Files> memory_files() { return std::make_unique<MemoryFiles>(); }

}  // namespace skein::store::files
