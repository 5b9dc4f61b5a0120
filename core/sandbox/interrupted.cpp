#include "core/sandbox/interrupted.h"

#include "core/process/supervisor.h"

namespace skein::sandbox {

using State = GuardRecord::State;

int undo_interrupted_command() {
  const std::unique_ptr<Guard> guard =
      Guard::of(GuardRecord::inherited(process::supervisor_record));
  if (!guard) return 1;
  GuardRecord& record = guard->on_disk();
  if (record.state() != State::running) return 0;
  const std::string undone = guard->take_back();
  if (undone.empty()) record.set(State::idle);
  // Without room for the report the next start finds that nothing differs.
  if (!undone.empty() && record.add(undone)) record.set(State::undone);
  return 0;
}

InterruptedCommand::InterruptedCommand(GuardRecord record) : record_(std::move(record)) {
  const State state = record_.state();
  if (state == State::undone) {
    const std::vector<std::string> batches = record_.batches();
    if (batches.size() < 2) return;
    areas = Guard::settings_in(batches.front()).areas;
    report = batches.back();
  } else if (state == State::running) {
    guard_ = Guard::of(std::move(record_));
    if (!guard_) report = "its record cannot be read, so skein does not know what it changed";
    if (!guard_) return;
    areas = guard_->areas();
    changes = guard_->changes();
  }
}

std::vector<InterruptedCommand> interrupted_commands(const std::string& records) {
  std::vector<InterruptedCommand> found;
  if (records.empty()) return found;
  for (GuardRecord& record : GuardRecord::others(records).orphaned) {
    if (!record.claim()) continue;
    InterruptedCommand command(std::move(record));
    if (command.report.empty() && command.changes.empty())
      command.forget();
    else
      found.push_back(std::move(command));
  }
  return found;
}

}  // namespace skein::sandbox
