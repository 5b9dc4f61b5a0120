// One session in a database, opened: read like a transcript, appended to with one statement.
#pragma once

#include "core/store/log/log_appender.h"
#include "core/store/postgres/transcript_rows.h"

namespace skein::store::postgres {

class DatabaseLog : public log::LogAppender {
 public:
  // `rows` and `connection` must outlive it.
  DatabaseLog(Connection& connection, TranscriptRows& rows, Id session)
      : LogAppender(rows, session, log::transcript_path(session)),
        connection_(connection),
        rows_(rows) {}

  // As of now, starting from what the database says of it.
  Result<void> bring_up_to_date();
  Result<AppendResult> append(std::span<const NewEntry> entries, const AppendOptions& options);
  // Lines of the same session from elsewhere, as they stand there, behind where it ends here.
  Result<void> append_lines(Position end, std::span<const std::string> lines);
  Result<Position> locate(Id entry) override;

 private:
  // A batch as it would be written, and what the session would be after it.
  struct Draft {
    log::LogMemory after{};
    std::string key{}, record{};
    std::vector<std::int64_t> places{}, ids{};
    std::vector<bool> marginal{};
    std::vector<std::string_view> lines{};  // of the caller
  };
  Draft draft(std::vector<std::string_view> lines) const;
  StatementOutcome send(const Draft& draft);
  // Whether it was written; after a lost connection only the database can tell.
  Result<bool> write(const Draft& draft);
  void take(Draft draft);
  Result<void> look_up(std::span<const Id> ids);
  Result<bool> is_there(const Draft& draft);

  Connection& connection_;
  TranscriptRows& rows_;
};

}  // namespace skein::store::postgres
