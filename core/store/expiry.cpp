#include "core/store/expiry.h"

#include "core/store/children.h"
#include "core/text/text.h"

namespace skein::store {

namespace {

bool is_kept(const SessionState& state) { return state.pinned || !state.labels.empty(); }

Result<Expired> expire_open(SessionStore& store, const Expiring& session) {
  const Id id = session.record.header.session;
  // Read again: an index that an older version wrote knows nothing of pins.
  SessionState state;
  TRY(store.transcripts().survey(id, [&](const EntryFacts& entry) { model::fold(state, entry); }));
  if (is_kept(state) || state.updated_at != session.record.state.updated_at)
    return Expired::left_alone;
  const Result<SessionLease> alone = store.presence().hold(id, LockMode::exclusive);
  if (!alone && alone.error().kind == Failure::Kind::busy) return Expired::left_alone;
  const bool trash = session.what == Expiring::What::trash;
  TRY(trash ? erase_family(store, id) : archive_family(store, id));
  return Expired::done;
}

}  // namespace

std::vector<SessionRecord> unused_for(SessionStore& store, std::int64_t ms) {
  std::vector<SessionRecord> out = store.list({.unused_since = utc_from_ms(now_ms() - ms)});
  // A time that cannot be understood is no reason to throw something away.
  std::erase_if(out, [](const SessionRecord& record) { return !ms_from_utc(record.used_at()); });
  std::ranges::reverse(out);
  return out;
}

std::vector<Expiring> expiring(std::span<const SessionRecord> sessions, const ExpiryRules& rules,
                               std::int64_t now_ms, std::optional<Id> open) {
  std::vector<Expiring> out;
  for (const SessionRecord& record : sessions) {
    const std::optional<std::int64_t> used = ms_from_utc(record.used_at());
    // A child goes with its parent.
    if (!used || is_kept(record.state) || record.header.session == open || is_child(record))
      continue;
    const std::optional<std::int64_t> own = duration_ms(record.state.ttl);
    const std::optional<std::int64_t> trash = own ? own : rules.trash_after_ms;
    // What was brought in yesterday is not to go today because it is old.
    const std::int64_t since =
        std::max(*used, ms_from_utc(record.state.imported_at).value_or(*used));
    const std::int64_t unused = now_ms - since;
    if (trash && unused > *trash)
      out.push_back({Expiring::What::trash, record});
    else if (rules.archive_after_ms && unused > *rules.archive_after_ms && !record.archived)
      out.push_back({Expiring::What::archive, record});
  }
  return out;
}

Result<Expired> expire(SessionStore& store, const Expiring& session) {
  const Id id = session.record.header.session;
  Result<Expired> outcome = expire_open(store, session);
  store.presence().close(id);
  return outcome;
}

Result<SessionRecord> restore_for_use(SessionStore& store, std::string_view name) {
  SessionRecord restored = TRY(store.life_cycle().restore(name));
  const std::optional<std::int64_t> used = ms_from_utc(restored.used_at());
  if (used && now_ms() - *used < day_ms) return restored;
  const Id session = restored.header.session;
  const NewEntry note{model::make_entry(model::type::custom, R"({"kind":"restored"})")};
  // A session that cannot be written to is back all the same.
  if (!store.append_session_entries(session, std::span(&note, 1))) return restored;
  store.presence().remember(session, "");
  return store.sessions().open(session);
}

}  // namespace skein::store
