#include "core/store/postgres/database_backend.h"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "core/store/home/admit.h"
#include "core/store/home/fork.h"
#include "core/store/log/log_writer.h"
#include "core/store/postgres/database_watch.h"
#include "core/store/postgres/new_session.h"
#include "core/store/postgres/schema.h"
#include "core/store/postgres/values.h"
#include "core/store/session_name.h"
#include "core/text/json.h"

namespace skein::store::postgres {

namespace {

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
constexpr Statement find_id{"find_id", R"(
  select id, key, record, bytes, last_crc, archived, edition from skein.session where id = $1 and deleted is null)"};

constexpr Statement flag_archived{"flag_archived", R"(
  update skein.session set archived = $2 where id = $1 and deleted is null)"};

constexpr Statement set_last{"set_last", R"(
  insert into skein.last_used (workspace, session)
  select $1, id from skein.session where id = $2 and deleted is null
      on conflict (owner, workspace) do update set session = excluded.session)"};
constexpr Statement get_last{"get_last", R"(
  select l.session from skein.last_used l join skein.session s on s.id = l.session
   where l.owner = current_user and l.workspace = $1 and s.deleted is null)"};

// Whoever looks for those at work reads the name; `$2` is ours.
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

// A transcript in memory, on its way into the database.
struct MadeInMemory {
  explicit MadeInMemory(const SessionHeader& header)
      : files(files::memory_files()), transcript(folder(), header, "making a session") {}
  files::Files& folder() const {
    files->make_folder("transcripts");
    return *files;
  }
  std::unique_ptr<files::Files> files;
  log::NewTranscript transcript;
};

}  // namespace

DatabaseBackend::OpenSession& DatabaseBackend::seen(Id session) {
  std::unique_ptr<OpenSession>& open = open_[session];
  if (!open) open = std::make_unique<OpenSession>(connection_, session);
  return *open;
}

Result<SessionRecord> DatabaseBackend::open(Id session) {
  return with(session, [](OpenSession& open) -> Result<SessionRecord> {
    const log::LogMemory memory = open.log.memory();
    return SessionRecord{open.rows.row().key,      memory.header, memory.state, memory.end,
                         open.rows.row().archived, memory.damage};
  });
}

Result<SessionRecord> DatabaseBackend::record_from(const SessionRow& row) {
  std::optional<log::LogMemory> memory = parse_record(row);
  // What was tampered with is read anew, line by line.
  if (!memory) return open(row.session);
  return SessionRecord{
      row.key,       std::move(memory->header), std::move(memory->state), row.bytes, row.archived,
      memory->damage};
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
    const auto asked = connection_.ask(
        list_sessions,
        Values()
            .text(cwd)
            .integer(before)
            .integer(behind.first)
            .integer(behind.second)
            .integer(wanted)
            .text(project)
            .text(called)
            .text(title),
        [&](Row row) {
          if (row.size() != 8) return false;
          auto read = read_session_row(row.first(7));
          Columns last_column(row.last(1));
          const std::int64_t used = last_column.integer();
          if (!read || !last_column.fit()) return false;
          const std::pair here{used, static_cast<std::int64_t>(read->session.value)};
          if (here >= behind) return false;
          behind = here;
          rows.push_back(*std::move(read));
          return true;
        });
    if (!asked) return asked.error();
    for (const SessionRow& row : rows)
      if (Result<SessionRecord> record = record_from(row)) out.push_back(*std::move(record));
    if (static_cast<std::int64_t>(rows.size()) < wanted ||
        (filter.limit != 0 && out.size() >= filter.limit))
      return out;
  }
}

