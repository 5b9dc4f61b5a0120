#include "core/store/postgres/database_log.h"

#include <algorithm>
#include <set>

#include "core/store/home/blobs.h"
#include "core/store/postgres/schema.h"
#include "core/store/postgres/values.h"

namespace skein::store::postgres {

namespace {

// Each try is lost to somebody else's append that was not: a session on which so many get in
// between is not one that people talk in.
constexpr int most_tries = 200;

// One statement, so that it is there whole or not at all. Whoever waits for another's commit sees
// that the session is longer than it was, and writes nothing. `$7` is told to those who follow; the
// blobs that the lines name become readable for those who may read the session.
constexpr Statement append_lines{"append_lines", R"(
  with s as (
    update skein.session set bytes = $3, last_crc = $4, record = $5, used = $6, key = $8, archived = false
     where id = $1 and bytes = $2 and deleted is null returning id),
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

Failure too_many_tries(Id session) {
  return {Failure::Kind::busy, described(session) + " is being written to all the time; try again"};
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
  const auto asked =
      connection_.ask(find_entries, Values().id(session_).integers(wanted), [&](Row row) {
        Columns columns(row);
        const Id id = columns.id();
        const Position at = static_cast<Position>(columns.integer());
        places_.emplace(id, Place{at, says_marginal(columns.bytes())});
        return columns.fit();
      });
  return asked ? Result<void>{} : asked.error();
}

Result<Position> DatabaseLog::locate(Id entry) {
  if (entry == state_.head && state_.head_at != 0) return state_.head_at;
  if (const auto asked = look_up(std::span(&entry, 1)); !asked) return asked.error();
  const auto found = places_.find(entry);
  if (found == places_.end())
    return Failure{Failure::Kind::gone, "no entry '" + to_string(entry) + "' in this session"};
  if (entry == state_.head) state_.head_at = found->second.at;
  return found->second.at;
}

Result<std::unique_ptr<DatabaseLog::Draft>> DatabaseLog::draft(std::vector<Entry> batch) {
  auto draft = std::make_unique<Draft>();
  Result<log::SealedBatch> sealed = log::seal_batch(batch, seed_, last_crc_);
  if (!sealed) return sealed.error();
  draft->batch = std::move(batch);
  draft->sealed = *std::move(sealed);
  draft->after = memory();
  std::string_view rest = draft->sealed.bytes;
  for (const Entry& entry : draft->batch) {
    model::fold(draft->after.state, model::facts_of(entry, draft->after.end));
    draft->places.push_back(static_cast<std::int64_t>(draft->after.end));
    draft->ids.push_back(static_cast<std::int64_t>(entry.id.value));
    draft->lines.push_back(rest.substr(0, rest.find('\n')));
    draft->after.end += draft->lines.back().size() + 1;
    rest.remove_prefix(draft->lines.back().size() + 1);
  }
  draft->after.last_crc = draft->sealed.last_crc;
  draft->after.stat.size = draft->after.end;
  // Whatever key it has been given here, it keeps, until its own says another.
  const std::string own = home::effective_key(memory());
  const std::string next = home::effective_key(draft->after);
  draft->key = own == next ? rows_.row().key : next;
  draft->record = print_record(draft->after, draft->key);
  return draft;
}

Outcome DatabaseLog::send(const Draft& draft) {
  const log::LogMemory& after = draft.after;
  const std::string news = to_string(session_) + " " + std::to_string(after.end);
  Values values;
  values.id(session_)
      .integer(static_cast<std::int64_t>(end_))
      .integer(static_cast<std::int64_t>(after.end))
      .integer(after.last_crc)
      .text(draft.record)
      .integer(time_number(used_at(after.header, after.state)))
      .text(news)
      .text(draft.key)
      .integers(draft.places)
      .integers(draft.ids)
      .byte_strings(draft.lines);
  const std::set<std::string> blobs = home::blob_names_in(draft.sealed.bytes);
  const std::vector<std::string_view> names(blobs.begin(), blobs.end());
  return connection_.attempt(append_lines, values.texts(names));
}

void DatabaseLog::take(Draft draft) {
  for (std::size_t i = 0; i < draft.batch.size(); ++i)
    places_.emplace(draft.batch[i].id, Place{static_cast<Position>(draft.places[i]),
                                             model::is_marginal(draft.batch[i].type)});
  state_ = std::move(draft.after.state);
  end_ = stat_.size = draft.after.end;
  last_crc_ = draft.after.last_crc;
  rows_.set_row({session_, draft.key, std::move(draft.record), end_, last_crc_, false});
}

// Whether a batch whose fate was not known was written, byte for byte. It is one statement: there
// is no half of it.
Result<bool> DatabaseLog::is_there(const Draft& draft) {
  std::int64_t found = 0;
  const auto asked = connection_.ask(
      find_lines, Values().id(session_).integers(draft.places).byte_strings(draft.lines),
      [&](Row row) {
        Columns columns(row);
        found = columns.integer();
        return columns.fit();
      });
  if (!asked) return asked.error();
  if (found != 0 && found != static_cast<std::int64_t>(draft.lines.size()))
    return Failure{Failure::Kind::damaged, described(session_) + " has only a part of a batch"};
  return found != 0;
}

Result<AppendResult> DatabaseLog::append(std::span<const NewEntry> entries,
                                         const AppendOptions& options) {
  std::vector<Id> ids;
  for (const NewEntry& each : entries) ids.push_back(each.entry.id);
  // First with what is known here: the statement itself notices if that is old.
  for (int tries = stat_.inode != 0 ? 0 : 1; tries < most_tries; ++tries) {
    if (tries > 0) {
      if (const auto done = bring_up_to_date(); !done) return done.error();
      if (const auto done = look_up(ids); !done) return done.error();
    }
    if (const auto done = writable(); !done) return done.error();
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
    Result<std::unique_ptr<Draft>> drafted = draft(*std::move(batch));
    if (!drafted) return drafted.error();
    Draft& draft = **drafted;
    const Outcome outcome = send(draft);
    bool done = !outcome.problem && outcome.changed == draft.batch.size();
    if (outcome.lost()) {
      if (const auto again = connection_.reconnect(); !again) return again.error();
      const Result<bool> there = is_there(draft);
      if (!there) return there.error();
      done = *there;
    } else if (outcome.problem && !outcome.violates(entry_constraint)) {
      return connection_.failure_of(outcome.problem);
    }
    if (!done) continue;
    result.entries = draft.batch;
    take(std::move(draft));
    return result;
  }
  return too_many_tries(session_);
}

}  // namespace skein::store::postgres
