#include "core/store/home/index/home_index.h"

#include "core/text/json.h"
#include "core/text/log.h"
#include "core/text/text.h"

namespace skein::store::home {

namespace {

constexpr std::size_t remembered_workspaces = 50;

// All that are there. A folder that cannot be read is not an empty one: a key that is taken would
// be given to a second session. And not `gone`, which would say that some session is.
Result<std::vector<Id>> transcripts_in(files::Files& files) {
  const auto names = files::list(files, "transcripts");
  if (!names) return Failure{Failure::Kind::io, names.error().text};
  std::vector<Id> out;
  for (const std::string& name : *names)
    if (const auto id = session_of_file(name)) out.push_back(*id);
  out.erase(std::unique(out.begin(), out.end()), out.end());  // one may be there in both forms
  return out;
}

std::size_t key_hash(std::string_view key) { return std::hash<std::string_view>{}(key); }
Id session_of_row(const IndexRow& row) { return parse_id(row.session()).value_or(Id{}); }

// The rows used last, of all that are offered: a heap with the oldest of them at its front.
class NewestRows {
 public:
  struct Row {
    std::uint64_t time = 0;
    Id session{};
    std::string text{};  // copied: that of a row lasts no longer than the visit
  };
  explicit NewestRows(std::size_t most) : most_(most) {}

  // False: that is not how a row is written.
  bool offer(const IndexRow& row) {
    const auto more = row.more();
    const auto session = parse_id(row.session());
    if (!more || !session) return false;
    Row one{digits_of(more->used_at), *session, {}};
    if (rows_.size() == most_) {
      if (!is_newer(one, rows_.front())) return true;
      std::ranges::pop_heap(rows_, is_newer);
      rows_.pop_back();
    }
    one.text = row.text;
    rows_.push_back(std::move(one));
    std::ranges::push_heap(rows_, is_newer);
    return true;
  }
  const std::vector<Row>& rows() const { return rows_; }

 private:
  static bool is_newer(const Row& a, const Row& b) {
    return std::tie(b.time, b.session) < std::tie(a.time, a.session);
  }

