#include "tests/support/crash_disk.h"

#include <algorithm>
#include <cerrno>

namespace skein::test {

CrashDisk::CrashDisk(const DiskImage& image) : folders_(image.folders) {
  std::map<std::uint64_t, NodePtr> nodes;
  for (const auto& [path, file] : image.files) {
    NodePtr& node = nodes[file.inode];
    if (!node)
      node = std::make_shared<Node>(Node{file.inode, file.bytes, file.bytes, {}, file.mtime_ns});
    names_[path] = safe_names_[path] = node;
    next_inode_ = std::max(next_inode_, file.inode + 1);
    clock_ = std::max(clock_, file.mtime_ns);
  }
  for (const auto& [path, mtime] : folders_) clock_ = std::max(clock_, mtime);
}

DiskImage CrashDisk::now() const {
  DiskImage image{.folders = folders_};
  for (const auto& [path, node] : names_)
    image.files[path] = {node->cache, node->mtime_ns, node->inode};
  return image;
}

void CrashDisk::put(const std::string& path, std::string_view bytes) {
  NodePtr& node = names_[path];
  if (!node) {
    node = std::make_shared<Node>(Node{.inode = next_inode_++});
    folders_[store::files::parent_folder(path)] = ++clock_;
  }
  node->cache = node->safe = bytes;
  node->pending.clear();
  node->mtime_ns = ++clock_;
  safe_names_[path] = node;
}

std::string CrashDisk::bytes(const std::string& path) const {
  const auto found = names_.find(path);
  return found == names_.end() ? std::string{} : found->second->cache;
}

std::vector<std::string> CrashDisk::paths(const std::string& folder) const {
  std::vector<std::string> out;
  for (const auto& [path, node] : names_)
    if (store::files::parent_folder(path) == folder) out.push_back(path);
  return out;
}

int CrashDisk::fails(const char* call) {
  ++calls_;
  return fault ? fault(call) : 0;
}

void CrashDisk::done() {
  if (changed) changed();
}

void CrashDisk::apply(std::string& bytes, const Change& change) {
  if (change.truncate) {
    bytes.resize(change.at);
  } else {
    if (bytes.size() < change.at) bytes.resize(change.at);  // a hole
    bytes.replace(change.at, change.bytes.size(), change.bytes);
  }
}

void CrashDisk::change(const NameChange& name_change) {
  pending_names_.push_back(name_change);
  for (const std::string& folder : name_change.waiting_for) folders_[folder] = ++clock_;
  done();
}

// The calls of one process. All state is the disk's, so that a process that ends takes nothing
// with it but its handles, which whoever opened them closes.
class CrashProcess : public store::files::Files {
 public:
  explicit CrashProcess(CrashDisk& disk) : disk_(disk) {}

