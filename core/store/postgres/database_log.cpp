#include "core/store/postgres/database_log.h"

#include "core/store/blob_names.h"
#include "core/store/postgres/schema.h"

namespace skein::store::postgres {

namespace {

// Each try is lost to another's append that was not. Of two that write as fast as they can,
// the one further from the server loses most of the time; no conversation is like that for so long.
constexpr std::chrono::seconds patience{30};

// One statement, so that it is there whole or not at all. A process that waits for another's commit
// sees that the session is longer than it was, and writes nothing. `$7` is sent to those who
// follow; the blobs that the lines name become readable for those who may read the session.
constexpr Statement append_rows{"append_lines", R"(
  with s as (
    update skein.session set bytes = $3, last_crc = $4, record = $5, used = $6, key = $8, archived = false
     where id = $1 and bytes = $2 and last_crc = $13 and deleted is null returning id),
  b as (
    insert into skein.blob_use (session, name)
    select s.id, n from s, unnest($12::text[]) as n
     where exists (select from skein.blob where blob.owner = current_user and blob.name = n)
        on conflict do nothing)
  insert into skein.line (session, at, entry, line)
  select s.id, e.at, e.entry, e.line
    from s, unnest($9::bigint[], $10::bigint[], $11::bytea[]) as e (at, entry, line)
  returning pg_notify('skein', $7) is null)"};

// As much of each line as says its type.
constexpr Statement find_entries{"find_entries", R"(
  select entry, at, substring(line from 1 for 160) from skein.line
   where session = $1 and entry = any($2::bigint[]))"};

constexpr Statement find_lines{"find_lines", R"(
  select count(*) from skein.line join unnest($2::bigint[], $3::bytea[]) as e (at, line)
    on line.at = e.at and line.line = e.line where session = $1)"};

bool says_marginal(std::string_view line_start) {
  constexpr std::string_view opening = R"("type":")";
  const std::size_t at = line_start.find(opening);
  if (at == std::string_view::npos) return false;
  const std::string_view type = line_start.substr(at + opening.size());
  return model::is_marginal(type.substr(0, type.find('"')));
}

std::vector<std::string_view> lines_in(std::string_view bytes) {
  std::vector<std::string_view> out;
  while (!bytes.empty()) {
    out.push_back(bytes.substr(0, bytes.find('\n')));
    bytes.remove_prefix(out.back().size() + 1);
  }
  return out;
}

Failure too_many_tries(Id session) {
  return {Failure::Kind::busy,
          described(session) + " is being written to by other processes; try again"};
}

}  // namespace

Result<void> DatabaseLog::bring_up_to_date() {
  if (stat_.inode != 0) return refresh();
  // What is wrong comes to light again in a moment, with a sentence.
  const bool there = rows_.look_ahead();
  const std::optional<log::LogMemory> memory = there ? parse_record(rows_.row()) : std::nullopt;
  return refresh(memory ? &*memory : nullptr);
}

Result<void> DatabaseLog::look_up(std::span<const Id> ids) {
  std::vector<std::int64_t> wanted;
  for (const Id id : ids)
    if (!places_.contains(id)) wanted.push_back(static_cast<std::int64_t>(id.value));
  if (wanted.empty()) return {};
  const auto asked = connection_.ask(
      find_entries, SqlValues().id(session_).integers(wanted), [&](Columns& columns) {
        const Id id = columns.id();
        const Position at = static_cast<Position>(columns.integer());
        places_.emplace(id, Place{at, says_marginal(columns.bytes())});
      });
  return asked ? Result<void>{} : asked.error();
}

Result<Position> DatabaseLog::locate(Id entry) {
  if (entry == state_.head && state_.head_at != 0) return state_.head_at;
  TRY(look_up(std::span(&entry, 1)));
  const auto found = places_.find(entry);
  if (found == places_.end())
    return Failure{Failure::Kind::gone, "no entry '" + to_string(entry) + "' in this session"};
  if (entry == state_.head) state_.head_at = found->second.at;
  return found->second.at;
}

// Every line is one that seal_batch wrote, or was checked.
DatabaseLog::Draft DatabaseLog::draft(std::vector<std::string_view> lines) const {
  Draft draft;
  draft.after = memory();
  log::LogMemory& after = draft.after;
  for (const std::string_view text : lines) {
    const log::Line line = log::read_line(text).value();
    model::fold(after.state,
                {line.id, line.parent, line.type, line.timestamp, line.body, after.end});
    draft.places.push_back(static_cast<std::int64_t>(after.end));
    draft.ids.push_back(static_cast<std::int64_t>(line.id.value));
    draft.marginal.push_back(model::is_marginal(line.type));
    after.end += text.size() + 1;
    after.last_crc = line.seal.crc;
  }
  draft.lines = std::move(lines);
  after.stat.size = after.end;
  // Whatever key it has been given here, it keeps, until its own says another.
  const std::string own = home::effective_key(memory()), next = home::effective_key(after);
  draft.key = own == next ? rows_.row().key : next;
  draft.record = print_record(after, draft.key);
  return draft;
}

