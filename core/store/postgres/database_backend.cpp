#include "core/store/postgres/database_backend.h"

#include "core/store/home/file_backend.h"
#include "core/text/json.h"
#include "core/text/text.h"

namespace skein::store::postgres {

namespace {

// Reports when a process appends to a session, on a connection for that alone. If that connection
// is lost, or cannot be notified (a pooler in between), it is silent.
class DatabaseWatch : public SessionWatch {
 public:
  // Throws Error if there is no connection.
  DatabaseWatch(const Connection& like, Id session)
      : connection_(like.address(), Connection::Tell{}, like.interrupts()),
        session_(to_string(session)) {
    value_or_throw(connection_.listen());
  }
  int descriptor() const override { return connection_.descriptor(); }
  // Anybody who can connect may notify: what they say is only compared.
  bool take() override {
    bool ours = false;
    const bool there = connection_.take_news(
        [&](std::string_view news) { ours = ours || news.starts_with(session_); });
    return ours || !there;
  }

 private:
  Connection connection_;
  std::string session_;
};

constexpr std::int64_t most_listed = 500;  // in one answer
constexpr std::size_t most_named = 200;    // bytes of who is at work in one session

// The one used last first, from behind `$3` and `$4` on. Those that `$7` may name have it at the
// beginning of their key or their id, or `$8`, which is their title, in their record.
constexpr Statement list_sessions{"list_sessions", R"(
  select id, key, record, bytes, last_crc, archived, edition, used from skein.session
   where deleted is null and ($1 = '' or cwd = $1) and ($2 = 0 or used < $2) and (used, id) < ($3, $4)
     and ($6 = '' or project = $6)
     and ($7 = '' or starts_with(key, $7) or starts_with(lpad(to_hex(id), 16, '0'), $7) or strpos(record, $8) > 0)
   order by used desc, id desc limit $5)"};

// Everybody has a main:cli:user: one's own comes first.
constexpr Statement find_key{"find_key", R"(
  select id, key, record, bytes, last_crc, archived, edition from skein.session
   where key = $1 and deleted is null order by (owner = current_user) desc, used desc limit 1)"};

constexpr Statement flag_archived{"flag_archived", R"(
  update skein.session set archived = $2 where id = $1 and deleted is null)"};

constexpr Statement set_last{"set_last", R"(
  insert into skein.last_used (workspace, session)
  select $1, id from skein.session where id = $2 and deleted is null
      on conflict (owner, workspace) do update set session = excluded.session)"};
constexpr Statement get_last{"get_last", R"(
  select l.session from skein.last_used l join skein.session s on s.id = l.session
   where l.owner = current_user and l.workspace = $1 and s.deleted is null)"};

// A process that looks for those at work reads the name; `$2` is ours.
constexpr Statement hold_alone{"", R"(
  select pg_try_advisory_lock($1) from set_config('application_name', $2, false) as n where n is not null)"};
constexpr Statement hold_shared{"", R"(
  select pg_try_advisory_lock_shared($1) from set_config('application_name', $2, false) as n where n is not null)"};
// What others' connections are called only they are shown.
constexpr Statement list_holders{"list_holders", R"(
  select (l.classid::bigint << 32) | l.objid::bigint, coalesce(a.application_name, '')
    from pg_catalog.pg_locks l left join pg_catalog.pg_stat_activity a on a.pid = l.pid
   where l.locktype = 'advisory' and l.objsubid = 1 and l.granted
     and l.database = (select oid from pg_catalog.pg_database where datname = current_database())
     and (l.classid::bigint << 32) | l.objid::bigint = any($1::bigint[])
   order by l.pid limit 1000)"};
constexpr std::string_view name_prefix = "skein ";

SessionRecord record_of(const SessionRow& row, log::LogMemory memory) {
  return {row.key,      std::move(memory.header), std::move(memory.state), memory.end, row.archived,
          memory.damage};
}

}  // namespace

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
        connection_.tell("entries queued in " + outbox_->folder() + " for " + described(session) +
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
  connection_.tell(counted(sent, "queued entry was", "queued entries were") + " sent" +
                   (branched ? ", as a branch, because " + described(session) +
                                   " was continued by another process"
                             : ""));
  return true;
}

// Behind the entry they were said after. Whether that was no longer the last one: then the
// conversation continues where the others are.
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
  const SessionRecord before = TRY(open(session));
  TRY(append_now(session, batch.entries, {.patient = false}));
  if (before.state.head) {
    const NewEntry head{model::make_entry(payload::Head{*before.state.head})};
    TRY(append_now(session, std::span(&head, 1), {.patient = false}));
  }
  return true;
}

