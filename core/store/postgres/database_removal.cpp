// What is removed from a database: sessions in its trash, and a text from all rows of the user.
// What the database keeps besides its rows is out of reach, and is named. Blobs are here as well.

#include "core/store/files/named_files.h"
#include "core/store/home/blobs.h"
#include "core/store/home/maintenance/scrub.h"
#include "core/store/postgres/connection.h"
#include "core/store/postgres/database_backend.h"
#include "core/store/postgres/schema.h"
#include "core/store/postgres/transcript_rows.h"
#include "core/store/session_name.h"
#include "core/text/checksum.h"

namespace skein::store::postgres {

using home::maintenance::FileScrubber, home::maintenance::Scrubbed, home::maintenance::ScrubWish;

namespace {

constexpr const char* out_of_reach =
    "the database may still hold the text where SQL does not reach: in rows that are not vacuumed "
    "yet, its write-ahead log, standbys and backups; its administrator can remove it there";

// All that we see, also what is in the trash.
constexpr Statement list_all{"", R"(
  select id, key, owner = current_user from skein.session order by id)"};
constexpr Statement read_any{"", R"(
  select id, key, record, bytes, last_crc, archived, edition from skein.session where id = $1)"};
constexpr Statement read_stretch{"read_stretch", R"(
  select at, line from skein.line where session = $1 and at >= $2 order by at limit 500)"};
constexpr Statement list_blobs{"", R"(
  select distinct name from skein.blob where owner = current_user order by name)"};
constexpr Statement remove_blob{"", R"(
  delete from skein.blob where owner = current_user and name = $1)"};

struct OneOfAll {
  Id session{};
  std::string key{};
  bool ours = false;
};

// One run over a database.
class DatabaseScrubber {
 public:
  DatabaseScrubber(Connection& connection, const model::Scrubbing& what, Scrubbed& report)
      : connection_(connection), what_(what), report_(report) {}

  Result<std::vector<OneOfAll>> sessions() {
    std::vector<OneOfAll> out;
    TRY(connection_.ask(list_all, {}, [&](Columns& columns) {
      OneOfAll one{columns.id(), std::string(columns.text()), columns.truth()};
      out.push_back(std::move(one));
    }));
    return out;
  }

  void session(const OneOfAll& one) {
    constexpr int most_tries = 5;  // others may write to it
    for (int tries = 0; tries < most_tries; ++tries) {
      const Result<bool> done = rewrite(one);
      if (!done) return unreached(one, done.error().text);
      if (*done) return;
    }
    unreached(one, "other processes keep writing to it");
  }

  // Whether each holds it is known only once it has been read.
  void blobs(DatabaseBackend& backend) {
    std::vector<std::string> names;
    const auto asked = connection_.ask(
        list_blobs, {}, [&](Columns& columns) { names.emplace_back(columns.text()); });
    if (!asked) return report_.unreached.push_back("blobs: " + asked.error().text);
    for (const std::string& name : names) {
      if (std::ranges::find(what_.blobs, name) == what_.blobs.end()) {
        const Result<std::string> bytes = backend.load_blob(name);
        if (!bytes) report_.unreached.push_back(bytes.error().text);
        if (!bytes || !model::holds(*bytes, what_)) continue;
      }
      if (const auto removed = connection_.ask(remove_blob, SqlValues().text(name)); !removed)
        report_.unreached.push_back("blob " + name + ": " + removed.error().text);
      else
        report_.changed.push_back("blob " + name +
                                  ": removed; entries that refer to it show that it is gone");
    }
  }

 private:
  void unreached(const OneOfAll& one, const std::string& why) {
    report_.unreached.push_back("session " + one.key + ": " + why);
  }

  // All of its lines as a file; `damaged` if some are missing.
  Result<void> fetch(const OneOfAll& one, const SessionRow& row, files::Files& to,
                     const std::string& path) {
    std::string text;
    for (std::size_t before = 1; text.size() != before;) {
      before = text.size();
      bool fits = true;
      TRY(connection_.ask(
          read_stretch, SqlValues().id(one.session).integer(text.size()), [&](Columns& columns) {
            fits = fits && static_cast<std::size_t>(columns.integer()) == text.size();
            text.append(columns.bytes()).append("\n");
          }));
      if (!fits) break;
    }
    if (text.size() != row.bytes)
      return Failure{Failure::Kind::damaged,
                     "lines of it are missing, or another process is writing to it"};
    return files::replace_file(to, path, text);
  }

  // False: it was written to since it was read.
  Result<bool> rewrite(const OneOfAll& one) {
    std::optional<SessionRow> row;
    TRY(connection_.ask(read_any, SqlValues().id(one.session),
                        [&](Columns& columns) { row = read_session_row(columns); }));
    if (!row) return true;  // gone by now
    const std::unique_ptr<files::Files> memory = files::memory_files();
    memory->make_folder("transcripts");
    const std::string path = log::transcript_path(one.session);
    TRY(fetch(one, *row, *memory, path));
    Scrubbed found;
    FileScrubber(*memory, what_, found).transcript(one.session, path, one.key);
    if (!found.unreached.empty()) return Failure{Failure::Kind::io, listed(found.unreached, "; ")};
    if (!found.changed.empty()) {
      if (!one.ours) return Failure{Failure::Kind::read_only, "it belongs to another user"};
      log::LogReader lines(*memory, one.session, path);
      TRY(lines.refresh());
      const Result<bool> replaced = replace_lines(connection_, *row, lines);
      if (!replaced || !*replaced) return replaced;
    }
    for (const std::string& each : found.changed)
      report_.changed.push_back("session " + one.key + each.substr(each.find(':')));
    report_.repeats.insert(report_.repeats.end(), found.repeats.begin(), found.repeats.end());
    report_.summaries.insert(report_.summaries.end(), found.summaries.begin(),
                             found.summaries.end());
    return true;
  }

