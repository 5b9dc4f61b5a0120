#include "core/store/postgres/new_session.h"

#include <set>
#include <string>
#include <vector>

#include "core/store/blob_names.h"
#include "core/store/postgres/schema.h"
#include "core/store/postgres/transcript_rows.h"
#include "core/store/postgres/values.h"

namespace skein::store::postgres {

namespace {

constexpr std::size_t most_lines = 2000, most_bytes = 4u << 20;  // in one statement

constexpr Statement begin_entering{"", "begin"}, commit_entering{"", "commit"},
    roll_back{"", "rollback"};

constexpr Statement insert_session{"insert_session", R"(
  insert into skein.session (id, key, cwd, used, record, bytes, last_crc, archived, project)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9))"};

constexpr Statement insert_lines{"insert_lines", R"(
  with b as (
    insert into skein.blob_use (session, name) select $1, n from unnest($5::text[]) as n
     where exists (select from skein.blob where blob.owner = current_user and blob.name = n)
        on conflict do nothing)
  insert into skein.line (session, at, entry, line)
  select $1, e.at, e.entry, e.line
    from unnest($2::bigint[], $3::bigint[], $4::bytea[]) as e (at, entry, line))"};

constexpr Statement change_session{"", R"(
  update skein.session set bytes = $4, last_crc = $5, record = $6, edition = edition + 1
   where id = $1 and bytes = $2 and last_crc = $3)"};
constexpr Statement announce_scrub{"", "select set_config('skein.scrubs', $1::bigint::text, true)"};
constexpr Statement remove_lines{"", "delete from skein.line where session = $1"};

constexpr Statement session_size{
    "session_size", "select bytes from skein.session where id = $1 and deleted is null"};

// Lines on their way, until there are enough for a statement.
class LineSender {
 public:
  LineSender(Connection& connection, Id session) : connection_(connection), session_(session) {}

  bool add(const log::ScannedLine& found) {
    places_.push_back(static_cast<std::int64_t>(found.begin));
    ids_.push_back(static_cast<std::int64_t>(found.facts().id.value));
    bytes_ += lines_.emplace_back(found.text).size();
    return (lines_.size() < most_lines && bytes_ < most_bytes) || send();
  }

  bool send() {
    if (lines_.empty()) return true;
    std::set<std::string> blobs;
    for (const std::string& line : lines_) blobs.merge(blob_names_in(line));
    const std::vector<std::string_view> names(blobs.begin(), blobs.end()),
        lines(lines_.begin(), lines_.end());
    outcome_ = connection_.attempt(
        insert_lines,
        Values().id(session_).integers(places_).integers(ids_).byte_strings(lines).texts(names));
    places_.clear();
    ids_.clear();
    lines_.clear();
    bytes_ = 0;
    return !outcome_.problem;
  }

  const Outcome& outcome() const { return outcome_; }

 private:
  Connection& connection_;
  const Id session_;
  std::vector<std::int64_t> places_{}, ids_{};
  std::vector<std::string> lines_{};
  std::size_t bytes_ = 0;
  Outcome outcome_{};
};

struct Attempt {
  Outcome outcome{};
  std::optional<Failure> unreadable{};  // the transcript
};

Attempt try_to_enter(Connection& connection, const log::LogMemory& memory, const std::string& key,
                     bool archived, log::LogReader& lines) {
  if (Outcome begun = connection.attempt(begin_entering, {}); begun.problem) return {begun};
  const std::string record = print_record(memory, key), cwd = valid_utf8(memory.header.cwd),
                    project = valid_utf8(memory.header.project);
  Outcome outcome = connection.attempt(
      insert_session, Values()
                          .id(memory.header.session)
                          .text(key)
                          .text(cwd)
                          .integer(time_number(used_at(memory.header, memory.state)))
                          .text(record)
                          .integer(static_cast<std::int64_t>(memory.end))
                          .integer(memory.last_crc)
                          .truth(archived)
                          .text(project));
  if (outcome.problem) return {outcome};
  LineSender sender(connection, memory.header.session);
  const auto read =
      lines.each_line([&](const log::ScannedLine& found) { return sender.add(found); });
  if (!read) return {{}, read.error()};
  if (!sender.outcome().problem) sender.send();
  if (sender.outcome().problem) return {sender.outcome()};
  return {connection.attempt(commit_entering, {})};
}

// Whether a try whose connection was lost has been committed. The id is random: nobody else made
// it.
Result<bool> is_entered(Connection& connection, const log::LogMemory& memory) {
  bool there = false;
  const auto asked = connection.ask(session_size, Values().id(memory.header.session), [&](Row row) {
    Columns columns(row);
    there = static_cast<std::uint64_t>(columns.integer()) >= memory.end;
    return columns.fit();
  });
  if (!asked) return asked.error();
  return there;
}

}  // namespace