Result<AppendResult> DatabaseBackend::park(Id session, std::span<const NewEntry> entries,
                                           const Failure& why) {
  const bool first = !outbox_->has(session);
  if (const auto parked = outbox_->park(session, entries); !parked) return why;
  if (first)
    connection_.tell(why.text + "; new entries are queued in " + outbox_->folder() +
                     " and sent when the database is reachable again");
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

Result<SessionRecord> DatabaseBackend::open(Id session) {
  return with(session, [](OpenSession& open) -> Result<SessionRecord> {
    return record_of(open.rows.row(), open.log.memory());
  });
}

Result<SessionRecord> DatabaseBackend::record_from(const SessionRow& row) {
  std::optional<log::LogMemory> memory = parse_record(row);
  // What was tampered with is read again, line by line.
  if (!memory) return open(row.session);
  return record_of(row, *std::move(memory));
}

Result<std::vector<SessionRecord>> DatabaseBackend::list(const ListFilter& filter) {
  constexpr std::int64_t last = std::numeric_limits<std::int64_t>::max();
  const std::int64_t before = filter.unused_since.empty() ? 0 : time_number(filter.unused_since);
  const std::string cwd = valid_utf8(filter.cwd), project = valid_utf8(filter.project),
                    called = valid_utf8(filter.called);
  // As a record has it, with what comes next: so it is no other member's.
  const std::string title = ",\"title\":" + json_string(called) + ",\"cwd\":";
  std::vector<SessionRecord> out;
  for (std::pair<std::int64_t, std::int64_t> behind{last, last};;) {
    const std::int64_t wanted =
        filter.limit == 0
            ? most_listed
            : std::min(most_listed, static_cast<std::int64_t>(filter.limit - out.size()));
    std::vector<SessionRow> rows;
    TRY(connection_.ask(list_sessions,
                        SqlValues()
                            .text(cwd)
                            .integer(before)
                            .integer(behind.first)
                            .integer(behind.second)
                            .integer(wanted)
                            .text(project)
                            .text(called)
                            .text(title),
                        [&](Columns& columns) {
                          rows.push_back(read_session_row(columns));
                          const std::pair here{columns.integer(), static_cast<std::int64_t>(
                                                                      rows.back().session.value)};
                          if (here >= behind) columns.refuse();
                          behind = here;
                        }));
    for (const SessionRow& row : rows)
      if (Result<SessionRecord> record = record_from(row)) out.push_back(*std::move(record));
    if (static_cast<std::int64_t>(rows.size()) < wanted ||
        (filter.limit != 0 && out.size() >= filter.limit))
      return out;
  }
}

Result<SessionRecord> DatabaseBackend::find(std::string_view name) {
  std::optional<SessionRow> found;
  const auto take = [&](Columns& columns) { found = read_session_row(columns); };
  Result<std::uint64_t> asked = std::uint64_t{0};
  if (const std::optional<Id> id = parse_id(name))
    asked = connection_.ask(find_session, SqlValues().id(*id), take);
  else if (!key_problem(name))
    asked = connection_.ask(find_key, SqlValues().text(name), take);
  if (!asked) return asked.error();
  if (!found) return Failure{Failure::Kind::gone, "no session called '" + std::string(name) + "'"};
  return record_from(*found);
}

Result<AppendResult> DatabaseBackend::append_now(Id session, std::span<const NewEntry> entries,
                                                 const AppendOptions& options) {
  // Not brought up to date first: the append notices by itself if it must be.
  const Connection::Impatience impatience(connection_, !options.patient);
  OpenSession& open = seen(session);
  Result<AppendResult> outcome = open.log.append(entries, options);
  if (outcome) return outcome;
  if (const std::optional<Failure> reason = open.rows.take_failure()) {
    open_.erase(session);
    return *reason;
  }
  if (outcome.error().kind == Failure::Kind::gone) open_.erase(session);
  return outcome;
}

Result<void> DatabaseBackend::append_lines(Id session, Position end,
                                           std::span<const std::string> lines) {
  return with(session, [&](OpenSession& open) { return open.log.append_lines(end, lines); });
}

// Put together here first: what does not fit must not be seen there, not even for a moment.
Result<SessionRecord> DatabaseBackend::import_lines(Id session, const GiveLines& lines,
                                                    TakenKey taken) {
  home::Home passing(files::memory_files());
  const SessionRecord whole = TRY(home::import_lines(passing, session, lines));
  const home::Transcript* transcript = TRY(passing.transcript(session));
  constexpr int most_numbers = 1000;
  Result<Entered> entered = Entered::key_taken;
  for (int number = 1; entered && *entered == Entered::key_taken && number < most_numbers;
       ++number) {
    const std::string key = number == 1 ? whole.key : whole.key + "." + std::to_string(number);
    entered = enter_session(connection_, key, *transcript->log);
    if (taken == TakenKey::refused) break;
  }
  if (!entered) return entered.error();
  if (*entered == Entered::now) return open(session);
  return Failure{
      Failure::Kind::conflict,
      *entered == Entered::key_taken
          ? "another session there has the key " + whole.key
          : described(session) + " exists already, in the trash or as a session of another user"};
}

Result<Created> DatabaseBackend::enter_made(files::Files& memory, const SessionHeader& header) {
  log::LogReader lines(memory, header.session, log::transcript_path(header.session));
  TRY(lines.refresh());
  for (int tries = 0; tries < 3; ++tries) {
    const Entered entered = TRY(enter_session(connection_, header.key, lines));
    if (entered == Entered::id_taken)
      return Failure{Failure::Kind::refused, described(header.session) + " exists already"};
    if (entered == Entered::now) {
      SessionRecord record = TRY(open(header.session));
      return Created{std::move(record), true};
    }
    // Unless it was thrown away just now.
    Result<SessionRecord> found = find(header.key);
    if (found) return Created{*std::move(found)};
    if (found.error().kind != Failure::Kind::gone) return found.error();
  }
  return Failure{Failure::Kind::busy, "other processes keep creating and deleting the key " +
                                          header.key + "; try again"};
}

Result<Created> DatabaseBackend::create(const SessionHeader& header,
                                        std::span<const NewEntry> entries) {
  home::FileBackend passing(files::memory_files());
  TRY(passing.create(header, entries));
  return enter_made(passing.home().files(), header);
}

Result<Created> DatabaseBackend::fork(const SessionHeader& header,
                                      std::span<const ForkExtra> extras) {
  const SessionHeader::Origin from = header.parent_session.value();
  home::FileBackend passing(files::memory_files());
  TRY(passing.make(header, [&](log::NewTranscript& transcript) {
    return read(from.session, [&](log::LogReader& source) {
      return home::copy_fork(source, from.entry, extras, transcript);
    });
  }));
  return enter_made(passing.home().files(), header);
}

Result<SessionLease> DatabaseBackend::hold(Id session, LockMode mode) {
  // A separate connection: what is locked twice on one is not refused, and the end of the process
  // ends it.
  std::shared_ptr<Connection> held;
  try {
    held = std::make_shared<Connection>(connection_.address(), Connection::Tell{},
                                        connection_.interrupts());
  } catch (const Error& error) {
    return Failure{Failure::Kind::unreachable, error.what()};
  }
  bool got = false;
  const std::string name = valid_utf8(std::string(name_prefix) + who_we_are());
  const StatementOutcome asked = held->attempt(mode == LockMode::shared ? hold_shared : hold_alone,
                                               SqlValues().id(session).text(name),
                                               [&](Columns& columns) { got = columns.truth(); });
  if (asked.problem) return held->failure_of(asked.problem);
  if (!got) return Failure{Failure::Kind::busy, "another process is using " + described(session)};
  return SessionLease(std::move(held));
}

std::map<Id, std::string> DatabaseBackend::at_work(std::span<const Id> sessions) {
  std::map<Id, std::string> out;
  std::vector<std::int64_t> wanted;
  for (const Id session : sessions) wanted.push_back(static_cast<std::int64_t>(session.value));
  (void)bool(connection_.ask(list_holders, SqlValues().integers(wanted), [&](Columns& columns) {
    std::string& who = out[columns.id()];
    std::string_view name = columns.text();
    if (name.starts_with(name_prefix)) name.remove_prefix(name_prefix.size());
    if (!name.empty() && who.size() < most_named)
      who += (who.empty() ? "" : ", ") + std::string(name);
  }));
  for (auto& [session, who] : out)
    if (who.empty()) who = "somebody";
  return out;
}

std::unique_ptr<SessionWatch> DatabaseBackend::watch(Id session) try {
  return std::make_unique<DatabaseWatch>(connection_, session);
} catch (const Error&) {
  return nullptr;
}

Result<void> DatabaseBackend::set_archived(Id session, bool archived) {
  const std::uint64_t changed =
      TRY(connection_.ask(flag_archived, SqlValues().id(session).truth(archived)));
  if (changed == 0) return Failure{Failure::Kind::gone, described(session) + " no longer exists"};
  return {};
}

void DatabaseBackend::enter(Id session, const std::string& workspace) {
  const std::string known_as = valid_utf8(workspace);
  if (!known_as.empty()) (void)connection_.ask(set_last, SqlValues().text(known_as).id(session));
}

std::optional<Id> DatabaseBackend::last_used(const std::string& workspace) {
  std::optional<Id> out;
  const std::string known_as = valid_utf8(workspace);
  const auto asked = connection_.ask(get_last, SqlValues().text(known_as),
                                     [&](Columns& columns) { out = columns.id(); });
  return asked ? out : std::nullopt;
}

}  // namespace skein::store::postgres
