// Sessions in a PostgreSQL database, for as many machines as can reach it. It keeps the same
// promises as a folder does: what is acknowledged is committed.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/store/backend.h"
#include "core/store/log/new_transcript.h"
#include "core/store/postgres/database_log.h"

namespace skein::store::postgres {

class DatabaseBackend : public StorageBackend {
 public:
  // Throws Error (storage) if the database cannot be used.
  explicit DatabaseBackend(std::string address, Connection::Tell tell = {})
      : connection_(std::move(address), std::move(tell)) {}

  Result<std::vector<SessionRecord>> list(const ListFilter& filter = {}) override;
  Result<SessionRecord> find(std::string_view name) override;
  Result<SessionRecord> open(Id session) override;
  Result<Created> create(const SessionHeader& header, std::span<const NewEntry> entries) override;
  Result<Created> fork(const SessionHeader& header, std::span<const ForkExtra> extras) override;
  Result<AppendResult> append(Id session, std::span<const NewEntry> entries,
                              const AppendOptions& options) override;
  Result<void> load(Id session, Position from, const VisitEntry& visit) override;
  Result<void> load_back(Id session, std::optional<Position> from,
                         const VisitEntry& visit) override;
  Result<StoredEntry> load_at(Id session, Position at) override;
  Result<void> survey(Id session, const VisitFacts& visit) override;
  Result<Position> locate(Id session, Id entry) override;
  Result<Damage> examine(Id session) override;
  Result<void> give_lines(Id session, Position from, const VisitText& visit) override;
  Result<SessionRecord> admit(Id session, const GiveLines& lines) override;
  Result<void> extend(Id session, Position end, std::span<const std::string> lines) override;
  Result<SessionLease> hold(Id session, LockMode company) override;
  Result<void> erase(Id session) override;
  Result<SessionRecord> restore(std::string_view name) override;
  Result<std::vector<TrashedSession>> trash() override;
  Result<EmptiedTrash> empty_trash() override;
  Result<void> archive(Id session) override { return set_archived(session, true); }
  Result<void> unarchive(Id session) override { return set_archived(session, false); }
  Result<std::string> keep_blob(std::string_view bytes) override;
  Result<std::string> load_blob(const std::string& name) override;
  void remember(Id session, const std::string& workspace) override { enter(session, workspace); }
  void enter(Id session, const std::string& workspace) override;
  std::optional<Id> last_used(const std::string& workspace) override;
  void close(Id session) override { open_.erase(session); }

 private:
  struct OpenSession {
    OpenSession(Connection& connection, Id session)
        : rows(connection, session), log(connection, rows, session) {}
    TranscriptRows rows;
    DatabaseLog log;
  };
  // As it was last seen; one that is not open is opened by whoever asks it something.
  OpenSession& seen(Id session);
  // Up to date, given to `use`; what fails in there has the database's own reason.
  template <class Use>
  auto with(Id session, const Use& use) -> decltype(use(std::declval<OpenSession&>()));
  using Fill = std::function<Result<void>(files::Files&, log::NewTranscript&)>;
  Result<Created> make(const SessionHeader& header, const Fill& fill);
  Result<SessionRecord> record_from(const SessionRow& row);
  Result<std::vector<SessionRow>> trashed_rows(std::vector<std::int64_t>& when);
  Result<SessionRecord> bring_back(const SessionRow& row);
  Result<void> set_archived(Id session, bool archived);

  Connection connection_;
  std::map<Id, std::unique_ptr<OpenSession>> open_{};
};

}  // namespace skein::store::postgres
