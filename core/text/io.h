// File descriptors, system calls and small files. Interrupted or partial system calls are
// completed; none of the functions throws unless it says so.
#pragma once

#include "core/text/std.h"

#include <sys/types.h>
#include <unistd.h>

namespace skein {

// A file descriptor that closes itself.
class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) : fd_(fd) {}
  ~Fd() { reset(); }
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    if (this != &other) {
      reset();
      fd_ = std::exchange(other.fd_, -1);
    }
    return *this;
  }

  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  int release() { return std::exchange(fd_, -1); }
  void reset() {
    if (fd_ >= 0) close(fd_);
    fd_ = -1;
  }

 private:
  int fd_ = -1;
};

// False, and errno says why. Safe in a signal handler.
bool write_all(int fd, std::string_view bytes);

// At most `limit` bytes, in pieces, until `piece` returns false. False if reading failed.
bool read_pieces(int fd, std::size_t limit, const std::function<bool(std::string_view)>& piece);
std::optional<std::string> read_up_to(int fd, std::size_t limit);  // nullopt: failed
std::optional<std::string> read_all(int fd, std::size_t limit);    // nullopt: failed or longer

// What can be read at once from one that does not block, in `buffer`. `from` closes at the end and
// if reading fails.
std::string_view read_ready(Fd& from, std::span<char> buffer);

int wait_for_child(pid_t child);  // its wait status
// Readable once the process has ended; none if the kernel cannot make one.
Fd process_descriptor(pid_t process);

struct Pipe {
  Fd read, write;
};
Pipe make_pipe(int flags = 0);  // closed on exec; without ends if it cannot be made

inline constexpr std::size_t most_file_bytes = 16u << 20;  // unless a caller expects less

// Small files, read and replaced whole. Anyone may have put a file where it is read: reading never
// waits, opens nothing but regular files, and stops at a limit.
enum class Links { followed, refused };  // if the file itself is one
// For reading. None if it is not a regular file, and errno says why: a device, which opening alone
// may set in motion, is not opened.
Fd open_regular(const std::string& file, Links links = Links::followed);

// All of it. None if it cannot be read or is larger than `most` bytes, and errno says why.
std::optional<std::string> file_text(const std::string& file, std::size_t most = most_file_bytes,
                                     Links links = Links::followed);
// Its first bytes; empty if it cannot be read.
std::string file_beginning(const std::string& file, std::size_t most = 64u << 10,
                           Links links = Links::followed);
// The same where no file is as good as an empty one.
std::string read_small_file(const std::string& file, std::size_t most);

// What was learned may be learned again; what the user has decided must outlast a power cut.
enum class Lasting { no, yes };
// All of it or nothing, for the user alone; its folder is made. False: it could not be written, and
// errno says why.
bool replace_small_file(const std::string& file, std::string_view bytes,
                        Lasting lasting = Lasting::no);

}  // namespace skein