  const std::size_t most_;
  std::vector<Row> rows_{};
};

}  // namespace

Index& HomeIndex::stored() {
  const auto now = files::stat(files_, "sessions.json");
  if (read_ && !now && !now.error().missing) return index_;
  // Still not there: what a scan has found since is all that is known.
  if (read_ && bool(now) == there_ && (!now || now->same_version(stat_))) return index_;
  Result<Index> parsed = now ? read_index(files_) : now.error();
  const bool no_index = !parsed && parsed.error().kind == Failure::Kind::refused;
  // What cannot be read just now is not gone: what was read before is the better guess.
  if (read_ && !parsed && !no_index && !parsed.error().missing) return index_;
  foreign_ = false;
  if (no_index)
    if (const auto text = files::read_whole(files_, "sessions.json", max_index_bytes))
      foreign_ = is_foreign_index(*text);
  if (now && !parsed)
    log_warning("index unreadable", {{"error", parsed.error().text}, {"foreign", foreign_}});
  index_ = parsed ? *std::move(parsed) : Index{};
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

Result<void> HomeIndex::refresh_names(Refreshed& out) {
  const auto folder = files::stat(files_, "transcripts");
  if (folder && folder->mtime_ns == index_.folder_mtime_ns) return {};
  const std::vector<Id> found = TRY(transcripts_in(files_));
  std::erase_if(index_.sessions, [&](const auto& each) {
    if (std::ranges::binary_search(found, each.first)) return false;
    if (each.second.memory.end > 0) {
      out.missed[each.first] = each.second;
      out.missed[each.first].memory.stat = {};
    }
    return true;
  });
  for (const Id session : found)
    if (index_.sessions.try_emplace(session).second) out.newcomers.push_back(session);
  // Its maker may have died before its name was safe; a process that finds it here may append to
  // it.
  if (!out.newcomers.empty()) files_.sync_folder("transcripts");
  index_.folder_mtime_ns = folder ? folder->mtime_ns : 0;
  out.changed = true;
  return {};
}

// Compares one session with its file. False: it is not a session any more.
bool HomeIndex::refresh_entry(Id session, IndexEntry& entry, Refreshed& out) {
  const auto [place, now] = transcript_place(files_, session);
  if (now && now->same_version(entry.memory.stat) && is_packed(place) == entry.archived)
    return true;
  const bool known = entry.memory.end > 0;
  const Result<Transcript> opened =
      open_transcript(files_, session, place, known ? &entry.memory : nullptr);
  const Result<void> learned = opened ? learn(entry, *opened) : opened.error();
  // Gone, or not a transcript: doctor reports it; no list does. Not readable just now: what is
  // known of it stays, and it is looked at again.
  const bool lost =
      !learned && ((!now && now.error().missing) || learned.error().kind == Failure::Kind::damaged);
  if (!learned && !lost) index_.folder_mtime_ns = 0;
  if (!learned && !lost && !known && learned.error().kind != Failure::Kind::read_only)
    unreadable_ = learned.error();
  out.changed = out.changed || learned || lost || !known;
  if (lost && known) {
    out.missed[session] = entry;
    out.missed[session].memory.stat = now ? *now : files::FileStat{};
  }
  return !lost && (learned || known);
}

Result<HomeIndex::Refreshed> HomeIndex::refresh() {
  stored();
  unreadable_.reset();
  Refreshed out;
  TRY(refresh_names(out));
  for (const auto& [session, entry] : index_.lost) {  // it may have been put back
    const Result<files::FileStat> now = transcript_place(files_, session).stat;
    if (now && !now->same_version(entry.memory.stat)) index_.sessions.emplace(session, entry);
  }
  for (auto each = index_.sessions.begin(); each != index_.sessions.end();)
    each = refresh_entry(each->first, each->second, out) ? std::next(each)
                                                         : index_.sessions.erase(each);
  // Of another boot, or of none that is known: the next list shall not look at all of them.
  if (index_.boot != boot_id()) out.changed = true;
  if (!out.missed.empty()) remember_lost(std::move(out.missed));
  if (!index_.lost.empty())
    std::erase_if(index_.lost,
                  [&](const auto& each) { return index_.sessions.contains(each.first); });
  if (!out.changed) return out;
  assign_keys(index_);
  log_debug("index refreshed",
            {{"sessions", index_.sessions.size()}, {"lost", index_.lost.size()}});
  return out;
}

// What is in the trash was thrown away; the others are remembered, so that no new session takes
// their keys.
void HomeIndex::remember_lost(std::map<Id, IndexEntry> missed) {
  const auto trashed = files::list(files_, "trash");
  if (!trashed && !trashed.error().missing) {
    // That is not known now: what is known stays, and is looked at again.
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
                   "session " + entry.key + " existed (" +
                       counted(static_cast<std::size_t>(state.messages), "turn") + ", last used " +
                       state.updated_at + "), but its file " + log::transcript_path(session) +
                       (there.inode == 0  ? " is gone"
                        : there.size == 0 ? " is empty"
                                          : " is no longer a transcript") +
                       "; restore the file from a backup, or run `skein doctor --rebuild-index` to "
                       "forget the session: after that the key begins a new one"};
  }
  return std::nullopt;
}

Result<void> HomeIndex::learn(IndexEntry& entry, const Transcript& transcript) {
  log::LogMemory memory = transcript.memory();
  const bool vouched = memory.stat.same_file(entry.memory.stat) && memory.end <= entry.memory.end;
  if (!vouched) TRY(transcript.sync());
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
      tell_("session " + to_string(session) + " was found with the key " + own +
            ", which another session has; its key is now " + found->second.key);
  }
}

Result<Index*> HomeIndex::current() {
  const Refreshed refreshed = TRY(refresh());
  if (!refreshed.changed) return &index_;
  tell_of_taken_keys(refreshed.newcomers);
  // Worth writing down, if no other process does so and the disk can be written to.
  if (auto change = this->change(0)) {
    TRY(change->refresh());
    (void)change->save();
  }
  return &index_;
}

Result<void> HomeIndex::set_foreign_aside() {
  const std::string aside = "quarantine/sessions." + std::to_string(now_ms()) + ".json";
  TRY(files::move_file(files_, "sessions.json", aside));
  foreign_ = false;
  if (tell_) tell_("sessions.json belonged to another program; skein moved it to " + aside);
  return {};
}

Result<void> HomeIndex::save() {
  TRY(foreign_ ? set_foreign_aside() : Result<void>{});
  TRY(files::replace_file(files_, "sessions.json", print_index(index_)));
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
  std::vector<LastUsed> used = TRY(read_last());
  std::erase_if(used,
                [&](const LastUsed& each) { return !index_.sessions.contains(each.session); });
  for (LastUsed& each : used) each.entry = index_.sessions[each.session];
  hints_.clear();
  if (const auto there = files::stat(files_, "last"); !there)
    return there.error().missing ? Result<void>{} : there.error();
  return files::replace_file(files_, "last", print_last(used));
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
  if (there) (void)files::replace_file(files_, "last", print_last(*used));
}

