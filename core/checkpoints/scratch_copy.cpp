#include "core/checkpoints/scratch_copy.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <set>

#include "core/text/base.h"
#include "core/text/io.h"
#include "core/text/text.h"
#include "core/tools/workspace/real_place.h"

namespace skein::checkpoints {

namespace fs = std::filesystem;

using Stamps = std::unordered_map<std::string, FileStamp>;

namespace {

constexpr std::int64_t ns_per_s = 1'000'000'000;
constexpr std::int64_t coarsest_clock_ns = 2 * ns_per_s;  // of any file system

std::int64_t nanoseconds(const timespec& time) { return time.tv_sec * ns_per_s + time.tv_nsec; }

FileStamp stamp_of(const fs::path& file) {
  struct stat info {};
  if (lstat(file.c_str(), &info) != 0) return {};
  return {info.st_ino, static_cast<std::uint64_t>(info.st_size), info.st_mode,
          nanoseconds(info.st_mtim), nanoseconds(info.st_ctim)};
}

// Whether a write from now on gives the file another time.
bool shows_writes(const FileStamp& stamp) {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return stamp.modified_ns < nanoseconds(now) - coarsest_clock_ns;
}

bool copy_bytes(int from, int to) {
  if (ioctl(to, FICLONE, from) == 0) return true;  // both files share the blocks
  bool written = true;
  return read_pieces(from, std::string::npos,
                     [&](std::string_view piece) { return written = write_all(to, piece); }) &&
         written;
}

// Makes one folder the same as another, with the times of the files: programs that build by age
// must not take everything for new.
class Mirror {
 public:
  Mirror(const std::vector<std::string>& leave_out, Stamps& untouched)
      : leave_out_(leave_out), untouched_(untouched) {}

  void folder(const fs::path& from, const fs::path& to) {
    if (!fs::is_directory(fs::symlink_status(to))) {
      tools::sandbox::remove_tree(to);
      fs::create_directory(to);
    }
    fs::permissions(to, fs::perms::owner_all, fs::perm_options::add);
    std::set<fs::path> names;
    for (const fs::directory_entry& entry : fs::directory_iterator(from))
      if (is_wanted(entry)) names.insert(entry.path().filename());
    for (const fs::directory_entry& entry : fs::directory_iterator(to))
      if (!names.contains(entry.path().filename())) tools::sandbox::remove_tree(entry.path());
    for (const fs::path& name : names) {
      const fs::file_status status = fs::symlink_status(from / name);
      if (fs::is_directory(status))
        folder(from / name, to / name);
      else
        fs::is_symlink(status) ? link(from / name, to / name) : file(from / name, to / name);
    }
    fs::permissions(to, fs::status(from).permissions());
  }

 private:
  bool is_wanted(const fs::directory_entry& entry) const {
    return (entry.is_symlink() || entry.is_directory() || entry.is_regular_file()) &&
           !std::ranges::binary_search(leave_out_, entry.path().string());
  }

  static void link(const fs::path& from, const fs::path& to) {
    if (fs::is_symlink(to) && fs::read_symlink(to) == fs::read_symlink(from)) return;
    tools::sandbox::remove_tree(to);
    fs::copy_symlink(from, to);
  }

  void file(const fs::path& from, const fs::path& to) {
    const auto known = untouched_.find(to.string());
    if (known != untouched_.end() && known->second == stamp_of(to)) return;
    tools::sandbox::remove_tree(to);
    untouched_.erase(to.string());
    const Fd source(open(from.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (!source && errno == ENOENT) return;  // removed since it was listed
    const Fd copy(open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR));
    struct stat info {};
    if (!source || !copy || fstat(source.get(), &info) != 0 ||
        !copy_bytes(source.get(), copy.get()) || fchmod(copy.get(), info.st_mode & 0777) != 0)
      throw Error("cannot copy " + from.string() + " to " + to.string() + ": " +
                  std::strerror(errno));
    const timespec times[] = {info.st_atim, info.st_mtim};
    futimens(copy.get(), times);
    if (const FileStamp stamp = stamp_of(to); shows_writes(stamp))
      untouched_.emplace(to.string(), stamp);
  }

  const std::vector<std::string>& leave_out_;
  Stamps& untouched_;
};

void mirror(const std::string& from, const std::string& to,
            const std::vector<std::string>& leave_out, Stamps& untouched) {
  try {
    Mirror(leave_out, untouched).folder(from, to);
  } catch (const fs::filesystem_error& error) {
    throw Error(std::string("cannot copy the workspace: ") + error.what());
  }
}

// It may be large: on a disk, unless the user says otherwise.
std::string place_of_copies() {
  if (std::string chosen = env_path("TMPDIR"); !chosen.empty()) return chosen;
  return fs::is_directory("/var/tmp") ? "/var/tmp" : "/tmp";
}

}  // namespace

ScratchCopy::ScratchCopy(const std::string& folder, const std::vector<std::string>& leave_out)
    : place_(place_of_copies(), "skein-scratch-") {
  if (place_.path().empty()) throw Error("cannot make a scratch folder in " + place_of_copies());
  original_ = place_.path() + "/original";
  path_ = place_.path() + "/copy";
  std::vector<std::string> out{place_.path()};  // it may be in the folder
  for (const std::string& place : leave_out) out.push_back(tools::workspace::real_place(place));
  std::ranges::sort(out);
  Stamps none;
  mirror(folder, original_, out, none);
}

void ScratchCopy::reset() { mirror(original_, path_, {}, untouched_); }

}  // namespace skein::checkpoints
