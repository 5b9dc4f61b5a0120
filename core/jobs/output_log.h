// What a job prints, in a file of bounded size: the beginning, and of the rest the newest. While
// that is everything, the file is what was printed, byte for byte; then the rest is a ring,
// followed by the number of all bytes. One process writes, others may read at the same time.
#pragma once

#include "core/text/std.h"

#include "core/text/io.h"

namespace skein::jobs {

class OutputLog {
 public:
  struct Size {
    std::uint64_t head = std::uint64_t{1} << 20, whole = std::uint64_t{64} << 20;
  };
  enum class Use { create, go_on, read };
  // Throws Error if the file cannot be opened.
  OutputLog(const std::string& path, Use use) : OutputLog(path, use, Size{}) {}
  OutputLog(const std::string& path, Use use, Size size);

  // A disk that is full ends the log, not the job.
  void add(std::string_view piece);
  std::uint64_t printed() const;  // bytes so far

  struct Piece {
    std::uint64_t from = 0;  // later than asked for, if what was there is gone
    std::uint64_t next = 0;  // where the piece ends
    std::string text{};      // valid UTF-8
  };
  // At most about `most` bytes from `since` on.
  Piece read(std::uint64_t since, std::size_t most) const;
  // The last lines, in at most `most` bytes.
  Piece tail(std::size_t lines, std::size_t most) const;

 private:
  std::uint64_t ring() const { return size_.whole - size_.head; }
  std::uint64_t place_of(std::uint64_t byte) const;

  Fd file_;
  Size size_;
  Use use_;
  std::atomic<std::uint64_t> printed_{0};
  bool full_ = false;
};

}  // namespace skein::jobs
