#include "core/store/postgres/schema.h"

#include "core/store/postgres/connection.h"

namespace skein::store::postgres {

namespace {

// `at` is where a line would stand in the session's file, so that both forms of a home count alike.
// `record` is the session's row of sessions.json. `used` is a time as a number: 20260102030405678.
constexpr const char* tables = R"(
begin;
create schema skein;
create table skein.meta (name text primary key, value text not null);
create table skein.session (
  id bigint constraint session_id primary key,
  owner text not null default current_user,
  key text not null,
  cwd text not null,
  used bigint not null,
  record text not null,
  bytes bigint not null,
  last_crc bigint not null,
  archived boolean not null default false,
  deleted bigint
) with (fillfactor = 70);
create unique index session_key on skein.session (owner, key) where deleted is null;
create index session_used on skein.session (used desc, id desc) where deleted is null;
create table skein.line (
  session bigint not null references skein.session on delete cascade,
  at bigint not null,
  entry bigint not null,
  line bytea not null,
  constraint line_at primary key (session, at),
  constraint line_entry unique (session, entry)
);
create table skein.share (
  session bigint not null references skein.session on delete cascade,
  owner text not null default current_user,
  reader text not null,
  writes boolean not null default false,
  primary key (session, reader)
);
create table skein.blob (
  owner text not null default current_user,
  name text not null,
  part bigint not null,
  data bytea not null,
  primary key (owner, name, part)
);
alter table skein.blob alter column data set storage external;
create table skein.blob_use (
  session bigint not null references skein.session on delete cascade,
  owner text not null default current_user,
  name text not null,
  primary key (session, owner, name)
);
create table skein.last_used (
  owner text not null default current_user,
  workspace text not null,
  session bigint not null references skein.session on delete cascade,
  primary key (owner, workspace)
);
insert into skein.meta values ('format', '1');
)";

// Forced: also for the user who made the tables. That a policy asks another table means that it
// sees of it only what the same user sees.
constexpr const char* rules = R"(
alter table skein.session enable row level security, force row level security;
alter table skein.line enable row level security, force row level security;
alter table skein.share enable row level security, force row level security;
alter table skein.blob enable row level security, force row level security;
alter table skein.blob_use enable row level security, force row level security;
alter table skein.last_used enable row level security, force row level security;

create policy seen on skein.session for select using (owner = current_user
  or exists (select from skein.share s where s.session = id and s.reader = current_user));
create policy made on skein.session for insert with check (owner = current_user);
create policy changed on skein.session for update
  using (owner = current_user
    or exists (select from skein.share s where s.session = id and s.reader = current_user and s.writes))
  with check (owner = current_user or deleted is null);
create policy removed on skein.session for delete using (owner = current_user and deleted is not null);

create policy seen on skein.line for select
  using (exists (select from skein.session s where s.id = session));
create policy made on skein.line for insert with check (exists (select from skein.session s
  where s.id = session and (s.owner = current_user
    or exists (select from skein.share t where t.session = s.id and t.reader = current_user and t.writes))));

create policy seen on skein.share for select using (owner = current_user or reader = current_user);
create policy made on skein.share for insert with check (owner = current_user
  and exists (select from skein.session s where s.id = session and s.owner = current_user));
create policy removed on skein.share for delete using (owner = current_user);

create policy seen on skein.blob for select using (owner = current_user
  or exists (select from skein.blob_use u join skein.session s on s.id = u.session
              where u.owner = blob.owner and u.name = blob.name));
create policy made on skein.blob for insert with check (owner = current_user);
create policy seen on skein.blob_use for select
  using (exists (select from skein.session s where s.id = session));
create policy made on skein.blob_use for insert with check (owner = current_user
  and exists (select from skein.session s where s.id = session and (s.owner = current_user
    or exists (select from skein.share t where t.session = s.id and t.reader = current_user and t.writes))));

create policy own on skein.last_used using (owner = current_user) with check (owner = current_user);

grant usage on schema skein to public;
grant select on all tables in schema skein to public;
grant insert (id, key, cwd, used, record, bytes, last_crc, archived), delete,
  update (key, used, record, bytes, last_crc, archived, deleted) on skein.session to public;
grant insert on skein.line to public;
grant insert (session, reader, writes), delete on skein.share to public;
grant insert (name, part, data) on skein.blob to public;
grant insert (session, name) on skein.blob_use to public;
grant insert (workspace, session), update (session), delete on skein.last_used to public;
)";

// What each format has more than the one before it; a new database goes the same way. 2: the
// project, by which a session is found from a folder elsewhere; owners may remove lines and blobs,
// so that a text can be taken out of them, lines only if they say of which session, so that none
// goes by a slip; and a reader of a session knows by its edition that it was rewritten.
constexpr const char* upgrades[] = {R"(
alter table skein.session add column project text not null default '', add column edition bigint not null default 1;
create index session_project on skein.session (project) where project <> '' and deleted is null;
grant insert (project), update (edition) on skein.session to public;
create policy scrubbed on skein.line for delete
  using (current_setting('skein.scrubs', true) = session::text
    and exists (select from skein.session s where s.id = session and s.owner = current_user));
grant delete on skein.line to public;
create policy scrubbed on skein.blob for delete using (owner = current_user);
grant delete on skein.blob to public;
)"};
static_assert(std::size(upgrades) + 1 == schema_format);

std::string upgrade_script(std::size_t from) {
  std::string out;
  for (std::size_t format = from; format < schema_format; ++format) out += upgrades[format - 1];
  return out + "update skein.meta set value = '" + std::to_string(schema_format) +
         "' where name = 'format';\ncommit;\n";
}

constexpr Statement is_prepared{"", "select to_regclass('skein.meta') is not null"};
constexpr Statement read_prepared_format{"", "select value from skein.meta where name = 'format'"};

}  // namespace

Result<Prepared> prepare_database(const std::string& address) {
  described_address(address);
  const std::unique_ptr<Link> opened = TRY(open_link(address));
  Link& link = *opened;
  const auto failed = [](const Problem& problem) {
    return Failure{Failure::Kind::io, "the database says: " + problem.text};
  };
  bool there = false;
  std::uint64_t changed = 0;
  if (const Problem problem = link.run(
          is_prepared, {}, [&](Row row) { there = Columns(row).truth(); }, changed))
    return failed(problem);
  if (!there) {
    if (const Problem problem = link.run_script(std::string(tables) + rules + upgrade_script(1)))
      return failed(problem);
    return Prepared::now;
  }
  std::string format;
  if (const Problem problem = link.run(
          read_prepared_format, {}, [&](Row row) { format = Columns(row).text(); }, changed))
    return failed(problem);
  const std::optional<std::size_t> number = format_number(format);
  if (number == schema_format) return Prepared::before;
  if (!number || *number > schema_format)
    return Failure{Failure::Kind::unsupported_version,
                   format_problem(format, shown_address(address))};
  // Another who upgrades at the same time waits for the lock, and runs into what is there by then.
  if (const Problem problem = link.run_script("begin; lock table skein.meta in exclusive mode;" +
                                              upgrade_script(*number)))
    return failed(problem);
  return Prepared::upgraded;
}

}  // namespace skein::store::postgres