  Connection& connection_;
  const model::Scrubbing& what_;
  Scrubbed& report_;
};

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

// The session it was asked for comes last, so that a run that is stopped in the middle still knows
// what to look for.
Result<Scrubbed> DatabaseBackend::scrub(Id session, Id entry, const ScrubWish& wish) {
  const auto find = [&](log::LogReader& log) -> Result<StoredEntry> {
    const Position at = TRY(log.locate(entry));
    return log.at(at);
  };
  const StoredEntry target = TRY(read(session, find));
  const model::Scrubbing what = model::scrubbing_of(target.entry, wish.named);
  Scrubbed report;
  DatabaseScrubber scrubber(connection_, what, report);
  const std::vector<OneOfAll> all = TRY(scrubber.sessions());
  const auto own = std::ranges::find(all, session, &OneOfAll::session);
  for (const OneOfAll& one : all)
    if (one.session != session) scrubber.session(one);
  scrubber.blobs(*this);
  if (wish.elsewhere) wish.elsewhere(what, report);
  if (report.unreached.empty() && own != all.end()) scrubber.session(*own);
  open_.clear();
  if (!report.unreached.empty()) return home::maintenance::not_done(report.unreached);
  report.left.emplace_back(out_of_reach);
  return report;
}

Result<void> DatabaseBackend::erase(Id session) {
  const std::uint64_t changed =
      TRY(connection_.ask(throw_away, SqlValues().id(session).integer(now_ms())));
  open_.erase(session);
  if (changed == 0) return Failure{Failure::Kind::gone, described(session) + " no longer exists"};
  return {};
}

Result<std::vector<SessionRow>> DatabaseBackend::trashed_rows() {
  std::vector<SessionRow> out;
  TRY(connection_.ask(list_trash, {}, [&](Columns& columns) {
    out.push_back(read_session_row(columns));
    out.back().thrown_away_ms = columns.integer();
  }));
  return out;
}

Result<std::vector<TrashedSession>> DatabaseBackend::trash() {
  std::vector<TrashedSession> out;
  const std::vector<SessionRow> rows = TRY(trashed_rows());
  for (const SessionRow& row : rows) {
    TrashedSession one{.key = row.key,
                       .session = row.session,
                       .thrown_away_ms = row.thrown_away_ms,
                       .bytes = row.bytes};
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
  const std::vector<SessionRow> rows = TRY(trashed_rows());
  for (const SessionRow& row : rows) {
    const std::optional<log::LogMemory> memory = parse_record(row);
    if (!means(name, row.key, row.session, memory ? memory->state.title : "")) continue;
    SessionRecord back = TRY(bring_back(row));
    // Those that work for it come back with it.
    for (const SessionRow& other : rows)
      if (const std::optional<log::LogMemory> its = parse_record(other);
          its && works_for(its->header, other.key, row.session))
        TRY(bring_back(other));
    return back;
  }
  return Failure{Failure::Kind::gone, "nothing in the trash is called '" + std::string(name) + "'"};
}

// Its key may have been taken while it was away: then it gets another, and the transcript says so.
Result<SessionRecord> DatabaseBackend::bring_back(const SessionRow& row) {
  constexpr int most_numbers = 1000;
  for (int number = 1; number < most_numbers; ++number) {
    const std::string key = number == 1 ? row.key : row.key + "." + std::to_string(number);
    const StatementOutcome outcome =
        connection_.attempt(bring_back_row, SqlValues().id(row.session).text(key));
    if (outcome.violates(key_constraint)) continue;
    if (outcome.lost()) {
      TRY(connection_.reconnect());
    } else if (outcome.problem) {
      return connection_.failure_of(outcome.problem);
    }
    // After a lost connection, opening tells whether it came back; if not, nothing has changed.
    if (number > 1) {
      const NewEntry renamed{model::make_entry(payload::Key{key})};
      TRY(append(row.session, std::span(&renamed, 1), {}));
    }
    return open(row.session);
  }
  return Failure{Failure::Kind::refused, "too many sessions are called " + row.key};
}

Result<EmptiedTrash> DatabaseBackend::empty_trash() {
  EmptiedTrash out;
  TRY(connection_.ask(empty_all, {}, [&](Columns& columns) {
    ++out.sessions;
    out.bytes += static_cast<std::uint64_t>(columns.integer());
  }));
  return out;
}

// A part at a time: what a lost connection leaves undone is done again, and until it is whole
// its name is not known.
Result<std::string> DatabaseBackend::keep_blob(std::string_view bytes) {
  if (bytes.size() > home::max_blob_bytes)
    return Failure{Failure::Kind::refused, "a blob cannot be larger than 64 MiB"};
  const std::string name = sha256_hex(bytes);
  for (std::size_t at = 0, part = 0; at < bytes.size() || part == 0; at += blob_part, ++part) {
    TRY(connection_.ask(keep_part,
                        SqlValues().text(name).integer(part).bytes(bytes.substr(at, blob_part))));
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
    TRY(connection_.ask(read_parts,
                        SqlValues().text(name).integer(next).integer(next + parts_at_once),
                        [&](Columns& columns) {
                          const bool in_order = columns.integer() == next++;
                          out += columns.bytes();
                          if (!in_order || out.size() > home::max_blob_bytes) columns.refuse();
                        }));
    if (next - before < parts_at_once) break;
  }
  if (next == 0)
    return Failure{Failure::Kind::gone, "blob " + name + " does not exist", {}, {}, true};
  if (sha256_hex(out) != name)
    return Failure{Failure::Kind::damaged, "blob " + name + " is damaged; it is not shown"};
  return out;
}

}  // namespace skein::store::postgres