Result<Entered> enter_session(Connection& connection, const log::LogMemory& memory,
                              const std::string& key, bool archived, log::LogReader& lines) {
  for (int tries = 0;; ++tries) {
    const Attempt attempt = try_to_enter(connection, memory, key, archived, lines);
    const Outcome& outcome = attempt.outcome;
    if (!attempt.unreadable && !outcome.problem) return Entered::now;
    if (!outcome.lost()) {
      (void)connection.attempt(roll_back, {});
      if (attempt.unreadable) return *attempt.unreadable;
      const bool key_taken = outcome.violates(key_constraint);
      if (!key_taken && !outcome.violates(id_constraint))
        return connection.failure_of(outcome.problem);
      // The server may have been about to commit an earlier try when its connection went.
      if (tries > 0)
        if (const Result<bool> there = is_entered(connection, memory); !there || *there)
          return there ? Result<Entered>(Entered::now) : there.error();
      return key_taken ? Entered::key_taken : Entered::id_taken;
    }
    if (tries > 2) return connection.failure_of(outcome.problem);
    if (const auto again = connection.reconnect(); !again) return again.error();
    if (const Result<bool> there = is_entered(connection, memory); !there || *there)
      return there ? Result<Entered>(Entered::now) : there.error();
  }
}

Result<bool> replace_lines(Connection& connection, const SessionRow& row, log::LogReader& lines) {
  const auto failed = [&](const Outcome& outcome) {
    if (!outcome.lost()) (void)connection.attempt(roll_back, {});
    return connection.failure_of(outcome.problem);
  };
  const log::LogMemory memory = lines.memory();
  const std::string record = print_record(memory, row.key);
  if (const Outcome begun = connection.attempt(begin_entering, {}); begun.problem)
    return failed(begun);
  const Outcome changed =
      connection.attempt(change_session, Values()
                                             .id(row.session)
                                             .integer(static_cast<std::int64_t>(row.bytes))
                                             .integer(row.last_crc)
                                             .integer(static_cast<std::int64_t>(memory.end))
                                             .integer(memory.last_crc)
                                             .text(record));
  if (changed.problem) return failed(changed);
  if (changed.changed == 0) {
    (void)connection.attempt(roll_back, {});
    return false;
  }
  for (const Statement& step : {announce_scrub, remove_lines})
    if (const Outcome done = connection.attempt(step, Values().id(row.session)); done.problem)
      return failed(done);
  LineSender sender(connection, row.session);
  const auto read =
      lines.each_line([&](const log::ScannedLine& found) { return sender.add(found); });
  if (!read) {
    (void)connection.attempt(roll_back, {});
    return read.error();
  }
  if (!sender.outcome().problem) sender.send();
  if (sender.outcome().problem) return failed(sender.outcome());
  if (const Outcome done = connection.attempt(commit_entering, {}); done.problem)
    return failed(done);
  return true;
}

}  // namespace skein::store::postgres
