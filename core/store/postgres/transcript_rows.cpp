#include "core/store/postgres/transcript_rows.h"

#include "core/store/blob_names.h"
#include "core/store/home/index/index_text.h"
#include "core/store/postgres/schema.h"

namespace skein::store::postgres {

namespace {

constexpr std::size_t most_lines = 2000, most_bytes = 4u << 20;  // in one statement

constexpr Statement begin_entering{"", "begin"}, commit_entering{"", "commit"},
    roll_back{"", "rollback"};

constexpr Statement insert_session{"insert_session", R"(
  insert into skein.session (id, key, cwd, used, record, bytes, last_crc, project)
  values ($1, $2, $3, $4, $5, $6, $7, $8))"};

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

struct EnterAttempt {
  StatementOutcome outcome{};
  std::optional<Failure> unreadable{};  // the transcript
};

// All lines of a transcript, as many in a statement as are enough, and the commit.
EnterAttempt send_lines(Connection& connection, Id session, log::LogReader& transcript) {
  std::vector<std::int64_t> places, ids;
  std::vector<std::string> lines;
  std::size_t bytes = 0;
  StatementOutcome outcome;
  const auto send = [&] {
    if (lines.empty()) return true;
    std::set<std::string> blobs;
    for (const std::string& line : lines) blobs.merge(blob_names_in(line));
    const std::vector<std::string_view> names(blobs.begin(), blobs.end()),
        texts(lines.begin(), lines.end());
    outcome = connection.attempt(
        insert_lines,
        SqlValues().id(session).integers(places).integers(ids).byte_strings(texts).texts(names));
    places.clear();
    ids.clear();
    lines.clear();
    bytes = 0;
    return !outcome.problem;
  };
  const auto read = transcript.each_line([&](const log::ScannedLine& found) {
    places.push_back(static_cast<std::int64_t>(found.begin));
    ids.push_back(static_cast<std::int64_t>(found.facts().id.value));
    bytes += lines.emplace_back(found.text).size();
    return (lines.size() < most_lines && bytes < most_bytes) || send();
  });
  if (!read) return {{}, read.error()};
  if (outcome.problem || !send()) return {outcome};
  return {connection.attempt(commit_entering, {})};
}

EnterAttempt try_to_enter(Connection& connection, const log::LogMemory& memory,
                          const std::string& key, log::LogReader& lines) {
  if (StatementOutcome begun = connection.attempt(begin_entering, {}); begun.problem)
    return {begun};
  const std::string record = print_record(memory, key), cwd = valid_utf8(memory.header.cwd),
                    project = valid_utf8(memory.header.project);
  StatementOutcome outcome = connection.attempt(
      insert_session, SqlValues()
                          .id(memory.header.session)
                          .text(key)
                          .text(cwd)
                          .integer(time_number(used_at(memory.header, memory.state)))
                          .text(record)
                          .integer(memory.end)
                          .integer(memory.last_crc)
                          .text(project));
  if (outcome.problem) return {outcome};
  return send_lines(connection, memory.header.session, lines);
}

// Whether a try whose connection was lost has been committed. The id is random: no other process
// made it.
Result<bool> is_entered(Connection& connection, const log::LogMemory& memory) {
  bool there = false;
  TRY(connection.ask(session_size, SqlValues().id(memory.header.session), [&](Columns& columns) {
    there = static_cast<std::uint64_t>(columns.integer()) >= memory.end;
  }));
  return there;
}

constexpr std::uint64_t one_stretch = 256u << 10, next_stretch = 1u << 20;

// The line `$2` is in, and those that begin between it and `$3`. In two parts, so that both are
// found by the index: under row level security a place that is looked up first is not.
constexpr Statement read_lines{"read_lines", R"(
  select at, line from (
    (select at, line from skein.line where session = $1 and at <= $2 order by at desc limit 1)
    union all
    (select at, line from skein.line where session = $1 and at > $2 and at < $3)) as l
   order by at)"};

}  // namespace

Result<Entered> enter_session(Connection& connection, const std::string& key,
                              log::LogReader& lines) {
  const log::LogMemory memory = lines.memory();
  for (int tries = 0;; ++tries) {
    const EnterAttempt attempt = try_to_enter(connection, memory, key, lines);
    const StatementOutcome& outcome = attempt.outcome;
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
    TRY(connection.reconnect());
    if (const Result<bool> there = is_entered(connection, memory); !there || *there)
      return there ? Result<Entered>(Entered::now) : there.error();
  }
}

Result<bool> replace_lines(Connection& connection, const SessionRow& row, log::LogReader& lines) {
  const auto failed = [&](const StatementOutcome& outcome) {
    if (!outcome.lost()) (void)connection.attempt(roll_back, {});
    return connection.failure_of(outcome.problem);
  };
  const log::LogMemory memory = lines.memory();
  const std::string record = print_record(memory, row.key);
  if (const StatementOutcome begun = connection.attempt(begin_entering, {}); begun.problem)
    return failed(begun);
  const StatementOutcome changed = connection.attempt(change_session, SqlValues()
                                                                          .id(row.session)
                                                                          .integer(row.bytes)
                                                                          .integer(row.last_crc)
                                                                          .integer(memory.end)
                                                                          .integer(memory.last_crc)
                                                                          .text(record));
  if (changed.problem) return failed(changed);
  if (changed.changed == 0) {
    (void)connection.attempt(roll_back, {});
    return false;
  }
  for (const Statement& step : {announce_scrub, remove_lines})
    if (const StatementOutcome done = connection.attempt(step, SqlValues().id(row.session));
        done.problem)
      return failed(done);
  const EnterAttempt sent = send_lines(connection, row.session, lines);
  if (sent.unreadable) {
    (void)connection.attempt(roll_back, {});
    return *sent.unreadable;
  }
  if (sent.outcome.problem) return failed(sent.outcome);
  return true;
}

std::int64_t time_number(std::string_view timestamp) {
  return static_cast<std::int64_t>(home::digits_of(timestamp));
}

std::string print_record(const log::LogMemory& memory, const std::string& key) {
  home::Index index;
  index.sessions[memory.header.session] = {memory, false, key};
  return home::print_index(index);
}

std::optional<log::LogMemory> parse_record(const SessionRow& row) {
  std::optional<home::Index> index = home::parse_index(row.record);
  if (!index || index->sessions.size() != 1) return std::nullopt;
  log::LogMemory& memory = index->sessions.begin()->second.memory;
  if (memory.header.session != row.session || memory.end != row.bytes ||
      memory.last_crc != row.last_crc)
    return std::nullopt;
  memory.stat = {.size = row.bytes, .inode = row.edition};
  return std::move(memory);
}

SessionRow read_session_row(Columns& columns) {
  SessionRow out{.session = columns.id(),
                 .key = std::string(columns.text()),
                 .record = std::string(columns.text()),
                 .bytes = static_cast<std::uint64_t>(columns.integer()),
                 .last_crc = static_cast<std::uint32_t>(columns.integer()),
                 .archived = columns.truth(),
                 .edition = static_cast<std::uint64_t>(columns.integer())};
  // More than fits any disk: then sums of places could overflow.
  constexpr std::uint64_t largest_transcript = std::uint64_t{1} << 60;
  if (out.bytes > largest_transcript) columns.refuse();
  return out;
}

int TranscriptRows::write_refused() const { return -EROFS; }

int TranscriptRows::fetch_row() {
  std::optional<SessionRow> found;
  const auto asked = connection_.ask(find_session, SqlValues().id(session_), [&](Columns& columns) {
    found = read_session_row(columns);
    if (found->session != session_) columns.refuse();
  });
  if (!asked) {
    failure_ = asked.error();
    return -EIO;
  }
  if (!found) return -ENOENT;
  if (found->edition != row_.edition) stretch_.clear();
  row_ = *std::move(found);
  return 0;
}

int TranscriptRows::open(const std::string&, files::OpenAs) {
  return row_.bytes > 0 ? 0 : fetch_row();
}

// Lines are only ever added to an edition, so that and the size tell one version from another.
int TranscriptRows::stat(Handle, files::FileStat& out) {
  out = {.size = row_.bytes, .inode = row_.edition};
  return 0;
}

int TranscriptRows::stat_path(const std::string&, files::FileStat& out) {
  if (!std::exchange(ahead_, false))
    if (const int failed = fetch_row(); failed != 0) return failed;
  return stat(0, out);
}

std::int64_t TranscriptRows::read(Handle, char* to, std::size_t count, std::uint64_t at) {
  if (at >= row_.bytes) return 0;
  const auto kept = [&] { return at >= begin_ && at < begin_ + stretch_.size(); };
  if (!kept()) {
    const bool goes_on = at == begin_ + stretch_.size() && !stretch_.empty();
    const std::uint64_t most = std::min<std::uint64_t>(count < one_stretch ? count
                                                       : goes_on           ? next_stretch
                                                                           : one_stretch,
                                                       row_.bytes - at);
    if (const int failed = fetch(at, at + most); failed != 0) return failed;
    if (!kept()) return 0;
  }
  const std::size_t from = static_cast<std::size_t>(at - begin_);
  const std::size_t got =
      std::min({count, stretch_.size() - from, static_cast<std::size_t>(row_.bytes - at)});
  std::memcpy(to, stretch_.data() + from, got);
  return static_cast<std::int64_t>(got);
}

int TranscriptRows::fetch(std::uint64_t from, std::uint64_t to) {
  std::string stretch;
  std::optional<std::uint64_t> begin;
  const auto asked = connection_.ask(
      read_lines, SqlValues().id(session_).integer(from).integer(to), [&](Columns& columns) {
        const std::uint64_t at = static_cast<std::uint64_t>(columns.integer());
        const std::string_view line = columns.bytes();
        if (at >= to || line.size() > log::max_line_bytes) return columns.refuse();
        if (!begin && at + line.size() < from) return;  // the one at `from` is gone
        if (!begin) begin = std::min(at, from);
        const std::uint64_t end = *begin + stretch.size();
        if (at < end) return columns.refuse();
        // Where lines are missing something must stand; blanks are no line.
        stretch.append(static_cast<std::size_t>(at - end), ' ');
        stretch.append(line).append("\n");
        if (stretch.size() > largest_answer) columns.refuse();
      });
  if (!asked) {
    failure_ = asked.error();
    return -EIO;
  }
  begin_ = begin.value_or(from);
  if (begin_ + stretch.size() < to)
    stretch.append(static_cast<std::size_t>(to - begin_ - stretch.size()), ' ');
  stretch_ = std::move(stretch);
  return 0;
}

}  // namespace skein::store::postgres
