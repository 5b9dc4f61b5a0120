// The process between us and a program that we run. It is the program's parent, and everything the
// program leaves behind becomes its child: so it knows when the last of them has ended. It ends
// them all when the program has ended, when we say so, and when the line to us breaks because we
// were killed. The kernel's own signal for that reaches one process only, and bubblewrap asks for
// it late: what it has started by then would run on for ever.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/fd.h"

namespace skein::tools::sandbox {

// What the keeper is to keep.
struct Kept {
  // Becomes the program, in a child of the keeper's: returns only if that failed, with the errno.
  // Only async-signal-safe calls are allowed in it, as in all of the keeper: another of our threads
  // may have held any lock when it was forked.
  int (*become)(const void* plan, pid_t keeper) = nullptr;
  const void* plan = nullptr;
  // Where bubblewrap tells the number of its first process inside ("child-pid"), which leads a
  // group of its own; -1: there is none.
  int status = -1;
  int output = -1;  // the reading end of what it prints: open for as long as the keeper lives
  int holds = -1;   // stays open as well, for a lock that is on it
  int claim = -1;   // the same; see FileClaims
  // The open GuardRecord of the program. Until settled() the keeper stays after the end of the
  // program: if the line ends first, it undoes what the record says and the program has changed.
  int record = -1;
  // When the line ends, before SIGTERM and again before SIGKILL. 0: SIGKILL at once.
  std::chrono::milliseconds grace{};
};

class Keeper {
 public:
  explicit Keeper(const Kept& kept);
  // Without a farewell the program ends now. Waits until the keeper has gone, at most `patience`.
  ~Keeper();
  Keeper(const Keeper&) = delete;
  Keeper& operator=(const Keeper&) = delete;

  int error() const { return error_; }  // why the program was not started; 0: it was
  pid_t program() const { return program_; }
  pid_t pid() const { return pid_; }

  // Readable when it has ended; -1 once end() has said so.
  int line() const { return over_ ? -1 : line_.get(); }
  struct End {
    int status = 0;             // as waitpid tells it
    std::size_t survivors = 0;  // processes it left that could not be ended
  };
  // Whether it has; does not wait.
  std::optional<End> end();

  void terminate() const;  // SIGTERM to the group of the program, or to the one inside bubblewrap
  void kill() const;
  void release() const;  // the line ends, and so does the program: see Kept::grace

  void settled() const;  // what the program has changed is undone: see Kept::record

  // Lets the program live on without us: the keeper becomes `arguments` (the first is the path of
  // a program), with the line as its standard input and the descriptors named below. True once that
  // one has said so (confirm_taken_over).
  bool hand_over(const std::vector<std::string>& arguments);

  std::chrono::milliseconds patience{2'500};

 private:
  void send(char word) const;

  pid_t pid_ = -1, program_ = -1;
  int error_ = 0;
  Fd line_{};
  bool over_ = false;
  End end_{};
};

// For the program that a keeper became: where it finds what the keeper held.
inline constexpr int keeper_line = 0, keeper_status = 3, keeper_output = 4, keeper_record = 5;
void confirm_taken_over();
// The first word of the command line by which a keeper runs skein again to undo a command; the
// record is open as keeper_record.
inline constexpr std::string_view undo_word = "--undo-command";
// What the keeper does itself: SIGTERM to the program or what is inside it; the end of everything
// that runs, once the program has ended and not yet been waited for.
void terminate_kept(pid_t program);
Keeper::End finish_kept(pid_t program);

}  // namespace skein::tools::sandbox