StatementOutcome DatabaseLog::send(const Draft& draft) {
  const log::LogMemory& after = draft.after;
  const std::string news = to_string(session_) + " " + std::to_string(after.end);
  SqlValues values;
  values.id(session_)
      .integer(end_)
      .integer(after.end)
      .integer(after.last_crc)
      .text(draft.record)
      .integer(time_number(used_at(after.header, after.state)))
      .text(news)
      .text(draft.key)
      .integers(draft.places)
      .integers(draft.ids)
      .byte_strings(draft.lines);
  std::set<std::string> blobs;
  for (const std::string_view line : draft.lines) blobs.merge(blob_names_in(line));
  const std::vector<std::string_view> names(blobs.begin(), blobs.end());
  return connection_.attempt(append_rows, values.texts(names).integer(last_crc_));
}

void DatabaseLog::take(Draft draft) {
  for (std::size_t i = 0; i < draft.ids.size(); ++i)
    places_.emplace(Id{static_cast<std::uint64_t>(draft.ids[i])},
                    Place{static_cast<Position>(draft.places[i]), draft.marginal[i]});
  state_ = std::move(draft.after.state);
  end_ = stat_.size = draft.after.end;
  last_crc_ = draft.after.last_crc;
  rows_.set_row(
      {session_, draft.key, std::move(draft.record), end_, last_crc_, false, rows_.row().edition});
}

// Whether a batch whose fate was not known was written, byte for byte. It is one statement: there
// is no half of it.
Result<bool> DatabaseLog::is_there(const Draft& draft) {
  std::int64_t found = 0;
  TRY(connection_.ask(find_lines,
                      SqlValues().id(session_).integers(draft.places).byte_strings(draft.lines),
                      [&](Columns& columns) { found = columns.integer(); }));
  if (found != 0 && found != static_cast<std::int64_t>(draft.lines.size()))
    return Failure{Failure::Kind::damaged, described(session_) + " has only a part of a batch"};
  return found != 0;
}

Result<bool> DatabaseLog::write(const Draft& draft) {
  const StatementOutcome outcome = send(draft);
  if (!outcome.problem) return outcome.changed == draft.lines.size();
  if (outcome.violates(entry_constraint)) return false;
  if (!outcome.lost()) return connection_.failure_of(outcome.problem);
  TRY(connection_.reconnect());
  return is_there(draft);
}

Result<AppendResult> DatabaseLog::append(std::span<const NewEntry> entries,
                                         const AppendOptions& options) {
  std::vector<Id> ids;
  for (const NewEntry& each : entries) ids.push_back(each.entry.id);
  // First with what is known here: the statement itself notices if that is old.
  const auto end = std::chrono::steady_clock::now() + patience;
  for (int tries = stat_.inode != 0 ? 0 : 1;; ++tries) {
    if (tries > 1 && std::chrono::steady_clock::now() > end) return too_many_tries(session_);
    if (tries > 0) {
      TRY(bring_up_to_date());
      TRY(look_up(ids));
    }
    TRY(writable());
    Result<std::vector<Entry>> batch = resolve(entries);
    if (!batch && tries == 0) continue;
    if (!batch) return batch.error();
    AppendResult result{session_, std::nullopt, batch->size(), {}};
    if (!entries.empty()) result.last = entries.back().entry.id;
    if (batch->empty()) return result;
    if (options.expected_tail && options.expected_tail != tail()) {
      if (tries == 0) continue;
      return conflict(*options.expected_tail);
    }
    const log::SealedBatch sealed = TRY(log::seal_batch(*batch, seed_, last_crc_));
    Draft next = draft(lines_in(sealed.bytes));
    const bool written = TRY(write(next));
    if (!written) continue;
    take(std::move(next));
    result.entries = *std::move(batch);
    return result;
  }
}

Result<void> DatabaseLog::append_lines(Position end, std::span<const std::string> lines) {
  TRY(bring_up_to_date());
  TRY(writable());
  TRY(check_lines(end, lines));
  Draft next = draft({lines.begin(), lines.end()});
  const bool written = TRY(write(next));
  if (!written)
    return Failure{Failure::Kind::conflict,
                   described(session_) + " was continued by another process"};
  take(std::move(next));
  return {};
}

}  // namespace skein::store::postgres
