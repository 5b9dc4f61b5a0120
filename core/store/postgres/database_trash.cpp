// What a database keeps of sessions that were thrown away, and of bytes too large for a line.
#include <algorithm>
#include <utility>

#include "core/store/home/blobs.h"
#include "core/store/postgres/database_backend.h"
#include "core/store/postgres/schema.h"
#include "core/store/postgres/values.h"
#include "core/store/session_name.h"
#include "core/text/sha256.h"

namespace skein::store::postgres {

namespace {

constexpr std::size_t blob_part = 1u << 20;
constexpr std::int64_t parts_at_once = 16;

// Later than all that was thrown away before, whatever the clock says: the last one comes back
// first.
constexpr Statement throw_away{"throw_away", R"(
  update skein.session set deleted = greatest($2, 1 + coalesce(
      (select max(deleted) from skein.session where owner = current_user and deleted is not null), 0))
   where id = $1 and deleted is null)"};
constexpr Statement list_trash{"list_trash", R"(
  select id, key, record, bytes, last_crc, archived, edition, deleted from skein.session
   where deleted is not null and owner = current_user order by deleted desc)"};
constexpr Statement bring_back_row{"bring_back_row", R"(
  update skein.session set deleted = null, key = $2 where id = $1 and deleted is not null)"};
constexpr Statement empty_all{"empty_all", R"(
  delete from skein.session where deleted is not null and owner = current_user returning bytes)"};

constexpr Statement keep_part{"keep_part", R"(
  insert into skein.blob (name, part, data) values ($1, $2, $3) on conflict do nothing)"};
// Of several who keep the same, one's own.
constexpr Statement read_parts{"read_parts", R"(
  select part, data from skein.blob
   where name = $1 and part >= $2 and part < $3
     and owner = (select owner from skein.blob where name = $1 and part = 0
                   order by (owner = current_user) desc, owner limit 1)
   order by part)"};

}  // namespace

Result<void> DatabaseBackend::erase(Id session) {
  const Result<std::uint64_t> changed =
      connection_.ask(throw_away, Values().id(session).integer(now_ms()));
  if (!changed) return changed.error();
  open_.erase(session);
  if (*changed == 0)
    return Failure{Failure::Kind::gone, described(session) + " is not there any more"};
  return {};
}

Result<std::vector<SessionRow>> DatabaseBackend::trashed_rows(std::vector<std::int64_t>& when) {
  std::vector<SessionRow> out;
  const auto asked = connection_.ask(list_trash, {}, [&](Row row) {
    if (row.size() != 8) return false;
    std::optional<SessionRow> read = read_session_row(row.first(7));
    Columns last(row.last(1));
    when.push_back(last.integer());
    if (!read || !last.fit()) return false;
    out.push_back(*std::move(read));
    return true;
  });
  if (!asked) return asked.error();
  return out;
}

Result<std::vector<TrashedSession>> DatabaseBackend::trash() {
  std::vector<std::int64_t> when;
  const Result<std::vector<SessionRow>> rows = trashed_rows(when);
  if (!rows) return rows.error();
  std::vector<TrashedSession> out;
  for (std::size_t i = 0; i < rows->size(); ++i) {
    const SessionRow& row = (*rows)[i];
    TrashedSession one{
        .key = row.key, .session = row.session, .thrown_away_ms = when[i], .bytes = row.bytes};
    if (const std::optional<log::LogMemory> memory = parse_record(row)) {
      one.title = memory->state.title;
      one.messages = memory->state.messages;
      one.used_at = used_at(memory->header, memory->state);
    }
    out.push_back(std::move(one));
  }
  return out;
}

Result<SessionRecord> DatabaseBackend::restore(std::string_view name) {
  std::vector<std::int64_t> when;
  const Result<std::vector<SessionRow>> rows = trashed_rows(when);
  if (!rows) return rows.error();
  for (const SessionRow& row : *rows) {
    const std::optional<log::LogMemory> memory = parse_record(row);
    if (!means(name, row.key, row.session, memory ? memory->state.title : "")) continue;
    Result<SessionRecord> back = bring_back(row);
    if (!back) return back;
    // Those that work for it come back with it.
    for (const SessionRow& other : *rows)
      if (const std::optional<log::LogMemory> its = parse_record(other);
          its && works_for(its->header, other.key, row.session))
        if (const auto done = bring_back(other); !done) return done.error();
    return back;
  }
  return Failure{Failure::Kind::gone, "nothing in the trash is called '" + std::string(name) + "'"};
}

// Its key may have been taken while it was away: then it gets another, and the transcript says so.
Result<SessionRecord> DatabaseBackend::bring_back(const SessionRow& row) {
  constexpr int most_numbers = 1000;
  for (int number = 1; number < most_numbers; ++number) {
    const std::string key = number == 1 ? row.key : row.key + "." + std::to_string(number);
    const Outcome outcome = connection_.attempt(bring_back_row, Values().id(row.session).text(key));
    if (outcome.violates(key_constraint)) continue;
    if (outcome.lost()) {
      if (const auto again = connection_.reconnect(); !again) return again.error();
    } else if (outcome.problem) {
      return connection_.failure_of(outcome.problem);
    }
    // After a lost connection, opening tells whether it came back; if not, nothing has changed.
    if (number > 1) {
      const NewEntry renamed{model::make_entry(payload::Key{key})};
      if (const auto done = append(row.session, std::span(&renamed, 1), {}); !done)
        return done.error();
    }
    return open(row.session);
  }
  return Failure{Failure::Kind::refused, "too many sessions are called " + row.key};
}

Result<EmptiedTrash> DatabaseBackend::empty_trash() {
  EmptiedTrash out;
  const auto asked = connection_.ask(empty_all, {}, [&](Row row) {
    Columns columns(row);
    ++out.sessions;
    out.bytes += static_cast<std::uint64_t>(columns.integer());
    return columns.fit();
  });
  if (!asked) return asked.error();
  return out;
}

// A part at a time: what a lost connection leaves undone is done again, and until it is whole
// nobody knows its name.
Result<std::string> DatabaseBackend::keep_blob(std::string_view bytes) {
  if (bytes.size() > home::max_blob_bytes)
    return Failure{Failure::Kind::refused, "more than 64 MiB cannot be kept in one piece"};
  const std::string name = sha256_hex(bytes);
  for (std::size_t at = 0, part = 0; at < bytes.size() || part == 0; at += blob_part, ++part) {
    const auto kept = connection_.ask(keep_part, Values()
                                                     .text(name)
                                                     .integer(static_cast<std::int64_t>(part))
                                                     .bytes(bytes.substr(at, blob_part)));
    if (!kept) return kept.error();
  }
  return name;
}

Result<std::string> DatabaseBackend::load_blob(const std::string& name) {
  if (!is_blob_name(name))
    return Failure{Failure::Kind::refused, "'" + name + "' is not a blob's name"};
  std::string out;
  std::int64_t next = 0;
  for (std::int64_t before = -1; next != before;) {
    before = next;
    const auto asked = connection_.ask(
        read_parts, Values().text(name).integer(next).integer(next + parts_at_once), [&](Row row) {
          Columns columns(row);
          const bool in_order = columns.integer() == next++;
          out += columns.bytes();
          return columns.fit() && in_order && out.size() <= home::max_blob_bytes;
        });
    if (!asked) return asked.error();
    if (next - before < parts_at_once) break;
  }
  if (next == 0)
    return Failure{Failure::Kind::gone, "blob " + name + " is not there", {}, {}, true};
  if (sha256_hex(out) != name)
    return Failure{Failure::Kind::damaged, "blob " + name + " was changed; it is not shown"};
  return out;
}

}  // namespace skein::store::postgres