void HomeIndex::set_last_used(const std::string& workspace, Id session, const IndexEntry& entry) {
  const Result<std::vector<LastUsed>> before = read_last();
  std::vector<LastUsed> used{{workspace, session, entry}};
  for (const LastUsed& each : before ? *before : std::vector<LastUsed>{})
    if (each.workspace != workspace && used.size() < remembered_workspaces) used.push_back(each);
  (void)files::replace_file(files_, "last", print_last(used));
}

Result<IndexChange> HomeIndex::change(int patience_ms) {
  files::OpenFile lock =
      TRY(files::open(files_, "index.lock", files::OpenAs::locker, "the index of sessions"));
  TRY(lock.lock(patience_ms));
  return IndexChange(*this, std::move(lock));
}

Result<Index*> IndexChange::refresh() {
  compared_ = index_->dirty_.finished();
  TRY(index_->refresh());
  index_->index_.boot = boot_id();
  return &index_->index_;
}

Result<void> IndexChange::save() {
  const Result<void> saved = index_->save();
  if (saved && compared_) index_->dirty_.clear(*std::exchange(compared_, std::nullopt));
  return saved;
}

Result<void> IndexChange::save_moved() {
  Index& index = index_->index_;
  const auto folder = files::stat(index_->files_, "transcripts");
  if (index.folder_mtime_ns != 0) index.folder_mtime_ns = folder ? folder->mtime_ns : 0;
  return save();
}

Result<void> IndexChange::finish() {
  TRY(refresh());
  (void)save_moved();
  return {};
}

// Files of sessions that have no row. Nothing: one that has a row is gone, or the folder cannot be
// read.
std::optional<std::vector<Id>> HomeIndex::without_row(std::vector<Id> known) const {
  const Result<std::vector<Id>> there = transcripts_in(files_);
  if (!there) return std::nullopt;
  std::ranges::sort(known);
  if (!std::ranges::includes(*there, known)) return std::nullopt;
  std::vector<Id> out;
  std::ranges::set_difference(*there, known, std::back_inserter(out));
  return out;
}

std::vector<Id> HomeIndex::without_row() const {
  std::vector<Id> known;
  const auto scanned = scan_index(files_, [&](const IndexRow& row) {
    known.push_back(session_of_row(row));
    return true;
  });
  return without_row(scanned ? std::move(known) : std::vector<Id>{}).value_or(std::vector<Id>{});
}

// The sessions that were made since the index was written, which knows these and the hashes of
// their keys. Nothing: they are too many, or cannot be read, or want a key that is taken, or a
// session that the index knows has gone.
std::optional<std::vector<HomeIndex::QuickEntry>> HomeIndex::newcomers(
    std::vector<Id> known, const std::vector<std::size_t>& keys) const {
  constexpr std::size_t most = 300;  // more are read faster together with all the others
  const std::optional<std::vector<Id>> fresh = without_row(std::move(known));
  if (!fresh || fresh->size() > most) return std::nullopt;
  std::unordered_set<std::size_t> taken(keys.begin(), keys.end());
  std::vector<QuickEntry> out;
  for (const Id session : *fresh) {
    const Result<Transcript> opened =
        open_transcript(files_, session, transcript_place(files_, session).path);
    if (!opened) return std::nullopt;
    IndexEntry entry{opened->memory(), opened->archived(), effective_key(opened->memory())};
    if (!taken.insert(key_hash(entry.key)).second) return std::nullopt;
    out.push_back({std::move(entry)});
  }
  return out;
}

bool HomeIndex::is_current(const IndexEntry& entry) const {
  const auto [place, now] = transcript_place(files_, entry.memory.header.session);
  return now && now->same_version(entry.memory.stat) && is_packed(place) == entry.archived;
}

// From the transcript, if that has changed. False: that may change more than this row.
bool HomeIndex::reread(IndexEntry& entry) const {
  if (is_current(entry)) return true;
  const Id session = entry.memory.header.session;
  const std::string own = effective_key(entry.memory);
  const Result<Transcript> opened =
      open_transcript(files_, session, transcript_place(files_, session).path, &entry.memory);
  if (!opened) return false;
  entry.memory = opened->memory();
  entry.archived = opened->archived();
  return effective_key(entry.memory) == own;
}

