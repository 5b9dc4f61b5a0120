#include "core/store/home/trash.h"

#include <algorithm>
#include <cstdlib>

#include "core/store/files/named_files.h"
#include "core/store/home/archive.h"
#include "core/store/home/gzip.h"
#include "core/store/session_name.h"

namespace skein::store::home {

namespace {

constexpr std::int64_t latest_time = 10'000'000'000'000;  // beyond that, it is no time of ours

// <session id>.<time>.jsonl
std::int64_t time_of_trashed(const std::string& file) {
  return std::strtoll(file.c_str() + std::min<std::size_t>(file.size(), 17), nullptr, 10);
}

Result<void> take_out(files::Files& files, const std::string& file, Id session) {
  const std::string place = is_packed(file) ? archive_path(session) : log::transcript_path(session);
  return files::move_file(files, "trash/" + file, place, "restoring from the trash");
}

Result<SessionRecord> settle_restored(Home& home, IndexChange& change, Id session) {
  Result<Transcript*> found = home.transcript(session);
  if (!found) return found.error();
  const std::string own = effective_key((*found)->memory());
  const Result<Index*> index = change.settle();
  if (!index) return index.error();
  const std::string key = free_key(**index, session, own);
  if (key != own) {
    if (const auto done = unarchive_locked(home, change, session); !done) return done.error();
    found = home.transcript(session);
    if (!found) return found.error();
    const NewEntry renamed{model::make_entry(payload::Key{key})};
    const auto appended = (*found)->log->append(std::span(&renamed, 1), {});
    if (!appended) return appended.error();
  }
  const Transcript& transcript = **found;
  if (const auto done = change.settle(); !done) return done.error();
  (*index)->sessions[session] = {transcript.memory(), transcript.archived(), key};
  settle_keys(**index);  // while it had no key of its own yet, it may have been given another's
  (void)change.save_moved();
  return home.record_of(transcript);
}

// Those that work for a session come back with it.
Result<void> restore_children(Home& home, IndexChange& change, Id parent,
                              const std::vector<std::string>& trashed) {
  files::Files& files = home.files();
  for (const std::string& file : trashed) {
    const std::optional<Id> session = session_of_trashed(file);
    if (!session || *session == parent) continue;
    if (const Result<Transcript> opened = open_transcript(files, *session, "trash/" + file);
        !opened || !works_for(opened->memory().header, effective_key(opened->memory()), parent) ||
        transcript_place(files, *session).stat)
      continue;
    if (const auto moved = take_out(files, file, *session); !moved) return moved.error();
    if (const auto back = settle_restored(home, change, *session); !back) return back.error();
  }
  return {};
}

}  // namespace

Result<void> move_to_trash(Home& home, Id session) {
  files::Files& files = home.files();
  Result<IndexChange> change = home.index().change();
  if (!change) return change.error();
  if (const auto done = settle_pair(home, *change, session); !done) return done;
  const Result<files::OpenFile> file = home.lock(*change, session);
  if (!file) return file.error();
  const Result<std::vector<std::string>> names = files::list(files, "trash");
  if (!names) return names.error();
  // Later than all that was thrown away before, whatever the clock says: the last one comes back
  // first.
  std::int64_t time = now_ms();
  for (const std::string& name : *names)
    if (session_of_trashed(name) && time_of_trashed(name) < latest_time)
      time = std::max(time, time_of_trashed(name) + 1);
  const std::string place = transcript_place(files, session).path;
  const std::string trashed = "trash/" + to_string(session) + "." + std::to_string(time) +
                              (is_packed(place) ? ".jsonl.gz" : ".jsonl");
  const std::string doing = "moving " + described(session) + " to the trash";
  if (const auto done = files::move_file(files, place, trashed, doing); !done) return done;
  home.forget(session);
  const Result<Index*> index = change->settle();
  if (!index) return index.error();
  (*index)->sessions.erase(session);
  (void)change->save_moved();
  return {};
}

Result<SessionRecord> restore_from_trash(Home& home, std::string_view name) {
  files::Files& files = home.files();
  Result<IndexChange> change = home.index().change();
  if (!change) return change.error();
  Result<std::vector<std::string>> names = files::list(files, "trash");
  if (!names) return names.error();
  std::ranges::sort(*names, std::greater{}, time_of_trashed);
  for (const std::string& file : *names) {
    const std::optional<Id> session = session_of_trashed(file);
    if (!session) continue;
    const Result<Transcript> opened = open_transcript(files, *session, "trash/" + file);
    const bool meant =
        opened ? means(name, effective_key(opened->memory()), *session, opened->log->state().title)
               : means(name, "", *session, "");
    if (!meant) continue;
    if (transcript_place(files, *session).stat)
      return Failure{Failure::Kind::refused,
                     described(*session) + " is there already; nothing was restored"};
    if (const auto moved = take_out(files, file, *session); !moved) return moved.error();
    Result<SessionRecord> back = settle_restored(home, *change, *session);
    if (!back) return back;
    if (const auto done = restore_children(home, *change, *session, *names); !done)
      return done.error();
    return back;
  }
  return Failure{Failure::Kind::gone, "nothing in the trash is called '" + std::string(name) + "'"};
}

Result<std::vector<TrashedSession>> list_trash(Home& home) {
  files::Files& files = home.files();
  Result<std::vector<std::string>> names = files::list(files, "trash");
  if (!names) return names.error();
  std::ranges::sort(*names, std::greater{}, time_of_trashed);
  std::vector<TrashedSession> out;
  for (const std::string& file : *names) {
    const std::optional<Id> session = session_of_trashed(file);
    if (!session) continue;
    TrashedSession one{.session = *session, .thrown_away_ms = time_of_trashed(file)};
    if (const auto stat = files::stat(files, "trash/" + file)) one.bytes = stat->size;
    // One that cannot be read is listed all the same: it can be restored by its id.
    if (const Result<Transcript> opened = open_transcript(files, *session, "trash/" + file)) {
      const log::LogMemory memory = opened->memory();
      one.key = effective_key(memory);
      one.title = memory.state.title;
      one.messages = memory.state.messages;
      one.used_at = used_at(memory.header, memory.state);
    }
    out.push_back(std::move(one));
  }
  return out;
}

Result<EmptiedTrash> empty_trash(Home& home) {
  files::Files& files = home.files();
  const std::string doing = "emptying the trash";
  const Result<IndexChange> change = home.index().change();
  if (!change) return change.error();
  const Result<std::vector<std::string>> names = files::list(files, "trash");
  if (!names) return names.error();
  EmptiedTrash out;
  for (const std::string& name : *names) {
    if (!session_of_trashed(name) && !name.ends_with(".tmp")) continue;
    const auto stat = files::stat(files, "trash/" + name);
    if (const auto done = files::remove(files, "trash/" + name, doing); !done) return done.error();
    out.sessions += session_of_trashed(name) ? 1 : 0;
    out.bytes += stat ? stat->size : 0;
  }
  if (const auto done = files::sync_folder(files, "trash", doing); !done) return done.error();
  return out;
}

}  // namespace skein::store::home
