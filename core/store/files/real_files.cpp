// The real file system, beneath one folder that is held open: whatever happens to its path later,
// all names mean the same place.
#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/store/files/files.h"
#include "core/text/base.h"
#include "core/text/wait.h"

namespace skein::store::files {

namespace {

int result(int returned) { return returned < 0 ? -errno : returned; }

FileStat::Kind kind_of(mode_t mode) {
  if (S_ISREG(mode)) return FileStat::Kind::file;
  return S_ISDIR(mode) ? FileStat::Kind::folder : FileStat::Kind::other;
}

FileStat from(const struct stat& s) {
  return {kind_of(s.st_mode), static_cast<std::uint64_t>(s.st_size),
          static_cast<std::int64_t>(s.st_mtim.tv_sec) * 1'000'000'000 + s.st_mtim.tv_nsec,
          static_cast<std::uint64_t>(s.st_dev), static_cast<std::uint64_t>(s.st_ino)};
}

class RealFiles : public Files {
 public:
  explicit RealFiles(int home) : home_(home) {}
  ~RealFiles() override { ::close(home_); }

  int open(const std::string& path, OpenAs as) override {
    // O_NONBLOCK: a FIFO in a file's place must not hang us.
    constexpr int always = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
    const int flags = as == OpenAs::reader     ? O_RDONLY
                      : as == OpenAs::appender ? O_RDWR | O_APPEND
                      : as == OpenAs::creator  ? O_RDWR | O_APPEND | O_CREAT | O_EXCL
                                               : O_RDWR | O_CREAT;
    return result(::openat(home_, path.c_str(), flags | always, 0600));
  }
  int close(Handle file) override { return result(::close(file)); }
  int stat(Handle file, FileStat& out) override {
    struct stat s {};
    if (::fstat(file, &s) < 0) return -errno;
    out = from(s);
    return 0;
  }
  int stat_path(const std::string& path, FileStat& out) override {
    struct stat s {};
    if (::fstatat(home_, path.c_str(), &s, AT_SYMLINK_NOFOLLOW) < 0) return -errno;
    out = from(s);
    return 0;
  }
  std::int64_t read(Handle file, char* to, std::size_t count, std::uint64_t at) override {
    const ssize_t got = ::pread(file, to, count, static_cast<off_t>(at));
    return got < 0 ? -errno : got;
  }
  std::int64_t write(Handle file, std::string_view bytes) override {
    const ssize_t put = ::write(file, bytes.data(), bytes.size());
    return put < 0 ? -errno : put;
  }
  int sync(Handle file) override { return result(::fdatasync(file)); }
  int truncate(Handle file, std::uint64_t size) override {
    return result(::ftruncate(file, static_cast<off_t>(size)));
  }
  // flock has no time limit, and a timer signal would affect the whole program. So this asks again,
  // soon at first: an append holds the lock for one write and one sync. One of the processes that
  // wait holds the waiting place and gets the lock next. Otherwise a process that takes the lock
  // again and again could keep the others out.
  int lock(Handle file, int patience_ms) override {
    using Clock = std::chrono::steady_clock;
    if (!is_waited_for(file) && ::flock(file, LOCK_EX | LOCK_NB) == 0) return 0;
    const auto deadline = Clock::now() + std::chrono::milliseconds(patience_ms);
    std::chrono::microseconds pause{50}, longest{2000};
    int locked = -EBUSY;
    for (bool is_next = false;;) {
      is_next = is_next || take_waiting_place(file);
      if (is_next) locked = result(::flock(file, LOCK_EX | LOCK_NB));
      if (locked != -EWOULDBLOCK && locked != -EINTR && locked != -EBUSY) break;
      if (Clock::now() >= deadline) {
        locked = -EBUSY;
        break;
      }
      pause_until(Clock::now() + pause);
      pause = std::min(pause * 2, longest);
    }
    struct flock place = waiting_place(F_UNLCK);
    ::fcntl(file, F_OFD_SETLK, &place);
    return locked;
  }
  int unlock(Handle file) override { return result(::flock(file, LOCK_UN)); }
  // Of the open file, not of the process: two handles of one process are two holders.
  int hold(Handle file, std::uint64_t place, LockMode company) override {
    struct flock range {};
    range.l_type = company == LockMode::exclusive ? F_WRLCK : F_RDLCK;
    range.l_whence = SEEK_SET;
    range.l_start = static_cast<off_t>(lock_offset(place));
    range.l_len = 1;
    const int held = result(::fcntl(file, F_OFD_SETLK, &range));
    return held == -EAGAIN || held == -EACCES ? -EBUSY : held;
  }
  int link(const std::string& from, const std::string& to) override {
    return result(::linkat(home_, from.c_str(), home_, to.c_str(), 0));
  }
  int rename(const std::string& from, const std::string& to) override {
    return result(::renameat(home_, from.c_str(), home_, to.c_str()));
  }
  int remove(const std::string& path) override {
    return result(::unlinkat(home_, path.c_str(), 0));
  }
  int make_folder(const std::string& path) override {
    const int made = result(::mkdirat(home_, path.c_str(), 0700));
    return made == -EEXIST ? 0 : made;
  }
  int list(const std::string& folder, std::vector<std::string>& names) override {
    const int fd = open_folder(folder);
    if (fd < 0) return fd;
    DIR* dir = ::fdopendir(fd);
    if (dir == nullptr) {
      const int failed = -errno;
      ::close(fd);
      return failed;
    }
    errno = 0;
    while (const dirent* each = ::readdir(dir))
      if (std::string_view name = each->d_name; name != "." && name != "..")
        names.emplace_back(name);
    const int failed = -errno;
    ::closedir(dir);
    return failed;
  }
  int sync_folder(const std::string& folder) override {
    const int fd = open_folder(folder);
    if (fd < 0) return fd;
    const int synced = result(::fsync(fd));
    ::close(fd);
    return synced;
  }
  // By the handle that has been open all the time: it hears of errors that came before the call.
  bool can_sync_all() const override { return true; }
  int sync_all() override { return result(::syncfs(home_)); }
  int held(Handle file, std::vector<std::uint64_t>& places) override {
    places = held_places(file);
    return 0;
  }
  // By the folder we hold open, whatever its path means by now.
  int watch(const std::string& folder) override {
    const int at = open_folder(folder);
    if (at < 0) return at;
    const int events = result(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
    int watched = events;
    if (events >= 0)
      watched = result(::inotify_add_watch(
          events, ("/proc/self/fd/" + std::to_string(at)).c_str(),
          IN_MODIFY | IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_ONLYDIR));
    ::close(at);
    if (watched < 0 && events >= 0) ::close(events);
    return watched < 0 ? watched : events;
  }
  bool for_threads() const override { return true; }

 private:
  // A byte that is no session's: lock_offset() is even.
  static struct flock waiting_place(short type) {
    struct flock range {};
    range.l_type = type;
    range.l_whence = SEEK_SET;
    range.l_start = 1;
    range.l_len = 1;
    return range;
  }
  static bool is_waited_for(Handle file) {
    struct flock place = waiting_place(F_WRLCK);
    return ::fcntl(file, F_OFD_GETLK, &place) == 0 && place.l_type != F_UNLCK;
  }
  // Also true where such locks do not work: then all ask for the lock itself.
  static bool take_waiting_place(Handle file) {
    struct flock place = waiting_place(F_WRLCK);
    return ::fcntl(file, F_OFD_SETLK, &place) == 0 || (errno != EAGAIN && errno != EACCES);
  }
  int open_folder(const std::string& folder) const {
    return result(::openat(home_, folder.empty() ? "." : folder.c_str(),
                           O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
  }

  int home_;
};

}  // namespace

std::vector<std::uint64_t> held_places(int file) {
  constexpr std::size_t most = 10'000;
  std::vector<std::uint64_t> out;
  struct flock range {};
  for (off_t from = 0; out.size() < most; from = range.l_start + 1) {
    range = {};
    range.l_type = F_WRLCK;
    range.l_whence = SEEK_SET;
    range.l_start = from;
    if (::fcntl(file, F_OFD_GETLK, &range) != 0 || range.l_type == F_UNLCK) break;
    out.push_back(static_cast<std::uint64_t>(range.l_start));
    if (range.l_start == std::numeric_limits<off_t>::max()) break;
  }
  return out;
}

std::unique_ptr<Files> real_files(const std::string& given) {
  // With a slash behind it, a link would be followed after all.
  std::filesystem::path folder(given);
  while (folder.has_parent_path() && !folder.has_filename() && folder != folder.root_path())
    folder = folder.parent_path();
  const std::string home = folder.string();
  const auto refuse = [&](const std::string& why) -> Error {
    return Error("the home " + home + " cannot be used: " + why, ExitStatus::storage);
  };
  if (home.empty()) throw refuse("it has no name; set SKEIN_HOME or HOME");
  int made = ::mkdir(home.c_str(), 0700);
  if (made < 0 && errno == ENOENT) {
    // What is missing above it is ours alone, too: who may write there may exchange the home.
    std::filesystem::path above;
    for (const std::filesystem::path& part : folder)
      if ((made = ::mkdir((above /= part).c_str(), 0700)) < 0 && errno != EEXIST) break;
  }
  if (made < 0 && errno != EEXIST) throw refuse(std::strerror(errno));

  const int fd = ::open(home.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0)
    throw refuse(errno == ELOOP || errno == ENOTDIR ? "it is a link or not a folder"
                                                    : std::strerror(errno));
  struct stat s {};
  const bool known = ::fstat(fd, &s) == 0;
  if (!known || s.st_uid != ::geteuid() || (s.st_mode & 022) != 0) {
    ::close(fd);
    if (!known) throw refuse(std::strerror(errno));
    throw refuse(s.st_uid != ::geteuid() ? "it belongs to another user"
                                         : "others may write to it; run chmod go-w on it");
  }
  return std::make_unique<RealFiles>(fd);
}

Result<std::unique_ptr<Files>> files_beneath(const std::string& folder) {
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return failure_from_errno(errno, folder);
  return std::unique_ptr<Files>(std::make_unique<RealFiles>(fd));
}

}  // namespace skein::store::files
