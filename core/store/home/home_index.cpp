#include "core/store/home/home_index.h"

#include <algorithm>

#include "core/store/files/named_files.h"
#include "core/store/home/gzip.h"
#include "core/store/home/index_change.h"
#include "core/store/home/parse_index.h"
#include "core/store/home/print_index.h"
#include "core/store/home/quick_index.h"
#include "core/text/amounts.h"
#include "core/text/log.h"

namespace skein::store::home {

namespace {

constexpr std::uint64_t max_index_bytes = 1u << 30;
constexpr std::size_t remembered_workspaces = 50;
constexpr Failure::Kind too_large = Failure::Kind::refused;

}  // namespace

Index& HomeIndex::stored() {
  const auto now = files::stat(files_, "sessions.json");
  if (read_ && !now && !now.error().missing) return index_;
  // Still not there: what a scan has found since is all that is known.
  if (read_ && bool(now) == there_ && (!now || now->same_version(stat_))) return index_;
  const auto read = [&] { return files::read_whole(files_, "sessions.json", max_index_bytes); };
  Result<std::string> bytes = now ? read() : now.error();
  const bool hidden = !bytes && !bytes.error().missing && bytes.error().kind != too_large;
  // What cannot be read just now is not gone: what was read before is the better guess.
  if (read_ && hidden) return index_;
  const bool have = bool(bytes);
  const std::string trouble = have ? "not an index" : bytes.error().text;
  std::optional<Index> parsed = have ? parse_index(*std::move(bytes)) : std::nullopt;
  if (const auto other = have && !parsed ? read() : Failure{})
    foreign_ = is_foreign_index(*other);
  else
    foreign_ = false;
  if (now && !parsed) log_warning("index unreadable", {{"error", trouble}, {"foreign", foreign_}});
  index_ = parsed ? std::move(*parsed) : Index{};
  there_ = bool(now);
  stat_ = now ? *now : files::FileStat{};
  read_ = true;
  return index_;
}

const IndexEntry* HomeIndex::find(Id session) {
  if (const auto hint = hints_.find(session); !read_ && hint != hints_.end()) return &hint->second;
  const auto found = stored().sessions.find(session);
  return found == index_.sessions.end() ? nullptr : &found->second;
}

std::optional<Id> HomeIndex::find_name(std::string_view name) {
  if (read_) return std::nullopt;
  std::optional<IndexEntry> entry = QuickIndex(files_, unsettled_).known_as(name);
  if (!entry) return std::nullopt;
  const Id session = entry->memory.header.session;
  hints_[session] = *std::move(entry);
  return session;
}

std::optional<NameOwner> HomeIndex::owner_of(std::string_view name) const {
  return QuickIndex(files_, unsettled_).owner_of(name);
}

std::vector<Id> HomeIndex::without_row() const {
  return QuickIndex(files_, unsettled_).without_row();
}

bool HomeIndex::may_lag(std::uint64_t known_end, std::uint64_t end) const {
  constexpr std::uint64_t most_to_read = 1u << 20;
  return is_large_index(files_) && known_end <= end && end - known_end < most_to_read;
}

std::optional<std::vector<SessionRecord>> HomeIndex::quick_list(const ListFilter& filter) {
  if (!filter.unused_since.empty() || !filter.project.empty() ||
      (filter.limit == 0 && filter.called.empty()))
    return std::nullopt;
  const QuickIndex quick(files_, unsettled_);
  std::optional<std::vector<QuickEntry>> entries =
      filter.called.empty() ? quick.newest(filter) : quick.called(filter.called);
  if (!entries) return std::nullopt;
  std::vector<SessionRecord> out;
  for (QuickEntry& entry : *entries) {
    out.push_back(record_of(entry.now));
    if (!read_ && entry.known.memory.end > 0)
      hints_[entry.now.memory.header.session] = std::move(entry.known);
  }
  return out;
}

Result<std::vector<Id>> HomeIndex::transcripts() {
  const auto names = files::list(files_, "transcripts");
  // Not an empty folder: whoever went on would give a key that is taken to a second session. And
  // not `gone`, which would say that some session is.
  if (!names) return Failure{Failure::Kind::io, names.error().text};
  std::vector<Id> out;
  for (const std::string& name : *names)
    if (const auto id = session_of_file(name)) out.push_back(*id);
  out.erase(std::unique(out.begin(), out.end()), out.end());  // one may be there in both forms
  return out;
}

Result<HomeIndex::Settled> HomeIndex::settle() {
  stored();
  unreadable_.reset();
  const auto folder = files::stat(files_, "transcripts");
  Settled settled;
  bool& changed = settled.changed;
  std::map<Id, IndexEntry> missed;
  if (!folder || folder->mtime_ns != index_.folder_mtime_ns) {
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
    for (const Id session : *found)
      if (index_.sessions.try_emplace(session).second) settled.newcomers.push_back(session);
    // Its maker may have died before its name was safe; whoever found it here will append to it.
    if (!settled.newcomers.empty()) files_.sync_folder("transcripts");
    index_.folder_mtime_ns = folder ? folder->mtime_ns : 0;
    changed = true;
  }
  for (const auto& [session, entry] : index_.lost) {  // somebody may have put it back
    const Result<files::FileStat> now = transcript_place(files_, session).stat;
    if (now && !now->same_version(entry.memory.stat)) index_.sessions.emplace(session, entry);
  }
  for (auto each = index_.sessions.begin(); each != index_.sessions.end();) {
    auto& [session, entry] = *each;
    const auto [place, now] = transcript_place(files_, session);
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
    const bool lost = !learned && ((!now && now.error().missing) ||
                                   learned.error().kind == Failure::Kind::damaged);
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
  // Of another boot, or of nobody who says so: the next list shall not look at all of them.
  if (index_.boot != boot_id()) changed = true;
  if (!missed.empty()) settle_lost(std::move(missed));
  if (!index_.lost.empty())
    std::erase_if(index_.lost,
                  [&](const auto& each) { return index_.sessions.contains(each.first); });
  if (!changed) return settled;
  settle_keys(index_);
  log_debug("index settled", {{"sessions", index_.sessions.size()}, {"lost", index_.lost.size()}});
  return settled;
}

// What is in the trash was thrown away; the others are remembered, so that nobody takes their keys
// unawares.
void HomeIndex::settle_lost(std::map<Id, IndexEntry> missed) {
  const auto trashed = files::list(files_, "trash");
  if (!trashed && !trashed.error().missing) {
    // It cannot be told now: what is known stays, and is looked at again.
    for (auto& [session, entry] : missed) index_.sessions.emplace(session, std::move(entry));
    index_.folder_mtime_ns = 0;
    return;
  }
  for (const std::string& name : trashed ? *trashed : std::vector<std::string>{})
    if (const auto session = session_of_trashed(name)) missed.erase(*session);
  for (auto& [session, entry] : missed) index_.lost[session] = std::move(entry);
}

std::optional<Failure> HomeIndex::lost(std::string_view name) {
  for (const auto& [session, entry] : index_.lost) {
    if (entry.key != name && to_string(session) != name) continue;
    const files::FileStat& there = entry.memory.stat;
    const SessionState& state = entry.memory.state;
    return Failure{Failure::Kind::damaged,
                   "session " + entry.key + " was here (" +
                       counted(static_cast<std::size_t>(state.messages), "turn") + ", used last " +
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
  const Result<Settled> settled = settle();
  if (!settled) return settled.error();
  if (!settled->changed) return &index_;
  tell_of_taken_keys(settled->newcomers);
  // Worth writing down, if nobody else is at it and the disk can be written to.
  if (auto change = this->change(0)) {
    if (const auto again = change->settle(); !again) return again.error();
    (void)change->save();
  }
  return &index_;
}

Result<void> HomeIndex::set_foreign_aside() {
  const std::string aside = "quarantine/sessions." + std::to_string(now_ms()) + ".json";
  if (const auto moved = files::move_file(files_, "sessions.json", aside); !moved) return moved;
  foreign_ = false;
  if (tell_) tell_("sessions.json was another program's; it is kept as " + aside);
  return {};
}

Result<void> HomeIndex::save() {
  if (const auto kept = foreign_ ? set_foreign_aside() : Result<void>{}; !kept) return kept;
  const auto saved = files::replace_file(files_, "sessions.json", print_index(index_));
  if (!saved) return saved;
  const auto now = files::stat(files_, "sessions.json");
  there_ = bool(now);
  if (now) stat_ = *now;
  return {};
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

Result<std::vector<LastUsed>> HomeIndex::read_last() {
  Result<std::string> bytes = files::read_whole(files_, "last", max_index_bytes);
  if (!bytes && !bytes.error().missing) return bytes.error();
  return bytes ? parse_last(*std::move(bytes)) : std::vector<LastUsed>{};
}

Result<void> HomeIndex::write_last(const std::vector<LastUsed>& used) {
  return files::replace_file(files_, "last", print_last(used));
}

std::optional<Id> HomeIndex::last_used(const std::string& workspace) {
  Result<std::vector<LastUsed>> used = read_last();
  if (!used) return std::nullopt;
  for (LastUsed& each : *used) {
    if (each.workspace != workspace || !transcript_place(files_, each.session).stat) continue;
    hints_[each.session] = std::move(each.entry);
    return each.session;
  }
  return std::nullopt;
}

bool HomeIndex::is_last_used(const std::string& workspace, Id session) {
  const Result<std::vector<LastUsed>> used = read_last();
  return used && std::ranges::any_of(*used, [&](const LastUsed& each) {
           return each.workspace == workspace && each.session == session;
         });
}

Result<void> HomeIndex::rewrite_last() {
  Result<std::vector<LastUsed>> used = read_last();
  if (!used) return used.error();
  std::erase_if(*used,
                [&](const LastUsed& each) { return !index_.sessions.contains(each.session); });
  for (LastUsed& each : *used) each.entry = index_.sessions[each.session];
  hints_.clear();
  if (const auto there = files::stat(files_, "last"); !there)
    return there.error().missing ? Result<void>{} : there.error();
  return write_last(*used);
}

void HomeIndex::refresh_last(Id session, const IndexEntry& entry) {
  Result<std::vector<LastUsed>> used = read_last();
  if (!used) return;
  bool there = false;
  for (LastUsed& each : *used)
    if (each.session == session) {
      each.entry = entry;
      there = true;
    }
  if (there) (void)write_last(*used);
}

void HomeIndex::set_last_used(const std::string& workspace, Id session, const IndexEntry& entry) {
  const Result<std::vector<LastUsed>> before = read_last();
  std::vector<LastUsed> used{{workspace, session, entry}};
  for (const LastUsed& each : before ? *before : std::vector<LastUsed>{})
    if (each.workspace != workspace && used.size() < remembered_workspaces) used.push_back(each);
  (void)write_last(used);
}

}  // namespace skein::store::home