Result<SessionRecord> DatabaseBackend::find(std::string_view name) {
  std::optional<SessionRow> found;
  const auto take = [&](Row row) { return bool(found = read_session_row(row)); };
  Result<std::uint64_t> asked = std::uint64_t{0};
  if (const std::optional<Id> id = parse_id(name))
    asked = connection_.ask(find_id, Values().id(*id), take);
  else if (!key_problem(name))
    asked = connection_.ask(find_key, Values().text(name), take);
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

Result<void> DatabaseBackend::load(Id session, Position from, const VisitEntry& visit) {
  return with(session, [&](OpenSession& open) { return open.log.each(from, visit); });
}

Result<void> DatabaseBackend::load_back(Id session, std::optional<Position> from,
                                        const VisitEntry& visit) {
  return with(session, [&](OpenSession& open) { return open.log.each_back(from, visit); });
}

Result<StoredEntry> DatabaseBackend::load_at(Id session, Position at) {
  return with(session, [&](OpenSession& open) { return open.log.at(at); });
}

Result<void> DatabaseBackend::survey(Id session, const VisitFacts& visit) {
  return with(session, [&](OpenSession& open) { return open.log.survey(visit); });
}

Result<Position> DatabaseBackend::locate(Id session, Id entry) {
  return with(session, [&](OpenSession& open) { return open.log.locate(entry); });
}

Result<Damage> DatabaseBackend::examine(Id session) {
  return with(session, [&](OpenSession& open) { return open.log.examine(); });
}

Result<void> DatabaseBackend::give_lines(Id session, Position from, const VisitText& visit) {
  return with(session, [&](OpenSession& open) { return open.log.give_lines(from, visit); });
}

Result<void> DatabaseBackend::extend(Id session, Position end, std::span<const std::string> lines) {
  return with(session, [&](OpenSession& open) { return open.log.extend(end, lines); });
}

// Put together here first: what does not fit must not be seen there, not even for a moment.
Result<SessionRecord> DatabaseBackend::admit(Id session, const GiveLines& lines, TakenKey taken) {
  home::Home passing(files::memory_files());
  const Result<SessionRecord> whole = home::admit_session(passing, session, lines);
  if (!whole) return whole.error();
  const Result<home::Transcript*> transcript = passing.transcript(session);
  if (!transcript) return transcript.error();
  log::LogWriter& log = *(*transcript)->log;
  constexpr int most_numbers = 1000;
  Result<Entered> entered = Entered::key_taken;
  for (int number = 1; entered && *entered == Entered::key_taken && number < most_numbers;
       ++number) {
    const std::string key = number == 1 ? whole->key : whole->key + "." + std::to_string(number);
    entered = enter_session(connection_, log.memory(), key, false, log);
    if (taken == TakenKey::refused) break;
  }
  if (!entered) return entered.error();
  if (*entered == Entered::now) return open(session);
  return Failure{Failure::Kind::conflict,
                 *entered == Entered::key_taken
                     ? "another session there is called " + whole->key
                     : described(session) + " is there already, in the trash or somebody else's"};
}

Result<Created> DatabaseBackend::make(const SessionHeader& header, const Fill& fill) {
  if (const auto trouble = key_problem(header.key))
    return Failure{Failure::Kind::refused, *trouble};
  MadeInMemory made(header);
  if (const auto done = fill(*made.files, made.transcript); !done) return done.error();
  if (const auto done = made.transcript.link_into_place(); !done) return done.error();
  log::LogReader lines(*made.files, header.session, log::transcript_path(header.session));
  if (const auto done = lines.refresh(); !done) return done.error();
  for (int tries = 0; tries < 3; ++tries) {
    const Result<Entered> entered =
        enter_session(connection_, lines.memory(), header.key, false, lines);
    if (!entered) return entered.error();
    if (*entered == Entered::id_taken)
      return Failure{Failure::Kind::refused, described(header.session) + " is there already"};
    if (*entered == Entered::now) {
      Result<SessionRecord> record = open(header.session);
      if (!record) return record.error();
      return Created{*std::move(record), true};
    }
    // Unless it was thrown away just now.
    Result<SessionRecord> found = find(header.key);
    if (found) return Created{*std::move(found)};
    if (found.error().kind != Failure::Kind::gone) return found.error();
  }
  return Failure{Failure::Kind::busy, "the key " + header.key + " comes and goes; try again"};
}

Result<Created> DatabaseBackend::create(const SessionHeader& header,
                                        std::span<const NewEntry> entries) {
  return make(header, [&](files::Files& files, log::NewTranscript& transcript) -> Result<void> {
    if (entries.empty()) return {};
    if (const auto done = transcript.finish(); !done) return done;
    return log::LogWriter(files, header.session, transcript.file().temporary())
        .append_all(entries, {});
  });
}

Result<Created> DatabaseBackend::fork(const SessionHeader& header,
                                      std::span<const ForkExtra> extras) {
  const SessionHeader::Origin from = header.parent_session.value();
  return make(header, [&](files::Files&, log::NewTranscript& transcript) {
    return with(from.session, [&](OpenSession& source) {
      return home::copy_fork(source.log, from.entry, extras, transcript);
    });
  });
}

Result<SessionLease> DatabaseBackend::hold(Id session, LockMode company) {
  // A connection of its own: what is locked twice on one is not refused, and the end of the process
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
  const Outcome asked = held->attempt(company == LockMode::shared ? hold_shared : hold_alone,
                                      Values().id(session).text(name), [&](Row row) {
                                        Columns columns(row);
                                        got = columns.truth();
                                        return columns.fit();
                                      });
  if (asked.problem) return held->failure_of(asked.problem);
  if (!got)
    return Failure{Failure::Kind::busy, "another process is at work in " + described(session)};
  return SessionLease(std::move(held));
}

std::map<Id, std::string> DatabaseBackend::at_work(std::span<const Id> sessions) {
  std::map<Id, std::string> out;
  std::vector<std::int64_t> wanted;
  for (const Id session : sessions) wanted.push_back(static_cast<std::int64_t>(session.value));
  (void)bool(connection_.ask(list_holders, Values().integers(wanted), [&](Row row) {
    Columns columns(row);
    std::string& who = out[columns.id()];
    std::string_view name = columns.text();
    if (name.starts_with(name_prefix)) name.remove_prefix(name_prefix.size());
    if (!name.empty() && who.size() < most_named)
      who += (who.empty() ? "" : ", ") + std::string(name);
    return columns.fit();
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
  const Result<std::uint64_t> changed =
      connection_.ask(flag_archived, Values().id(session).truth(archived));
  if (!changed) return changed.error();
  if (*changed == 0)
    return Failure{Failure::Kind::gone, described(session) + " is not there any more"};
  return {};
}

void DatabaseBackend::enter(Id session, const std::string& workspace) {
  const std::string known_as = valid_utf8(workspace);
  if (!known_as.empty()) (void)connection_.ask(set_last, Values().text(known_as).id(session));
}

std::optional<Id> DatabaseBackend::last_used(const std::string& workspace) {
  std::optional<Id> out;
  const std::string known_as = valid_utf8(workspace);
  const auto asked = connection_.ask(get_last, Values().text(known_as), [&](Row row) {
    Columns columns(row);
    out = columns.id();
    return columns.fit();
  });
  return asked ? out : std::nullopt;
}

}  // namespace skein::store::postgres
