// Supervisor: the process between skein and a program that it runs. It is the program's parent and
// adopts everything the program leaves behind, so it knows when the last of them has ended. It ends
// them all when the program ends, when skein says so, and when the line to skein breaks because
// skein was killed: the kernel's own signal reaches one process only, and bubblewrap asks late.
#pragma once

#include "core/text/std.h"

#include <sys/types.h>

#include "core/process/child.h"
#include "core/text/io.h"

namespace skein::process {

// What a supervisor needs besides the program.
struct Supervision {
  // Where bubblewrap reports its first process inside ("child-pid"), which leads a group; -1: none.
  int status = -1;
  int output = -1;  // the reading end of what it prints: open for as long as the supervisor lives
  int holds = -1;   // stays open as well, for a lock that is on it
  // With one of these the supervisor stays after the end of the program until settled().
  int claim = -1;  // stays open as well; see FileClaims
  // The open GuardRecord of the program. If the line ends before settled(), the supervisor undoes
  // what the record says and the program has changed.
  int record = -1;
  // When the line ends, before SIGTERM and again before SIGKILL. 0: SIGKILL at once.
  std::chrono::milliseconds grace{};
};

class Supervisor {
 public:
  Supervisor(const Program& program, const Supervision& supervision);
  // Ends the program. Waits until the supervisor has ended, at most `patience`.
  ~Supervisor();
  Supervisor(const Supervisor&) = delete;
  Supervisor& operator=(const Supervisor&) = delete;

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
  void release() const;  // the line ends, and so does the program: see Supervision::grace

  void settled() const;  // what the program has changed is undone: see Supervision::claim

  // Lets the program outlive us: the supervisor becomes `arguments` (first a path), with the line
  // as standard input and the descriptors named below. True once that calls confirm_taken_over().
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

// For the program that a supervisor became: where it finds what the supervisor held.
inline constexpr int supervisor_line = 0, supervisor_status = 3, supervisor_output = 4,
                     supervisor_record = 5;
void confirm_taken_over();
// The first word when a supervisor runs skein again to undo the command in supervisor_record.
inline constexpr std::string_view undo_word = "--undo-command";
// What a supervisor does: SIGTERM to the program, or the end of all that runs once it has ended.
void terminate_program(pid_t program);
Supervisor::End finish_program(pid_t program);

}  // namespace skein::process
