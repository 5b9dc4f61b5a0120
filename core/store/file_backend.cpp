#include "core/store/file_backend.h"

#include <algorithm>
#include <cerrno>

#include "core/json.h"
#include "core/store/seal.h"

namespace skein {

namespace {

constexpr int lock_patience_ms = 10'000;

std::string name_of(Id session) { return "session " + to_string(session); }

// Across file systems a rename is a copy, synced, and then a removal.
int copy_file(Files& files, const std::string& from, const std::string& to) {
  const int source = files.open(from, OpenAs::reader);
  if (source < 0) return source;
  const OpenFile reader(files, source);
  const std::string temporary = temporary_name(to);
  const int target = files.open(temporary, OpenAs::creator);
  if (target < 0) return target;
  OpenFile writer(files, target);
  std::string block(1u << 20, '\0');
  int failed = 0;
  for (std::uint64_t at = 0; failed == 0;) {
    const std::int64_t got = files.read(source, block.data(), block.size(), at);
    if (got == -EINTR) continue;
    if (got == 0) break;
    failed = got < 0 ? static_cast<int>(got)
                     : write_all(files, target,
                                 std::string_view(block).substr(0, static_cast<std::size_t>(got)));
    at += got > 0 ? static_cast<std::uint64_t>(got) : 0;
  }
  if (failed == 0) failed = files.sync(target);
  writer.reset();
  if (failed == 0) failed = files.rename(temporary, to);
  if (failed < 0) files.remove(temporary);
  return failed;
}

int move_file(Files& files, const std::string& from, const std::string& to) {
  int moved = files.rename(from, to);
  if (moved == -EXDEV) {
    moved = copy_file(files, from, to);
    if (moved == 0) moved = files.sync_folder(parent_folder(to));
    if (moved == 0) moved = files.remove(from);
  }
  if (moved == 0) moved = files.sync_folder(parent_folder(to));
  if (moved == 0) moved = files.sync_folder(parent_folder(from));
  return moved;
}

// A trashed session's file: <session id>.<time>.jsonl
std::optional<Id> id_of_trashed(std::string_view name) {
  if (name.size() < 16 + 1 + 6 || name[16] != '.' || !name.ends_with(".jsonl")) return std::nullopt;
  return parse_id(name.substr(0, 16));
}

}  // namespace

FileBackend::FileBackend(std::unique_ptr<Files> files) : files_(std::move(files)), index_(*files_) {
  for (const char* folder : {"transcripts", "quarantine", "trash"}) {
    const int made = files_->make_folder(folder);
    FileStat stat;
    const std::string name = std::string("the home's folder ") + folder;
    // On a read-only disk what is there can still be read.
    if (const int there = files_->stat_path(folder, stat); there < 0)
      throw Error(failure_from_errno(made < 0 ? made : there, name).text, Trouble::storage);
    if (stat.kind != FileStat::Kind::folder)
      throw Error(failure_from_errno(ELOOP, name).text, Trouble::storage);
  }
}

SessionRecord FileBackend::record_of(const Log& log) {
  const IndexEntry* known = index_.find(log.header().session);
  const bool same = known != nullptr && effective_key(known->memory) == effective_key(log.memory());
  return {same ? known->key : effective_key(log.memory()), log.header(), log.state(), log.bytes()};
}

Outcome<Log*> FileBackend::log_of(Id session) {
  if (const auto open = logs_.find(session); open != logs_.end()) {
    if (auto failed = open->second->refresh()) {
      logs_.erase(open);
      return *failed;
    }
    return open->second.get();
  }
  const IndexEntry* known = index_.find(session);
  auto log = std::make_unique<Log>(*files_, session);
  if (auto failed = log->refresh(known == nullptr ? nullptr : &known->memory)) return *failed;
  return (logs_[session] = std::move(log)).get();
}

Outcome<SessionRecord> FileBackend::open(Id session) {
  const Outcome<Log*> log = log_of(session);
  if (const auto* failed = std::get_if<Failure>(&log)) return *failed;
  return record_of(*std::get<Log*>(log));
}

Outcome<AppendResult> FileBackend::append(Id session, std::span<const NewEntry> entries,
                                          const AppendOptions& options) {
  // Not through log_of: append brings itself up to date, once it holds the lock.
  const auto open = logs_.find(session);
  const Outcome<Log*> log = open != logs_.end() ? open->second.get() : log_of(session);
  if (const auto* failed = std::get_if<Failure>(&log)) return *failed;
  return std::get<Log*>(log)->append(entries, options);
}

std::optional<Failure> FileBackend::load(Id session, Position from,
                                         const std::function<bool(const Placed&)>& each) {
  const Outcome<Log*> log = log_of(session);
  if (const auto* failed = std::get_if<Failure>(&log)) return *failed;
  return std::get<Log*>(log)->each(from, each);
}

std::optional<Failure> FileBackend::load_back(Id session, std::optional<Position> from,
                                              const std::function<bool(const Placed&)>& each) {
  const Outcome<Log*> log = log_of(session);
  if (const auto* failed = std::get_if<Failure>(&log)) return *failed;
  return std::get<Log*>(log)->each_back(from, each);
}

Outcome<Placed> FileBackend::load_at(Id session, Position at) {
  const Outcome<Log*> log = log_of(session);
  if (const auto* failed = std::get_if<Failure>(&log)) return *failed;
  return std::get<Log*>(log)->at(at);
}

std::optional<Position> FileBackend::locate(Id session, Id entry) {
  const Outcome<Log*> log = log_of(session);
  if (std::holds_alternative<Failure>(log)) return std::nullopt;
  return std::get<Log*>(log)->locate(entry);
}

Outcome<Damage> FileBackend::examine(Id session) {
  const Outcome<Log*> log = log_of(session);
  if (const auto* failed = std::get_if<Failure>(&log)) return *failed;
  return std::get<Log*>(log)->examine();
}

std::vector<SessionRecord> FileBackend::list() {
  std::vector<SessionRecord> out;
  for (const auto& [session, entry] : index_.current().sessions)
    out.push_back({entry.key, entry.memory.header, entry.memory.state, entry.memory.stat.size,
                   entry.archived});
  return out;
}

std::vector<StorageBackend::Stray> FileBackend::strays() {
  std::vector<std::string> names;
  files_->list("transcripts", names);
  std::ranges::sort(names);
  std::vector<Stray> out;
  for (const std::string& name : names) {
    const auto id =
        name.ends_with(".jsonl") ? parse_id(name.substr(0, name.size() - 6)) : std::nullopt;
    if (!id) {
      out.push_back({name, name.ends_with(".tmp") ? "left behind by a process that died"
                                                  : "not a name skein gives"});
      continue;
    }
    Log log(*files_, *id);
    if (const auto failed = log.refresh()) out.push_back({name, failed->text});
  }
  return out;
}

std::size_t FileBackend::rebuild_index() {
  OpenFile held;
  if (auto failed = index_.lock(held)) throw Error(failed->text, Trouble::storage);
  index_.forget_all();
  const std::size_t count = index_.current_locked().sessions.size();
  if (const int saved = index_.save(); saved < 0)
    throw Error(failure_from_errno(saved, "sessions.json").text, Trouble::storage);
  return count;
}

void FileBackend::remember(Id session, const std::string& workspace) {
  const auto open = logs_.find(session);
  if (open == logs_.end() || open->second->refresh()) return;
  OpenFile held;
  if (index_.lock(held)) return;
  Index& index = index_.stored();
  IndexEntry& entry = index.sessions[session];
  const std::string known_as = entry.key.empty() ? "" : effective_key(entry.memory);
  HomeIndex::learn(entry, *open->second);
  if (known_as != effective_key(entry.memory)) settle_keys(index);
  index_.save();
  if (!workspace.empty()) index_.set_last_used(workspace, session);
}

std::optional<Id> FileBackend::last_used(const std::string& workspace) {
  return index_.last_used(workspace);
}

// A new transcript is made in a temporary file, so that it is there whole or not at all.
std::optional<Failure> FileBackend::write_new(const SessionHeader& header,
                                              std::span<const NewEntry> entries) {
  const std::string path = transcript_path(header.session), temporary = temporary_name(path);
  const int handle = files_->open(temporary, OpenAs::creator);
  if (handle < 0) return failure_from_errno(handle, "making a session");
  OpenFile file(*files_, handle);
  const Entry first = header_entry(header);
  int failed = write_all(*files_, handle,
                         seal_batch(std::span(&first, 1), seal_seed(header.session), 0).bytes);
  if (failed == 0) failed = files_->sync(handle);
  file.reset();

  std::optional<Failure> refused;
  Log log(*files_, header.session, temporary);
  while (failed == 0 && !refused && !entries.empty()) {
    std::size_t count = 0, bytes = 0;
    while (count < std::min(entries.size(), max_batch_entries) && bytes < max_batch_bytes / 4)
      bytes += entries[count++].entry.payload.size();
    const Outcome<AppendResult> outcome = log.append(entries.first(count), {});
    if (const auto* failure = std::get_if<Failure>(&outcome)) refused = *failure;
    entries = entries.subspan(count);
  }
  if (failed == 0 && !refused) failed = files_->link(temporary, path);
  files_->remove(temporary);
  if (refused) return refused;
  if (failed == 0) failed = files_->sync_folder("transcripts");
  if (failed < 0) return failure_from_errno(failed, "making a session");
  return std::nullopt;
}

Outcome<SessionRecord> FileBackend::create(const SessionHeader& header,
                                           std::span<const NewEntry> entries, bool& made) {
  made = false;
  if (const auto trouble = key_trouble(header.key))
    return Failure{Failure::Kind::refused, *trouble};
  OpenFile held;
  if (auto failed = index_.lock(held)) return *failed;
  Index& index = index_.current_locked();
  for (const auto& [session, entry] : index.sessions)
    if (entry.key == header.key) {
      // Whoever made it may have died before its name was safe.
      if (const int synced = files_->sync_folder("transcripts"); synced < 0)
        return failure_from_errno(synced, name_of(session));
      return open(session);
    }
  // A session that could not be read may have the key.
  if (index_.unreadable()) return *index_.unreadable();

  if (auto failed = write_new(header, entries)) return *failed;
  // Not through log_of: that asks the index, which might be read anew before it is written.
  auto log = std::make_unique<Log>(*files_, header.session);
  if (auto failed = log->refresh()) return *failed;
  made = true;
  index.sessions[header.session] = {log->memory(), false, header.key};
  index_.save_settled();
  return record_of(*(logs_[header.session] = std::move(log)));
}

std::optional<Failure> FileBackend::erase(Id session) {
  OpenFile held;
  if (auto failed = index_.lock(held)) return failed;
  // An append that is under way is finished first; one that waits finds the session gone.
  const int handle = files_->open(transcript_path(session), OpenAs::appender);
  if (handle < 0) return failure_from_errno(handle, name_of(session));
  const OpenFile file(*files_, handle);
  if (const int locked = files_->lock(handle, lock_patience_ms); locked < 0)
    return failure_from_errno(locked, name_of(session));
  const std::string trashed =
      "trash/" + to_string(session) + "." + std::to_string(now_ms()) + ".jsonl";
  if (const int moved = move_file(*files_, transcript_path(session), trashed); moved < 0)
    return failure_from_errno(moved, "moving " + name_of(session) + " to the trash");
  logs_.erase(session);
  index_.current_locked().sessions.erase(session);
  index_.save_settled();
  return std::nullopt;
}

Outcome<SessionRecord> FileBackend::restore(std::string_view name) {
  OpenFile held;
  if (auto failed = index_.lock(held)) return *failed;
  std::vector<std::string> names;
  if (const int failed = files_->list("trash", names); failed < 0)
    return failure_from_errno(failed, "the trash");
  // The name ends in the time, so of one session's the newest comes first.
  std::ranges::sort(names, std::greater{});
  for (const std::string& file : names) {
    const std::optional<Id> session = id_of_trashed(file);
    if (!session) continue;
    Log trashed(*files_, *session, "trash/" + file);
    const bool readable = !trashed.refresh();
    const bool meant =
        (name.size() >= 4 && to_string(*session).starts_with(name)) ||
        (readable && (effective_key(trashed.memory()) == name || trashed.state().title == name));
    if (!meant) continue;
    FileStat there;
    if (files_->stat_path(transcript_path(*session), there) == 0)
      return Failure{Failure::Kind::refused,
                     name_of(*session) + " is there already; nothing was restored"};
    if (const int moved = move_file(*files_, "trash/" + file, transcript_path(*session)); moved < 0)
      return failure_from_errno(moved, "restoring from the trash");
    return settle_restored(*session);
  }
  return Failure{Failure::Kind::gone, "nothing in the trash is called '" + std::string(name) + "'"};
}

// Its key may have been taken while it was away: then it gets another, and the transcript says so.
Outcome<SessionRecord> FileBackend::settle_restored(Id session) {
  const Outcome<Log*> found = log_of(session);
  if (const auto* failed = std::get_if<Failure>(&found)) return *failed;
  Log& log = *std::get<Log*>(found);
  Index& index = index_.current_locked();
  index.sessions.erase(session);
  const std::string own = effective_key(log.memory());
  const auto taken = [&](const std::string& key) {
    return std::ranges::any_of(
        index.sessions, [&](const auto& each) { return effective_key(each.second.memory) == key; });
  };
  std::string key = own;
  for (int number = 2; taken(key); ++number) key = own + "." + std::to_string(number);
  if (key != own) {
    const NewEntry renamed{make_entry(type::custom, dump({{"kind", "key"}, {"key", key}}))};
    const Outcome<AppendResult> appended = log.append(std::span(&renamed, 1), {});
    if (const auto* failed = std::get_if<Failure>(&appended)) return *failed;
  }
  index.sessions[session] = {log.memory(), false, key};
  settle_keys(index);  // while it had no key of its own yet, it may have been given another's
  index_.save_settled();
  return record_of(log);
}

}  // namespace skein
