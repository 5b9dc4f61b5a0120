// Commands that were running when skein was killed. Their supervisor undoes them at once and leaves
// a report. If it was killed too, the next skein finds their records: by then the user may have
// changed the same files, so nothing is undone unasked.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/tools/sandbox/guard.h"

namespace skein::tools::sandbox {

// For the supervisor: undoes the command whose record is open as keeper_record. Returns the exit
// status of the process.
int undo_interrupted_command();

class InterruptedCommand {
 public:
  // Reads a record that is ours alone.
  explicit InterruptedCommand(GuardRecord record);

  const std::vector<std::string>& areas() const { return areas_; }  // that it could write to
  // What its supervisor found; empty: it was killed too.
  const std::string& report() const { return report_; }
  // What differs from what the command found, though it is not known who changed it.
  const std::vector<Guard::Change>& changes() const { return changes_; }
  bool is_harmless() const { return report_.empty() && changes_.empty(); }

  std::string undo();  // the changes; says what was done
  void forget();       // the record goes

 private:
  GuardRecord& record() { return guard_ ? guard_->on_disk() : record_; }

  GuardRecord record_;
  std::unique_ptr<Guard> guard_{};
  std::vector<std::string> areas_{};
  std::string report_{};
  std::vector<Guard::Change> changes_{};
};

// Those that have something to say; the records of all others are removed.
std::vector<InterruptedCommand> interrupted_commands(const std::string& records);

}  // namespace skein::tools::sandbox
