// Sessions in a PostgreSQL database, for as many machines as can reach it. It keeps the same
// promises as a folder does: what is acknowledged is committed.
#pragma once

#include "core/store/home/maintenance/scrub.h"
#include "core/store/log/log_backend.h"
#include "core/store/postgres/database_log.h"
#include "core/store/postgres/outbox.h"

namespace skein::store::postgres {

class DatabaseBackend : public log::LogBackend {
 public:
  // Throws Error (storage) if the database cannot be used.
  explicit DatabaseBackend(
      std::string address, Connection::Tell tell = {},
      Connection::Interrupts interrupts = [] { return 0u; })
      : connection_(std::move(address), std::move(tell), std::move(interrupts)) {}

  // From now on, what cannot be sent is parked in this folder of the machine, and counts as said.
  // What is there from earlier is sent now.
  void use_outbox(std::string folder);

  // What home::maintenance::scrub does to a folder.
  Result<home::maintenance::Scrubbed> scrub(Id session, Id entry,
                                            const home::maintenance::ScrubWish& wish);

  Result<std::vector<SessionRecord>> list(const ListFilter& filter = {}) override;
  Result<SessionRecord> find(std::string_view name) override;
  Result<SessionRecord> open(Id session) override;
  Result<Created> create(const SessionHeader& header, std::span<const NewEntry> entries) override;
  Result<Created> fork(const SessionHeader& header, std::span<const ForkExtra> extras) override;
  Result<AppendResult> append(Id session, std::span<const NewEntry> entries,
                              const AppendOptions& options) override;
  Result<SessionRecord> import_lines(Id session, const GiveLines& lines, TakenKey taken) override;
  Result<void> append_lines(Id session, Position end, std::span<const std::string> lines) override;
  Result<SessionLease> hold(Id session, LockMode mode) override;
  std::map<Id, std::string> at_work(std::span<const Id> sessions) override;
  std::unique_ptr<SessionWatch> watch(Id session) override;
  Result<void> erase(Id session) override;
  Result<SessionRecord> restore(std::string_view name) override;
  Result<std::vector<TrashedSession>> trash() override;
  Result<EmptiedTrash> empty_trash() override;
  Result<void> archive(Id session) override { return set_archived(session, true); }
  Result<void> unarchive(Id session) override { return set_archived(session, false); }
  Result<std::string> keep_blob(std::string_view bytes) override;
  Result<std::string> load_blob(const std::string& name) override;
  bool holds_blob(const std::string&, std::uint64_t) override { return false; }
  void remember(Id session, const std::string& workspace) override;
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
  // As it was last seen; one that is not open is opened by the first question.
  OpenSession& seen(Id session) {
    return open_.try_emplace(session, connection_, session).first->second;
  }
  // Up to date, given to `use`; what fails in there has the database's own reason.
  template <class Ask>
  auto with(Id session, const Ask& ask) -> decltype(ask(std::declval<OpenSession&>()));
  Result<void> with_log(Id session, const Use& use) override {
    return with(session, [&](OpenSession& open) { return use(open.log); });
  }
  // A session that was put together in memory.
  Result<Created> enter_made(files::Files& memory, const SessionHeader& header);
  Result<SessionRecord> record_from(const SessionRow& row);
  Result<std::vector<SessionRow>> trashed_rows();
  Result<SessionRecord> bring_back(const SessionRow& row);
  Result<void> set_archived(Id session, bool archived);
  Result<AppendResult> append_now(Id session, std::span<const NewEntry> entries,
                                  const AppendOptions& options);
  Result<AppendResult> park(Id session, std::span<const NewEntry> entries, const Failure& why);
  bool send_parked(Id session);
  Result<bool> send_batch(Id session, const Outbox::Batch& batch);

  Connection connection_;
  std::optional<Outbox> outbox_{};
  std::map<Id, OpenSession> open_{};
};

template <class Ask>
auto DatabaseBackend::with(Id session, const Ask& ask)
    -> decltype(ask(std::declval<OpenSession&>())) {
  OpenSession& open = seen(session);
  if (const auto done = open.log.bring_up_to_date(); !done) {
    const Failure reason = open.rows.take_failure().value_or(done.error());
    open_.erase(session);
    return reason;
  }
  auto result = ask(open);
  const std::optional<Failure> reason = open.rows.take_failure();
  if (result || !reason) return result;
  open_.erase(session);
  return *reason;
}

}  // namespace skein::store::postgres
