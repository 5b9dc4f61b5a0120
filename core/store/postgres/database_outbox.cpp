// What was said while the database was away: parked on this machine, and sent when it is there.
#include <utility>

#include "core/store/postgres/database_backend.h"
#include "core/text/amounts.h"

namespace skein::store::postgres {

void DatabaseBackend::use_outbox(std::string folder) {
  outbox_.emplace(std::move(folder));
  for (const Id session : outbox_->sessions()) send_parked(session);
}

// Whether nothing is parked of it any more.
bool DatabaseBackend::send_parked(Id session) {
  if (!outbox_ || !outbox_->has(session)) return true;
  const Connection::Impatience impatience(connection_);
  std::size_t sent = 0;
  bool branched = false;
  for (;;) {
    const Result<std::optional<Outbox::Batch>> batch = outbox_->first(session);
    if (batch && !*batch) break;
    const Result<bool> done = batch ? send_batch(session, **batch) : batch.error();
    if (!done) {
      if (done.error().kind != Failure::Kind::unreachable)
        connection_.tell("what is parked in " + outbox_->folder() + " for " + described(session) +
                         " cannot be sent: " + done.error().text);
      return false;
    }
    sent += (*batch)->entries.size();
    branched = branched || *done;
    if (const auto removed = outbox_->remove(**batch); !removed) {
      connection_.tell(removed.error().text);
      return false;
    }
  }
  connection_.tell(
      counted(sent, "parked entry was", "parked entries were") + " sent" +
      (branched ? ", as a branch, since " + described(session) + " had gone on meanwhile" : ""));
  return true;
}

// Behind the entry they were said after. Whether that was no longer the last one: then the
// conversation goes on where the others are.
Result<bool> DatabaseBackend::send_batch(Id session, const Outbox::Batch& batch) {
  AppendOptions options{.patient = false};
  for (const NewEntry& each : batch.entries)
    if (!model::is_marginal(each.entry.type)) {
      options.expected_tail = each.entry.parent;
      break;
    }
  const Result<AppendResult> appended = append_now(session, batch.entries, options);
  if (appended) return false;
  if (appended.error().kind != Failure::Kind::conflict) return appended.error();
  const Result<SessionRecord> before = open(session);
  if (!before) return before.error();
  const Result<AppendResult> again = append_now(session, batch.entries, {.patient = false});
  if (!again) return again.error();
  if (before->state.head) {
    const NewEntry head{model::make_entry(payload::Head{*before->state.head})};
    if (const auto done = append_now(session, std::span(&head, 1), {.patient = false}); !done)
      return done.error();
  }
  return true;
}

Result<AppendResult> DatabaseBackend::park(Id session, std::span<const NewEntry> entries,
                                           const Failure& why) {
  const bool first = !outbox_->has(session);
  if (const auto parked = outbox_->park(session, entries); !parked) return why;
  if (first)
    connection_.tell(why.text + "; what is said is parked in " + outbox_->folder() +
                     " and sent when the database is there again");
  AppendResult out{.session = session, .appended = entries.size()};
  for (const NewEntry& each : entries) out.entries.push_back(each.entry);
  if (!entries.empty()) out.last = entries.back().entry.id;
  return out;
}

Result<AppendResult> DatabaseBackend::append(Id session, std::span<const NewEntry> entries,
                                             const AppendOptions& options) {
  if (!outbox_) return append_now(session, entries, options);
  // Nothing overtakes what was said before it.
  if (!send_parked(session))
    return park(session, entries, {Failure::Kind::unreachable, "the database cannot be reached"});
  Result<AppendResult> outcome = append_now(session, entries, options);
  if (outcome || outcome.error().kind != Failure::Kind::unreachable) return outcome;
  return park(session, entries, outcome.error());
}

void DatabaseBackend::remember(Id session, const std::string& workspace) {
  send_parked(session);
  enter(session, workspace);
}

}  // namespace skein::store::postgres