  int open(const std::string& path, store::files::OpenAs as) override {
    if (const int error = disk_.fails("open")) return -error;
    if (disk_.folders_.contains(path))
      return as == store::files::OpenAs::reader ? add(nullptr, false) : -EISDIR;
    const auto found = disk_.names_.find(path);
    const bool exists = found != disk_.names_.end();
    if (as == store::files::OpenAs::creator && exists) return -EEXIST;
    if (!exists && (as == store::files::OpenAs::reader || as == store::files::OpenAs::appender))
      return -ENOENT;
    if (!exists && !disk_.folders_.contains(store::files::parent_folder(path))) return -ENOENT;
    if (exists) return add(found->second, as != store::files::OpenAs::reader);
    const auto node = std::make_shared<CrashDisk::Node>();
    node->inode = disk_.next_inode_++;
    node->mtime_ns = ++disk_.clock_;
    disk_.names_[path] = node;
    disk_.change({{}, path, node, {store::files::parent_folder(path)}});
    return add(node, true);
  }
  int close(Handle file) override {
    const auto found = disk_.open_.find(file);
    if (found == disk_.open_.end()) return -EBADF;
    if (found->second.node && found->second.node->locked_by == file)
      found->second.node->locked_by = -1;
    disk_.open_.erase(found);
    return 0;
  }
  int stat(Handle file, store::files::FileStat& out) override {
    if (const int error = disk_.fails("stat")) return -error;
    const auto found = disk_.open_.find(file);
    if (found == disk_.open_.end()) return -EBADF;
    out = of(found->second.node.get(), 0);
    return 0;
  }
  int stat_path(const std::string& path, store::files::FileStat& out) override {
    if (const int error = disk_.fails("stat_path")) return -error;
    if (const auto folder = disk_.folders_.find(path); folder != disk_.folders_.end())
      return out = of(nullptr, folder->second), 0;
    const auto found = disk_.names_.find(path);
    if (found == disk_.names_.end()) return -ENOENT;
    out = of(found->second.get(), 0);
    return 0;
  }
  std::int64_t read(Handle file, char* to, std::size_t count, std::uint64_t at) override {
    if (const int error = disk_.fails("read")) return -error;
    CrashDisk::Opened* opened = find(file);
    if (opened == nullptr) return -EBADF;
    const std::string& bytes = opened->node->cache;
    return at >= bytes.size() ? 0 : static_cast<std::int64_t>(bytes.copy(to, count, at));
  }
  std::int64_t write(Handle file, std::string_view bytes) override {
    if (const int error = disk_.fails("write")) return -error;
    CrashDisk::Opened* opened = find(file);
    if (opened == nullptr || !opened->writable) return -EBADF;
    if (disk_.shorten) bytes = bytes.substr(0, disk_.shorten(bytes.size()));
    CrashDisk::Node& node = *opened->node;
    record(node, {false, node.cache.size(), std::string(bytes)});
    return static_cast<std::int64_t>(bytes.size());
  }
  int sync(Handle file) override {
    CrashDisk::Opened* opened = find(file);
    if (opened != nullptr && opened->sync_failed) ++disk_.syncs_of_failed_handles_;
    if (const int error = disk_.fails("sync")) {
      if (opened != nullptr && error != EINTR) {
        opened->sync_failed = true;
        for (CrashDisk::Change& each : opened->node->pending) each.dropped = !each.truncate;
      }
      return -error;
    }
    if (opened == nullptr) return -EBADF;
    CrashDisk::Node& node = *opened->node;
    for (const CrashDisk::Change& each : node.pending)
      if (!each.dropped) CrashDisk::apply(node.safe, each);
    node.pending.clear();
    disk_.done();
    return 0;
  }
  int truncate(Handle file, std::uint64_t size) override {
    if (const int error = disk_.fails("truncate")) return -error;
    CrashDisk::Opened* opened = find(file);
    if (opened == nullptr || !opened->writable) return -EBADF;
    record(*opened->node, {true, size, {}});
    return 0;
  }
  int lock(Handle file, int) override {
    if (const int error = disk_.fails("lock")) return -error;
    CrashDisk::Opened* opened = find(file);
    if (opened == nullptr) return -EBADF;
    int& holder = opened->node->locked_by;
    if (holder >= 0 && holder != file) return -EBUSY;
    holder = file;
    return 0;
  }
  int unlock(Handle file) override {
    CrashDisk::Opened* opened = find(file);
    if (opened == nullptr) return -EBADF;
    if (opened->node->locked_by == file) opened->node->locked_by = -1;
    return 0;
  }
  int hold(Handle file, std::uint64_t, store::LockMode) override {
    return find(file) != nullptr ? 0 : -EBADF;
  }
  int link(const std::string& from, const std::string& to) override {
    if (const int error = disk_.fails("link")) return -error;
    const auto found = disk_.names_.find(from);
    if (found == disk_.names_.end()) return -ENOENT;
    if (disk_.names_.contains(to)) return -EEXIST;
    const CrashDisk::NodePtr node = disk_.names_[to] = found->second;
    disk_.change({{}, to, node, {store::files::parent_folder(to)}});
    return 0;
  }
  int rename(const std::string& from, const std::string& to) override {
    if (const int error = disk_.fails("rename")) return -error;
    const auto found = disk_.names_.find(from);
    if (found == disk_.names_.end()) return -ENOENT;
    const CrashDisk::NodePtr node = found->second;
    disk_.names_.erase(found);
    disk_.names_[to] = node;
    disk_.change(
        {from, to, node, {store::files::parent_folder(from), store::files::parent_folder(to)}});
    return 0;
  }
  int remove(const std::string& path) override {
    if (const int error = disk_.fails("remove")) return -error;
    if (!disk_.names_.erase(path)) return -ENOENT;
    disk_.change({path, {}, nullptr, {store::files::parent_folder(path)}});
    return 0;
  }
  int make_folder(const std::string& path) override {
    if (const int error = disk_.fails("make_folder")) return -error;
    disk_.folders_.emplace(path, ++disk_.clock_);
    return 0;
  }
  int list(const std::string& folder, std::vector<std::string>& names) override {
    if (const int error = disk_.fails("list")) return -error;
    if (!disk_.folders_.contains(folder)) return -ENOENT;
    for (const std::string& path : disk_.paths(folder))
      names.push_back(path.substr(folder.empty() ? 0 : folder.size() + 1));
    return 0;
  }
  int sync_folder(const std::string& folder) override {
    if (const int error = disk_.fails("sync_folder")) return -error;
    if (!disk_.folders_.contains(folder)) return -ENOENT;
    for (CrashDisk::NameChange& each : disk_.pending_names_) {
      each.waiting_for.erase(folder);
      if (!each.waiting_for.empty()) continue;
      const auto moved = disk_.safe_names_.find(each.removed);
      if (moved != disk_.safe_names_.end() && (!each.node || moved->second == each.node))
        disk_.safe_names_.erase(moved);
      if (!each.added.empty()) disk_.safe_names_[each.added] = each.node;
    }
    std::erase_if(disk_.pending_names_, [](const auto& each) { return each.waiting_for.empty(); });
    disk_.done();
    return 0;
  }

 private:
  int add(CrashDisk::NodePtr node, bool writable) {
    disk_.open_[disk_.next_handle_] = {std::move(node), writable};
    return disk_.next_handle_++;
  }
  CrashDisk::Opened* find(Handle file) {
    const auto found = disk_.open_.find(file);
    return found == disk_.open_.end() || !found->second.node ? nullptr : &found->second;
  }
  void record(CrashDisk::Node& node, const CrashDisk::Change& change) {
    CrashDisk::apply(node.cache, change);
    node.pending.push_back(change);
    node.mtime_ns = ++disk_.clock_;
    disk_.done();
  }
  static store::files::FileStat of(const CrashDisk::Node* node, std::int64_t folder_mtime_ns) {
    if (node == nullptr)
      return {.kind = store::files::FileStat::Kind::folder, .mtime_ns = folder_mtime_ns};
    return {store::files::FileStat::Kind::file, node->cache.size(), node->mtime_ns, 1, node->inode};
  }

  CrashDisk& disk_;
};

std::unique_ptr<store::files::Files> CrashDisk::process() {
  return std::make_unique<CrashProcess>(*this);
}

}  // namespace skein::test