// The newest of the rows that fit, at most so many; nothing if there are more and `all` are wanted.
// And besides them, whether they fit or not, all sessions that may have changed since the index was
// written, and those that were made since.
std::optional<HomeIndex::Selected> HomeIndex::select(const VisitRow& fits, std::size_t most,
                                                     bool all) const {
  // Read before the index: it is cleared after the index was written.
  const std::optional<std::set<Id>> dirty = dirty_.sessions();
  const auto folder = files::stat(files_, "transcripts");
  if (!dirty || !folder) return std::nullopt;
  NewestRows clean(most), changed(dirty->size());
  std::vector<Id> known;
  std::vector<std::size_t> keys;
  bool same_names = true;
  std::size_t fitting = 0;
  const Result<Index> scanned = scan_index(
      files_,
      [&](const IndexRow& row) {
        if (!same_names) {
          known.push_back(session_of_row(row));
          keys.push_back(key_hash(row.key));
        }
        if (!dirty->empty() && dirty->contains(session_of_row(row))) return changed.offer(row);
        if (!fits(row)) return true;
        return (++fitting <= most || !all) && clean.offer(row);
      },
      [&](const Index& frame) { same_names = frame.folder_mtime_ns == folder->mtime_ns; });
  if (!scanned || scanned->folder_mtime_ns == 0 || scanned->boot.empty() ||
      scanned->boot != boot_id() || (!same_names && !is_large()))
    return std::nullopt;
  Selected out{{}, !scanned->lost.empty()};
  if (!same_names) {
    std::optional<std::vector<QuickEntry>> fresh = newcomers(std::move(known), keys);
    if (!fresh) return std::nullopt;
    out.entries = *std::move(fresh);
  }
  for (const NewestRows* rows : {&clean, &changed})
    for (const NewestRows::Row& row : rows->rows()) {
      QuickEntry entry;
      if (!IndexRow{row.text, {}}.parse(entry.known)) return std::nullopt;
      entry.now = entry.known;
      // Where a process wrote without saying so, other rows may be wrong as well.
      if (rows == &changed ? !reread(entry.now) : !is_current(entry.now)) return std::nullopt;
      out.entries.push_back(std::move(entry));
    }
  std::ranges::sort(out.entries, std::greater{}, [](const QuickEntry& each) {
    const log::LogMemory& memory = each.now.memory;
    return std::tuple(digits_of(used_at(memory.header, memory.state)), memory.header.session);
  });
  return out;
}

std::optional<Id> HomeIndex::find_name(std::string_view name) {
  if (read_) return std::nullopt;
  IndexEntry entry;
  bool found = false;
  const auto scanned = scan_index(files_, [&](const IndexRow& row) {
    if (row.key == name || row.session() == name) found = row.parse(entry = {});
    return true;
  });
  if (!scanned || !found) return std::nullopt;
  const Id session = entry.memory.header.session;
  hints_[session] = std::move(entry);
  return session;
}

std::optional<NameOwner> HomeIndex::owner_of(std::string_view name) const {
  const std::optional<Selected> selected = select(
      [&](const IndexRow& row) { return row.key == name || row.session() == name; }, 2, true);
  if (!selected) return std::nullopt;
  for (const QuickEntry& each : selected->entries)
    if (const Id session = each.now.memory.header.session;
        each.now.key == name || to_string(session) == name)
      return NameOwner{session};
  return selected->lost ? std::nullopt : std::optional(NameOwner{});
}

std::optional<std::vector<IndexEntry>> HomeIndex::quick_list(const ListFilter& filter) {
  constexpr std::size_t most_called = 50;  // more are not a name, and all are read faster at once
  const bool named = !filter.called.empty();
  if (!filter.unused_since.empty() || !filter.project.empty() || (filter.limit == 0 && !named))
    return std::nullopt;
  const std::string quoted = json_string(filter.called), title = ",\"title\":" + quoted + ",";
  const std::string_view spelled = std::string_view(quoted).substr(1, quoted.size() - 2);
  const auto is_called = [&](const IndexRow& row) {
    const auto more = row.more();
    return !more || more->rest.starts_with(title) || row.key.starts_with(spelled) ||
           row.session().starts_with(filter.called);
  };
  // No title has this in it: its quotes would be escaped.
  const std::string cwd = ",\"cwd\":" + json_string(filter.cwd) + ",";
  const auto is_there = [&](const IndexRow& row) {
    return filter.cwd.empty() || row.text.find(cwd) != std::string_view::npos;
  };
  std::optional<Selected> selected =
      named ? select(is_called, most_called, true) : select(is_there, filter.limit, false);
  if (!selected) return std::nullopt;
  std::vector<IndexEntry> out;
  for (QuickEntry& entry : selected->entries) {
    if (!read_ && entry.known.memory.end > 0)
      hints_[entry.known.memory.header.session] = std::move(entry.known);
    out.push_back(std::move(entry.now));
  }
  return out;
}

bool HomeIndex::is_large() const {
  constexpr std::uint64_t large = 256u << 10;  // about 400 sessions
  const auto index = files::stat(files_, "sessions.json");
  return index && index->size > large;
}

bool HomeIndex::may_lag(std::uint64_t known_end, std::uint64_t end) const {
  constexpr std::uint64_t most_to_read = 1u << 20;
  return is_large() && known_end <= end && end - known_end < most_to_read;
}

}  // namespace skein::store::home
