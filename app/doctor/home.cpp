// The checks of the home of sessions: how much room its file system has and whether it can be
// relied on, and which processes hold its locks.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/types.h>
#include <unistd.h>

#include "app/doctor/checks.h"
#include "core/store/files/files.h"
#include "core/text/io.h"
#include "core/text/json.h"
#include "core/text/text.h"

namespace skein::doctor {

namespace {

namespace fs = std::filesystem;

enum class Kind { local, network, memory };
struct FileSystem {
  std::uint32_t magic;
  std::string_view name;
  Kind kind = Kind::local;
};
// By the number statfs(2) tells; some of them are in no header.
constexpr FileSystem known[] = {
    {0xEF53, "ext4"},
    {0x58465342, "xfs"},
    {0x9123683E, "btrfs"},
    {0x2FC12FC1, "zfs"},
    {0xF2F52010, "f2fs"},
    {0x794C7630, "overlay"},
    {0x65735546, "fuse"},
    {0xCA451A4E, "bcachefs"},
    {0x01021994, "tmpfs", Kind::memory},
    {0x858458F6, "ramfs", Kind::memory},
    {0x6969, "nfs", Kind::network},
    {0xFF534D42, "cifs", Kind::network},
    {0xFE534D42, "smb2", Kind::network},
    {0x517B, "smb", Kind::network},
    {0x01021997, "9p", Kind::network},
    {0x00C36400, "ceph", Kind::network},
    {0x5346414F, "afs", Kind::network},
    {0x0BD00BD0, "lustre", Kind::network},
    {0x47504653, "gpfs", Kind::network},
};

FileSystem file_system_at(const std::string& path) {
  struct statfs facts {};
  if (statfs(path.c_str(), &facts) != 0) return {0, ""};
  const auto magic = static_cast<std::uint32_t>(facts.f_type);
  const auto found = std::ranges::find(known, magic, &FileSystem::magic);
  return found == std::end(known) ? FileSystem{magic, ""} : *found;
}

// The folder itself, or the nearest above it that is there.
std::string nearest_existing(fs::path path) {
  std::error_code ignored;
  path = fs::absolute(path, ignored);
  while (path.has_relative_path() && !fs::exists(path, ignored)) path = path.parent_path();
  return path.string();
}

constexpr std::uint64_t little_room = 100'000'000;
constexpr fsfilcnt_t few_files = 1000;

void look_at_room(const struct statvfs& facts, Finding& found) {
  const std::uint64_t free = facts.f_bavail * facts.f_frsize;
  if (free < little_room)
    found.problems.push_back("only " + short_bytes(free) +
                             " free on the disk with the sessions: free some space (`skein "
                             "sessions empty-trash`, `skein sessions archive --older-than 30d`)");
  if (facts.f_files > 0 && facts.f_favail < few_files)
    found.problems.push_back("only " + counted(facts.f_favail, "file") +
                             " more can be created on the disk with the sessions");
}

// Which process holds a lock on a file, as far as the kernel tells us.
struct LockHolder {
  pid_t process = 0;             // 0: not known for sure
  std::vector<pid_t> perhaps{};  // then: skein's other processes
  bool stopped = false;          // by ^Z or SIGSTOP
};

std::string proc_text(const fs::path& file) { return file_text(file.string()).value_or(""); }

// None if it cannot be read.
std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> out;
  std::error_code failed;
  for (fs::directory_iterator each(folder, failed), end; !failed && each != end;
       each.increment(failed))
    out.push_back(each->path());
  return out;
}

std::vector<pid_t> processes() {
  std::vector<pid_t> out;
  for (const fs::path& each : files_in("/proc"))
    if (const auto process = parse_number<pid_t>(each.filename().string());
        process && *process != getpid())
      out.push_back(*process);
  return out;
}

fs::path proc_of(pid_t process) { return fs::path("/proc") / std::to_string(process); }

// A line as both /proc/locks and /proc/PID/fdinfo/N have it, from its kind on:
// "FLOCK  ADVISORY  WRITE 1234 fe:01:5678 0 EOF".
struct LockLine {
  bool is_flock = false;
  pid_t process = 0;  // of a flock
  std::uint64_t inode = 0, start = 0;
};
std::optional<LockLine> read_lock_line(std::string_view line) {
  std::vector<std::string_view> words;
  for (const std::string_view word : split(line, ' '))
    if (!word.empty()) words.push_back(word);
  const auto kind = std::ranges::find_if(
      words, [](std::string_view word) { return word == "FLOCK" || word == "OFDLCK"; });
  if (words.end() - kind < 6) return std::nullopt;
  return LockLine{
      .is_flock = *kind == "FLOCK",
      .process = parse_number<pid_t>(kind[3]).value_or(0),
      .inode = parse_number<std::uint64_t>(kind[4].substr(kind[4].rfind(':') + 1)).value_or(0),
      .start = parse_number<std::uint64_t>(kind[5]).value_or(0)};
}

bool has_lock(const std::string& text, std::uint64_t inode, std::optional<std::uint64_t> place) {
  return std::ranges::any_of(split(text, '\n'), [&](std::string_view line) {
    const auto lock = read_lock_line(line);
    return lock && lock->inode == inode &&
           (place ? !lock->is_flock && lock->start == *place : lock->is_flock);
  });
}

bool holds(pid_t process, std::uint64_t inode, std::optional<std::uint64_t> place) {
  return std::ranges::any_of(files_in(proc_of(process) / "fdinfo"), [&](const fs::path& file) {
    return has_lock(proc_text(file), inode, place);
  });
}

bool is_stopped(pid_t process) {
  const std::string stat = proc_text(proc_of(process) / "stat");
  const std::size_t name_end = stat.rfind(')');
  return name_end != std::string::npos && stat.substr(name_end).starts_with(") T");
}

bool is_like_us(pid_t process) {
  const std::string own = proc_text("/proc/self/comm");
  return !own.empty() && proc_text(proc_of(process) / "comm") == own;
}

// Of an open-file-description lock that begins at `place`, or of the flock of the whole file. The
// kernel names no process for the former; a process that hides its memory, as skein does at the
// prompt, does not show its files to others than root, so all that is left are its likes.
LockHolder holder_of(int file, std::optional<std::uint64_t> place = {}) {
  LockHolder out;
  struct stat facts {};
  if (fstat(file, &facts) != 0) return out;
  const std::vector<pid_t> all = processes();
  const auto found =
      std::ranges::find_if(all, [&](pid_t process) { return holds(process, facts.st_ino, place); });
  if (found != all.end()) out.process = *found;
  const std::string locks = proc_text("/proc/locks");
  if (!place && out.process == 0)
    for (const std::string_view line : split(locks, '\n'))
      if (const auto lock = read_lock_line(line);
          lock && lock->is_flock && lock->inode == facts.st_ino && lock->process > 0)
        out.process = lock->process;
  if (out.process == 0) std::ranges::copy_if(all, std::back_inserter(out.perhaps), is_like_us);
  if (out.perhaps.size() == 1) out.process = out.perhaps.front();
  out.stopped = out.process != 0 && is_stopped(out.process);
  return out;
}

// "process 1234", "one of the processes 12, 34"
std::string described(const LockHolder& holder) {
  if (holder.process != 0) return "process " + std::to_string(holder.process);
  if (holder.perhaps.empty()) return "a process that skein cannot identify";
  return "one of the processes " +
         listed(holder.perhaps, ", ", [](pid_t process) { return std::to_string(process); });
}

std::string session_at(std::uint64_t place, std::span<const store::SessionRecord> sessions) {
  const auto found = std::ranges::find_if(sessions, [&](const store::SessionRecord& record) {
    return store::files::lock_offset(record.header.session.value) == place;
  });
  return found == sessions.end() ? "a session that is not listed" : found->key;
}

// A change of the index takes milliseconds; no process needs it for a second.
bool is_held_for_long(const Fd& index) {
  for (int tries = 0; tries < 20; ++tries) {
    if (flock(index.get(), LOCK_SH | LOCK_NB) == 0) return flock(index.get(), LOCK_UN) != 0;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return true;
}

Fd open_lock(const Surroundings& here, const char* name) {
  return Fd(open((here.home + "/" + name).c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
}

}  // namespace

Finding look_at_disk(const Surroundings& here) {
  Finding found;
  const std::string path = nearest_existing(here.home);
  struct statvfs facts {};
  if (statvfs(path.c_str(), &facts) != 0) {
    found.note = "unknown: " + path;
    found.problems.push_back("cannot read " + path + ": " + std::strerror(errno));
    return found;
  }
  const FileSystem system = file_system_at(path);
  const std::uint64_t free = facts.f_bavail * facts.f_frsize;
  const bool read_only = (facts.f_flag & ST_RDONLY) != 0;
  found.note = here.home + ": " + short_bytes(free) + " free" +
               (system.name.empty() ? "" : ", " + std::string(system.name)) +
               (system.kind == Kind::memory ? ", lost when the machine restarts" : "");
  if (read_only)
    found.problems.push_back(
        here.home +
        " is on a read-only file system: nothing can be saved; choose another folder with --home");
  else
    look_at_room(facts, found);
  if (system.kind == Kind::network)
    found.problems.push_back(here.home + " is on a network file system (" +
                             std::string(system.name) +
                             "): if locks do not work between machines, use it from one machine at "
                             "a time, or use a local folder (--home)");
  found.facts = dump({{"home", here.home},
                      {"free_bytes", free},
                      {"file_system", system.name.empty() ? Json(nullptr) : Json(system.name)},
                      {"read_only", read_only},
                      {"network", system.kind == Kind::network},
                      {"memory", system.kind == Kind::memory}});
  return found;
}

Finding look_at_locks(const Surroundings& here) {
  Finding found;
  Json held = Json::array();
  std::vector<std::string> keys;
  if (const Fd work = open_lock(here, "work.lock")) {
    for (const std::uint64_t place : store::files::held_places(work.get())) {
      const std::string key = session_at(place, here.sessions);
      const LockHolder holder = holder_of(work.get(), place);
      keys.push_back(key + " (" + described(holder) + ")");
      held.push_back({{"session", key},
                      {"process", holder.process > 0 ? Json(holder.process) : Json(nullptr)},
                      {"stopped", holder.stopped}});
      if (holder.stopped)
        found.problems.push_back(
            key + " is in use by process " + std::to_string(holder.process) +
            ", which is suspended: resume it with `fg` in its terminal or `kill -CONT " +
            std::to_string(holder.process) + "`");
    }
  }
  const Fd index = open_lock(here, "index.lock");
  const bool stuck = index && is_held_for_long(index);
  if (stuck) {
    const LockHolder holder = holder_of(index.get());
    found.problems.push_back("the index of sessions has been locked for a second by " +
                             described(holder) +
                             ": no session can be created or renamed until it is unlocked");
  }
  found.note = keys.empty() ? "no session is in use" : "in use: " + listed(keys);
  found.facts = dump({{"at_work", std::move(held)}, {"index_locked", stuck}});
  return found;
}

}  // namespace skein::doctor
