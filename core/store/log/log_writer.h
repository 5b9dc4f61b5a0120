// A transcript that is appended to. The protocol is in FORMAT.md; its order of steps is what keeps
// an acknowledged entry from being lost.
#pragma once

#include "core/store/log/log_appender.h"

namespace skein::store::log {

class LogWriter : public LogAppender {
 public:
  LogWriter(files::Files& files, Id session)
      : LogWriter(files, session, transcript_path(session)) {}
  LogWriter(files::Files& files, Id session, std::string path)
      : LogAppender(files, session, std::move(path)) {}

  Result<AppendResult> append(std::span<const NewEntry> entries, const AppendOptions& options);
  // The same in as many batches as it takes: only each of these is all or nothing.
  Result<void> append_all(std::span<const NewEntry> entries, const AppendOptions& options);

  // Lines of the same session from elsewhere, as they stand there, behind where it ends here.
  Result<void> append_lines(Position end, std::span<const std::string> lines);

  // False: it remembers bytes that it failed to remove, which another LogWriter would not know.
  bool may_be_closed() const { return !unsynced_; }

 private:
  Result<void> lock_current();
  struct Attempt {
    Result<AppendResult> result;
    bool sync_failed = false;  // and nothing is left of it
  };
  Attempt append_locked(std::span<const NewEntry> entries, const AppendOptions& options);
  Result<void> take_back_unsynced();
  Result<void> quarantine_torn_tail();
  Attempt write_batch(std::vector<Entry> batch, AppendResult result, bool synced_too);

  // A batch whose sync failed and that could not be taken back: whole, but perhaps only in the
  // kernel's memory.
  std::optional<Damage::Range> unsynced_{};
};

}  // namespace skein::store::log
