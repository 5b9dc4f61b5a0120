// Commands that were running when skein was killed. Their supervisor undoes them and reports it. If
// it was killed too, the next skein finds the records, and asks before it undoes anything.
#pragma once

#include "core/text/std.h"

#include "core/sandbox/guard.h"

namespace skein::sandbox {

// For the supervisor: undoes the command recorded in supervisor_record. Returns its exit status.
int undo_interrupted_command();

class InterruptedCommand {
 public:
  // Reads a record that is ours alone.
  explicit InterruptedCommand(GuardRecord record);

  std::vector<std::string> areas{};  // that it could write to
  std::string report{};              // what its supervisor found; empty: it was killed too
  // What differs from what the command found, though it is not known who changed it.
  std::vector<Guard::Change> changes{};

  // Undoes the changes; says what was done.
  std::string undo() { return guard_ ? guard_->take_back() : ""; }
  void forget() { (guard_ ? guard_->on_disk() : record_).remove(); }  // the record goes

 private:
  GuardRecord record_;
  std::unique_ptr<Guard> guard_{};
};

// Those that have something to say; the records of all others are removed.
std::vector<InterruptedCommand> interrupted_commands(const std::string& records);

}  // namespace skein::sandbox
