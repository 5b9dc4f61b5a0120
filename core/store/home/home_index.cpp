#include "core/store/home/home_index.h"

#include <algorithm>
#include <cerrno>

#include "core/store/files/new_file.h"
#include "core/store/home/gzip.h"
#include "core/store/home/index_change.h"
#include "core/text/log.h"

namespace skein::store::home {

namespace {

constexpr std::uint64_t max_index_bytes = 1u << 30;
constexpr std::size_t remembered_workspaces = 50;

}  // namespace

Index& HomeIndex::stored() {
  files::FileStat now;
  const int found = files_.stat_path("sessions.json", now);
  if (read_ && found < 0 && found != -ENOENT) return index_;
  const bool there = found == 0;
  // Still not there: what a scan has found since is all that is known.
  if (read_ && there == there_ && (!there || now.same_version(stat_))) return index_;
  std::string bytes;
  const int read =
      there ? files::read_whole(files_, "sessions.json", bytes, max_index_bytes) : -ENOENT;
  // What cannot be read just now is not gone: what was read before is the better guess.
  if (read_ && read < 0 && read != -ENOENT && read != -EFBIG) return index_;
  std::optional<Index> parsed = read == 0 ? parse_index(std::move(bytes)) : std::nullopt;
  std::string other;
  foreign_ = read == 0 && !parsed &&
             files::read_whole(files_, "sessions.json", other, max_index_bytes) == 0 &&
             is_foreign_index(other);
  if (there && !parsed) log_warning("index unreadable", {{"error", -read}, {"foreign", foreign_}});
  index_ = parsed ? std::move(*parsed) : Index{};
  stat_ = now;
  there_ = there;
  read_ = true;
  return index_;
}

const IndexEntry* HomeIndex::find(Id session) {
  if (!read_ && hint_ && hint_->session == session) return &hint_->entry;
  const auto found = stored().sessions.find(session);
  return found == index_.sessions.end() ? nullptr : &found->second;
}

std::optional<Id> HomeIndex::find_key(std::string_view key) {
  files::FileStat folder;
  std::string bytes;
  if (read_ || key_problem(key) || files_.stat_path("transcripts", folder) < 0 ||
      files::read_whole(files_, "sessions.json", bytes, max_index_bytes) < 0)
    return std::nullopt;
  auto row = parse_index_row(bytes, key);
  if (!row || row->folder_mtime_ns != folder.mtime_ns) return std::nullopt;
  hint_ = {{}, row->entry.memory.header.session, std::move(row->entry)};
  return hint_->session;
}

Result<std::vector<Id>> HomeIndex::transcripts() {
  std::vector<std::string> names;
  // Not an empty folder: whoever went on would give a key that is taken to a second session.
  if (const int failed = files_.list("transcripts", names); failed < 0) {
    Failure failure = failure_from_errno(failed, "the home's folder transcripts");
    failure.kind = Failure::Kind::io;  // `gone` would say that some session is
    return failure;
  }
  std::vector<Id> out;
  for (const std::string& name : names)
    if (const auto id = session_of_file(name)) out.push_back(*id);
  std::ranges::sort(out);
  out.erase(std::unique(out.begin(), out.end()), out.end());  // one may be there in both forms
  return out;
}

Result<bool> HomeIndex::settle(std::vector<Id>* newcomers) {
  stored();
  unreadable_.reset();
  files::FileStat folder;
  const bool there = files_.stat_path("transcripts", folder) == 0;
  bool changed = false;
  std::map<Id, IndexEntry> missed;
  if (!there || folder.mtime_ns != index_.folder_mtime_ns) {
    const Result<std::vector<Id>> found = transcripts();
    if (!found) return found.error();
    std::erase_if(index_.sessions, [&](const auto& each) {
      if (std::ranges::binary_search(*found, each.first)) return false;
      if (each.second.memory.end > 0) {
        missed[each.first] = each.second;
        missed[each.first].memory.stat = {};
      }
      return true;
    });
    bool came = false;
    for (const Id session : *found) {
      const bool fresh = index_.sessions.try_emplace(session).second;
      if (fresh && newcomers != nullptr) newcomers->push_back(session);
      came = came || fresh;
    }
    // Its maker may have died before its name was safe; whoever found it here will append to it.
    if (came) files_.sync_folder("transcripts");
    index_.folder_mtime_ns = folder.mtime_ns;
    changed = true;
  }
  for (const auto& [session, entry] : index_.lost) {  // somebody may have put it back
    const Result<files::FileStat> now = transcript_place(files_, session).stat;
    if (now && !now->same_version(entry.memory.stat)) index_.sessions.emplace(session, entry);
  }
  for (auto each = index_.sessions.begin(); each != index_.sessions.end();) {
    auto& [session, entry] = *each;
    const auto [place, now, missing] = transcript_place(files_, session);
    if (now && now->same_version(entry.memory.stat) && is_packed(place) == entry.archived) {
      ++each;
      continue;
    }
    const bool known = entry.memory.end > 0;
    const Result<Transcript> opened =
        open_transcript(files_, session, place, known ? &entry.memory : nullptr);
    const Result<void> learned = opened ? learn(entry, *opened) : opened.error();
    // Gone, or no transcript: doctor tells of it; no list does. Not readable just now: what is
    // known of it stays, and it is looked at again.
    const bool lost = !learned && (missing || learned.error().kind == Failure::Kind::damaged);
    if (!learned && !lost) index_.folder_mtime_ns = 0;
    if (!learned && !lost && !known && learned.error().kind != Failure::Kind::read_only)
      unreadable_ = learned.error();
    changed = changed || learned || lost || !known;
    if (lost && known) {
      missed[session] = entry;
      missed[session].memory.stat = now ? *now : files::FileStat{};
    }
    if (lost || (!learned && !known))
      each = index_.sessions.erase(each);
    else
      ++each;
  }
  if (!missed.empty()) settle_lost(std::move(missed));
  if (!index_.lost.empty())
    std::erase_if(index_.lost,
                  [&](const auto& each) { return index_.sessions.contains(each.first); });
  if (changed) settle_keys(index_);
  if (changed)
    log_debug("index settled",
              {{"sessions", index_.sessions.size()}, {"lost", index_.lost.size()}});
  return changed;
}

// What is in the trash was thrown away; the others are remembered, so that nobody takes their keys
// unawares.
void HomeIndex::settle_lost(std::map<Id, IndexEntry> missed) {
  std::vector<std::string> trashed;
  if (const int listed = files_.list("trash", trashed); listed < 0 && listed != -ENOENT) {
    // It cannot be told now: what is known stays, and is looked at again.
    for (auto& [session, entry] : missed) index_.sessions.emplace(session, std::move(entry));
    index_.folder_mtime_ns = 0;
    return;
  }
  for (const std::string& name : trashed)
    if (const auto session = session_of_trashed(name)) missed.erase(*session);
  for (auto& [session, entry] : missed) index_.lost[session] = std::move(entry);
}

std::optional<Failure> HomeIndex::lost(std::string_view name) {
  for (const auto& [session, entry] : index_.lost) {
    if (entry.key != name && to_string(session) != name) continue;
    const files::FileStat& there = entry.memory.stat;
    const model::SessionState& state = entry.memory.state;
    return Failure{Failure::Kind::damaged,
                   "session " + entry.key + " was here (" + std::to_string(state.messages) +
                       (state.messages == 1 ? " turn" : " turns") + ", used last " +
                       state.updated_at + "), but its file " + log::transcript_path(session) +
                       (there.inode == 0  ? " is gone"
                        : there.size == 0 ? " is empty"
                                          : " is not a transcript any more") +
                       "; put it back from a copy, or let it go with `skein doctor "
                       "--rebuild-index`: after that the key begins a new session"};
  }
  return std::nullopt;
}

Result<void> HomeIndex::learn(IndexEntry& entry, const Transcript& transcript) {
  log::LogMemory memory = transcript.memory();
  const bool vouched = memory.stat.same_file(entry.memory.stat) && memory.end <= entry.memory.end;
  if (!vouched)
    if (const auto synced = transcript.sync(); !synced) return synced;
  // A lost header takes nothing with it that the index still knows.
  if (memory.header.key.empty() && entry.memory.end > 0) memory.header = entry.memory.header;
  if (memory.header.created_at.empty()) memory.header.created_at = memory.state.updated_at;
  entry.memory = std::move(memory);
  entry.archived = transcript.archived();
  return {};
}

// A key that is taken is not given away to a file that says it is older.
void HomeIndex::tell_of_taken_keys(const std::vector<Id>& newcomers) {
  for (const Id session : newcomers) {
    const auto found = index_.sessions.find(session);
    if (found == index_.sessions.end() || !tell_) continue;
    const std::string own = effective_key(found->second.memory);
    if (own != found->second.key)
      tell_("session " + to_string(session) + " has turned up with the key " + own +
            ", which another session has; it is called " + found->second.key);
  }
}

Result<Index*> HomeIndex::current() {
  std::vector<Id> newcomers;
  const Result<bool> changed = settle(&newcomers);
  if (!changed) return changed.error();
  if (!*changed) return &index_;
  tell_of_taken_keys(newcomers);
  // Worth writing down, if nobody else is at it and the disk can be written to.
  if (const auto change = this->change(0)) {
    if (const auto again = settle(); !again) return again.error();
    (void)save();
  }
  return &index_;
}

Result<void> HomeIndex::set_foreign_aside() {
  const std::string aside = "quarantine/sessions." + std::to_string(now_ms()) + ".json";
  const int moved = files::move_file(files_, "sessions.json", aside);
  if (moved < 0) return failure_from_errno(moved, "sessions.json");
  foreign_ = false;
  if (tell_) tell_("sessions.json was another program's; it is kept as " + aside);
  return {};
}

Result<void> HomeIndex::save() {
  if (const auto kept = foreign_ ? set_foreign_aside() : Result<void>{}; !kept) return kept;
  const int saved = files::replace_file(files_, "sessions.json", print_index(index_));
  if (saved == 0) there_ = files_.stat_path("sessions.json", stat_) == 0;
  return result_from_errno(saved, "sessions.json");
}

void HomeIndex::forget_all() {
  stored();
  for (auto& [session, entry] : index_.sessions) {
    IndexEntry known;
    known.key = entry.key;
    entry = std::move(known);
  }
  index_.lost.clear();
  index_.folder_mtime_ns = 0;
}

std::optional<Id> HomeIndex::last_used(const std::string& workspace) {
  std::string bytes;
  if (files::read_whole(files_, "last", bytes, max_index_bytes) < 0) return std::nullopt;
  for (LastUsed& each : parse_last(std::move(bytes))) {
    if (each.workspace != workspace || !transcript_place(files_, each.session).stat) continue;
    hint_ = std::move(each);
    return hint_->session;
  }
  return std::nullopt;
}

Result<void> HomeIndex::rewrite_last() {
  std::string bytes;
  if (const int read = files::read_whole(files_, "last", bytes, max_index_bytes); read < 0)
    return read == -ENOENT ? Result<void>{} : failure_from_errno(read, "last");
  std::vector<LastUsed> used = parse_last(bytes);
  std::erase_if(used,
                [&](const LastUsed& each) { return !index_.sessions.contains(each.session); });
  for (LastUsed& each : used) each.entry = index_.sessions[each.session];
  hint_.reset();
  return result_from_errno(files::replace_file(files_, "last", print_last(used)), "last");
}

std::vector<LastUsed> HomeIndex::read_last() {
  std::string bytes;
  if (files::read_whole(files_, "last", bytes, max_index_bytes) < 0) return {};
  return parse_last(std::move(bytes));
}

bool HomeIndex::is_last_used(const std::string& workspace, Id session) {
  return std::ranges::any_of(read_last(), [&](const LastUsed& each) {
    return each.workspace == workspace && each.session == session;
  });
}

void HomeIndex::refresh_last(Id session, const IndexEntry& entry) {
  std::vector<LastUsed> used = read_last();
  bool there = false;
  for (LastUsed& each : used)
    if (each.session == session) {
      each.entry = entry;
      there = true;
    }
  if (there) files::replace_file(files_, "last", print_last(used));
}

void HomeIndex::set_last_used(const std::string& workspace, Id session, const IndexEntry& entry) {
  std::vector<LastUsed> used = read_last();
  std::erase_if(used, [&](const LastUsed& each) { return each.workspace == workspace; });
  used.insert(used.begin(), {workspace, session, entry});
  if (used.size() > remembered_workspaces) used.resize(remembered_workspaces);
  files::replace_file(files_, "last", print_last(used));
}

}  // namespace skein::store::home
