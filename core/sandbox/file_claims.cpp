#include "core/sandbox/file_claims.h"

#include "core/text/std.h"

#include <fcntl.h>

#include "core/text/checksum.h"
#include "core/text/wait.h"
#include "core/workspace/real_place.h"

namespace skein::sandbox {

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds longest_wait{10'000}, lock_interval{20};

// Every file has a byte of the lock file in each area that it may be in: 30 bits say which area, 32
// which file. Hooks have the same bytes again, 2^62 further on.
constexpr int file_bits = 32;
constexpr off_t area_length = off_t{1} << file_bits;
enum class Side : off_t { command = 0, hook = off_t{1} << 62 };

// Two paths with the same number cost a wait or a hook that is not run, never protection.
off_t number_of(std::string_view path, int bits) {
  const std::string hex = sha256_hex(path).substr(0, 15);
  return static_cast<off_t>(std::stoull(hex, nullptr, 16) >> (60 - bits));
}
off_t start_of(const std::string& area) { return number_of(area, 30) << file_bits; }

struct ByteRange {
  off_t start, length;
};

// The lock belongs to the open file: closing another descriptor of the same file does not end it.
int lock_call(int fd, int what, short type, Side side, ByteRange range, short* found = nullptr) {
  struct flock lock {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = range.start + static_cast<off_t>(side);
  lock.l_len = range.length;
  const int done = fcntl(fd, what, &lock);
  if (found != nullptr) *found = lock.l_type;
  return done == 0 ? 0 : errno;
}

// Each side claims first and looks afterwards: of two that begin together, one sees the other.
FileClaims::Claim claim(Fd fd, Side own, const std::vector<ByteRange>& ranges) {
  if (!fd) return {.error = errno};
  const Side other = own == Side::hook ? Side::command : Side::hook;
  for (const ByteRange& range : ranges)
    if (const int error = lock_call(fd.get(), F_OFD_SETLK, F_RDLCK, own, range); error != 0)
      return {.error = error};
  for (const ByteRange& range : ranges) {
    short found = F_UNLCK;
    if (const int error = lock_call(fd.get(), F_OFD_GETLK, F_WRLCK, other, range, &found);
        error != 0 || found != F_UNLCK)
      return {.error = error != 0 ? error : EAGAIN};
  }
  return {.held = std::move(fd)};
}

// The trusted files that are out of reach, and their folders if nothing can be added there. If one
// area is inside another, the folders between them can be renamed.
std::vector<off_t> left_out_of(const FileClaims::Reach& reach) {
  std::vector<off_t> out;
  for (const std::string& file : reach.trusted)
    for (const std::string& path : {file, file.substr(0, file.rfind('/'))}) {
      const auto holds_it = [&](const std::string& folder) {
        return workspace::is_below(path, folder);
      };
      if (std::ranges::any_of(reach.read_only, holds_it) &&
          std::ranges::count_if(reach.areas, holds_it) == 1)
        out.push_back(number_of(path, file_bits));
    }
  std::ranges::sort(out);
  return out;
}

std::vector<ByteRange> ranges_of(const FileClaims::Reach& reach) {
  std::vector<off_t> left_out = left_out_of(reach);
  left_out.push_back(area_length);
  std::vector<ByteRange> ranges;
  for (const std::string& area : reach.areas) {
    off_t from = 0;
    for (const off_t number : left_out) {
      if (number > from) ranges.push_back({start_of(area) + from, number - from});
      from = number + 1;
    }
  }
  return ranges;
}

}  // namespace

Fd FileClaims::open() const {
  if (file_.empty()) {
    errno = ENOENT;
    return {};
  }
  std::error_code ignored;
  fs::create_directories(fs::path(file_).parent_path(), ignored);
  return Fd(::open(file_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
}

FileClaims::Claim FileClaims::by_command(const Reach& reach,
                                         const std::function<bool()>& stopped) const {
  const std::vector<ByteRange> ranges = ranges_of(reach);
  for (const Deadline due = Clock::now() + longest_wait;;) {
    Claim claimed = claim(open(), Side::command, ranges);
    if (claimed.error != EAGAIN || stopped() || Clock::now() >= due) return claimed;
    pause_until(Clock::now() + lock_interval, stopped);
  }
}

FileClaims::Claim FileClaims::by_hook(const std::vector<std::string>& paths) const {
  std::vector<ByteRange> ranges;
  for (const std::string& path : paths)
    for (fs::path area = path;; area = area.parent_path()) {
      ranges.push_back({start_of(area.string()) + number_of(path, file_bits), 1});
      if (area == area.parent_path()) break;
    }
  return claim(open(), Side::hook, ranges);
}

}  // namespace skein::sandbox
