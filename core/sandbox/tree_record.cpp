#include "core/sandbox/tree_record.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>

#include "core/text/base.h"
#include "core/text/text.h"

namespace skein::sandbox {

namespace {

namespace fs = std::filesystem;

// To another file system: only what a record can hold.
bool copy_and_remove(int folder, const std::string& name, const fs::path& target) {
  const TreeRecord tree = record_tree(folder, name);
  const Fd above(open(target.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  for (const auto& [path, thing] : tree) {
    const fs::path goal = path.empty() ? target.filename() : target.filename() / path;
    const Fd inner = open_below(above.get(), goal.parent_path().string());
    if (!thing.whole || !inner || !put(inner.get(), goal.filename(), thing)) return false;
  }
  std::error_code error;
  fs::remove_all("/proc/self/fd/" + std::to_string(folder) + "/" + name, error);
  return !error;
}

constexpr std::size_t most_bytes = 1024 * 1024;  // of one file
constexpr std::size_t most_things = 4096;        // in one tree
constexpr std::size_t most_kept = 64u
                                  << 20;  // bytes of one tree; of what is beyond, only the stamp
constexpr std::int64_t tick_ns = 20'000'000;  // longer than any clock tick of the kernel

Recorded::Kind kind_of(mode_t mode) {
  return S_ISREG(mode)   ? Recorded::Kind::file
         : S_ISDIR(mode) ? Recorded::Kind::folder
         : S_ISLNK(mode) ? Recorded::Kind::link
                         : Recorded::Kind::other;
}

void read_bytes(int folder, const char* name, Recorded& thing) {
  std::optional<std::string> bytes;
  if (thing.kind == Recorded::Kind::link) {
    bytes = workspace::read_link(folder, name);
  } else if (thing.kind == Recorded::Kind::file) {
    const Fd file(openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (file) bytes = read_all(file.get(), most_bytes);
  } else {
    return;
  }
  thing.whole = bytes.has_value();
  thing.bytes = std::move(bytes).value_or("");
}

void add(TreeRecord& tree, int folder, const std::string& name, const std::string& path,
         const TreeRecord& earlier, std::size_t& room) {
  struct stat info {};
  if (tree.size() >= most_things || fstatat(folder, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0)
    return;
  Recorded& thing = tree[path];
  thing.kind = kind_of(info.st_mode);
  thing.mode = info.st_mode & 07777;
  thing.shared = thing.kind == Recorded::Kind::file && info.st_nlink > 1;
  thing.stamp = stamp_of(info);
  const auto before = earlier.find(path);
  if (before != earlier.end() && surely_unchanged(before->second.stamp, thing.stamp)) {
    thing.bytes = before->second.bytes;
    thing.whole = before->second.whole;
  } else if (thing.kind == Recorded::Kind::file && info.st_size > static_cast<off_t>(room)) {
    thing.whole = false;
  } else {
    read_bytes(folder, name.c_str(), thing);
  }
  room -= std::min(room, thing.bytes.size());
  if (thing.kind != Recorded::Kind::folder) return;
  Fd inner(openat(folder, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  thing.whole = static_cast<bool>(inner);
  if (!inner) return;
  const Fd here(fcntl(inner.get(), F_DUPFD_CLOEXEC, 0));
  each_name(std::move(inner), [&](const std::string& child, bool) {
    add(tree, here.get(), child, path.empty() ? child : path + "/" + child, earlier, room);
  });
}

// To the last detail; the bytes are compared only if they can differ.
bool identical(const Recorded& a, const Recorded& b) {
  return a.kind == b.kind && a.mode == b.mode && a.whole == b.whole && a.shared == b.shared &&
         a.stamp.id == b.stamp.id && a.stamp.changed_ns == b.stamp.changed_ns &&
         (surely_unchanged(a.stamp, b.stamp) || a.bytes == b.bytes);
}

}  // namespace

Fd open_below(int root, std::string_view path) {
  Fd here;
  while (true) {
    const std::string name(take_piece(path, '/'));
    if (name == "..") return Fd();
    const bool last = path.empty();
    const int way = last ? O_RDONLY : O_PATH;
    here = Fd(openat(here ? here.get() : root, name.empty() ? "." : name.c_str(),
                     way | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!here || last) return here;
  }
}

void each_name(Fd folder, const std::function<void(const std::string&, bool is_folder)>& take) {
  const int fd = folder.get();
  workspace::each_entry(std::move(folder), [&](const std::string& name, int type) {
    struct stat info {};
    const bool found =
        type == DT_UNKNOWN && fstatat(fd, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0;
    take(name, type == DT_DIR || (found && S_ISDIR(info.st_mode)));
    return true;
  });
}

ChangeStamp stamp_of(const struct stat& info) {
  using workspace::nanoseconds;
  timespec now{};
  clock_gettime(CLOCK_REALTIME_COARSE, &now);
  const std::int64_t changed = nanoseconds(info.st_ctim);
  return {{info.st_dev, info.st_ino}, changed, changed > nanoseconds(now) - tick_ns};
}

bool surely_unchanged(const ChangeStamp& before, const ChangeStamp& now) {
  return !before.fresh && before.id == now.id && before.changed_ns == now.changed_ns;
}

bool same(const Recorded& a, const Recorded& b) {
  if (a.kind != b.kind || a.whole != b.whole) return false;
  if (a.kind != Recorded::Kind::link && a.mode != b.mode) return false;
  return a.whole ? a.bytes == b.bytes
                 : a.stamp.id == b.stamp.id && a.stamp.changed_ns == b.stamp.changed_ns;
}

bool same(const TreeRecord& a, const TreeRecord& b) {
  return std::ranges::equal(a, b, [](const auto& left, const auto& right) {
    return left.first == right.first && same(left.second, right.second);
  });
}

TreeChanges changes_between(const TreeRecord& before, const TreeRecord& now) {
  TreeChanges changes;
  for (auto thing = now.begin(); thing != now.end(); ++thing)
    if (const auto old = before.find(thing->first);
        old == before.end() || !identical(old->second, thing->second))
      changes.changed.push_back(thing);
  for (const auto& [path, thing] : before)
    if (!now.contains(path)) changes.gone.push_back(path);
  return changes;
}

void save(Packer& out, const TreeChanges& changes) {
  out.number(changes.changed.size());
  for (const auto& each : changes.changed) {
    const Recorded& thing = each->second;
    out.text(each->first);
    out.number(static_cast<std::uint64_t>(thing.kind));
    out.number(thing.mode);
    out.text(thing.bytes);
    out.number(thing.whole * 1u + thing.shared * 2u);
    out.number(thing.stamp.id.device);
    out.number(thing.stamp.id.inode);
    out.number(static_cast<std::uint64_t>(thing.stamp.changed_ns));
  }
  out.number(changes.gone.size());
  for (const std::string& path : changes.gone) out.text(path);
}

void load(Unpacker& in, TreeRecord& tree) {
  for (std::uint64_t count = in.number(); count > 0 && in.ok(); --count) {
    const std::string path = in.text();
    Recorded thing;
    thing.kind = static_cast<Recorded::Kind>(in.number());
    thing.mode = static_cast<mode_t>(in.number());
    thing.bytes = in.text();
    const std::uint64_t bits = in.number();
    thing.whole = bits & 1u;
    thing.shared = bits & 2u;
    thing.stamp.id = {in.number(), in.number()};
    thing.stamp.changed_ns = static_cast<std::int64_t>(in.number());
    if (in.ok()) tree[path] = std::move(thing);
  }
  for (std::uint64_t count = in.number(); count > 0 && in.ok(); --count) tree.erase(in.text());
}

TreeRecord record_tree(int folder, const std::string& name, const TreeRecord& earlier) {
  TreeRecord tree;
  std::size_t room = most_kept;
  add(tree, folder, name, "", earlier, room);
  return tree;
}

bool put(int folder, const std::string& name, const Recorded& thing) {
  if (thing.kind == Recorded::Kind::folder)
    return mkdirat(folder, name.c_str(), thing.mode | S_IRWXU) == 0;
  if (!thing.whole) return false;
  if (thing.kind == Recorded::Kind::link)
    return symlinkat(thing.bytes.c_str(), folder, name.c_str()) == 0;
  if (thing.kind != Recorded::Kind::file) return false;
  // Under another name first: a configuration that is half there must not be read.
  const std::string draft = name + "." + to_string(random_id()) + ".tmp";
  const Fd file(openat(folder, draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                       S_IRUSR | S_IWUSR));
  const bool done = file && write_all(file.get(), thing.bytes) &&
                    fchmod(file.get(), thing.mode) == 0 &&
                    renameat(folder, draft.c_str(), folder, name.c_str()) == 0;
  if (file && !done) unlinkat(folder, draft.c_str(), 0);
  return done;
}

bool Quarantine::take(int folder, const std::string& name, const std::string& path) {
  // A folder without rights cannot be moved.
  const Fd inner(openat(folder, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!inner && errno == EACCES) fchmodat(folder, name.c_str(), S_IRWXU, AT_SYMLINK_NOFOLLOW);
  std::error_code error;
  if (!folder_.empty()) {
    if (bundle_.empty()) bundle_ = folder_ + "/" + now_utc() + "-" + to_string(random_id());
    const fs::path target = bundle_ / fs::path(path).relative_path();
    fs::create_directories(target.parent_path(), error);
    fs::permissions(folder_, fs::perms::owner_all, error);
    if (renameat2(folder, name.c_str(), AT_FDCWD, target.c_str(), RENAME_NOREPLACE) == 0 ||
        copy_and_remove(folder, name, target))
      return true;
  }
  const std::string aside = name + ".set-aside-" + to_string(random_id());
  if (renameat(folder, name.c_str(), folder, aside.c_str()) != 0) return false;
  left_in_place_ = true;
  return true;
}

std::string Quarantine::place() {
  const std::string bundle = std::exchange(bundle_, "");
  return std::exchange(left_in_place_, false) ? "next to it, under a name with .set-aside" : bundle;
}

}  // namespace skein::sandbox
