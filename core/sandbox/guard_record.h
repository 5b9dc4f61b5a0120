// What a guard needs to undo a command, in a file. It is written before the command starts, so that
// another process can undo it if this one is killed. It is not synced: a crash of the machine also
// ends the command.
//
// skein, or the supervisor with the same open file, holds a lock on it while it will undo the
// command itself. If the lock can be taken, both are gone.
#pragma once

#include "core/text/std.h"

#include "core/text/io.h"

namespace skein::sandbox {

// Numbers and texts one after the other, for files that only skein reads.
class Packer {
 public:
  void number(std::uint64_t value);
  void text(std::string_view text);
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_{};
};

// Reads them in the same order. At the end it returns zeros and empty texts, and is no longer ok().
class Unpacker {
 public:
  explicit Unpacker(std::string_view bytes) : rest_(bytes) {}
  std::uint64_t number();
  std::string text();
  std::string_view bytes(std::size_t size);  // as they are
  bool ok() const { return ok_; }
  bool at_end() const { return rest_.empty(); }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

class GuardRecord {
 public:
  GuardRecord() = default;  // there is none; nothing is written
  // A new one in `folder`, which is made; none if it cannot be written.
  static GuardRecord create(const std::string& folder);
  // One that was passed on, with its lock.
  static GuardRecord inherited(int fd);
  // Those in `folder` except `own`: of commands that run, and those whose processes are gone.
  struct Others {
    std::vector<GuardRecord> running{}, orphaned{};
  };
  static Others others(const std::string& folder, const GuardRecord* own = nullptr);

  // Makes us the one who undoes the command. False: another process is.
  bool claim() const;

  explicit operator bool() const { return static_cast<bool>(fd_); }
  int fd() const { return fd_.get(); }
  const std::string& path() const { return path_; }
  bool is_removed() const;

  enum class State : char {
    idle = 'i',     // no command runs, everything is undone
    running = 'r',  // a command runs, or has run and is not undone
    undone = 'u',   // by another process; the last batch is its report
  };
  State state() const;
  void set(State state) const;

  // Adds a batch, all of it or nothing. False: it could not be written.
  bool add(std::string_view batch);
  std::vector<std::string> batches() const;  // up to one that is not whole
  std::size_t size() const { return size_; }
  void remove();

 private:
  GuardRecord(Fd fd, std::string path);

  Fd fd_{};
  std::string path_{};
  std::size_t size_ = 0;  // where the next batch begins
};

}  // namespace skein::sandbox
