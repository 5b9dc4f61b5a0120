#include "core/store/home/file_backend.h"

#include <sys/inotify.h>
#include <unistd.h>

#include "core/store/home/presence.h"
#include "core/text/io.h"
#include "core/text/text.h"

namespace skein::store::home {

namespace {

// Reports when the file of a session changes (inotify). It does not see what other machines write
// to a shared disk.
class TranscriptWatch : public SessionWatch {
 public:
  // `files` need not outlive it.
  TranscriptWatch(files::Files& files, Id session)
      : session_(to_string(session)), events_(std::max(-1, files.watch("transcripts"))) {}
  int descriptor() const override { return events_.get(); }
  bool take() override {
    alignas(inotify_event) std::array<char, 16 * 1024> buffer{};
    bool ours = false;
    for (;;) {
      const ssize_t got = read(events_.get(), buffer.data(), buffer.size());
      if (got <= 0) return ours;
      for (ssize_t at = 0; at < got;) {
        inotify_event event{};
        std::memcpy(&event, buffer.data() + at, sizeof event);
        const char* const name = buffer.data() + at + sizeof event;
        at += static_cast<ssize_t>(sizeof event + event.len);
        // If events were lost, one may have been of this session.
        ours = ours || (event.mask & IN_Q_OVERFLOW) != 0 ||
               (event.len > 0 && std::string_view(name).starts_with(session_));
      }
    }
  }

 private:
  std::string session_;
  Fd events_;
};

// Large enough that calls cost nothing, small enough for the processor's cache.
constexpr std::size_t block_bytes = 256u << 10;

// The lines of a file as its bytes come in.
class LineFilter {
 public:
  LineFilter(const ScanFilter& filter, const VisitFacts& visit) : filter_(filter), visit_(visit) {}

  // `bytes` begin with those that were left over the last time. How many were used up.
  std::size_t take(std::string_view bytes) {
    const std::size_t end = bytes.rfind('\n') + 1;  // 0: not even one line
    const std::string_view lines = bytes.substr(0, end);
    for (std::size_t at = 0; at < lines.size() && !odd_;) {
      const std::size_t hit = filter_.next(lines, at);
      if (hit == std::string_view::npos) break;
      const void* before = ::memrchr(lines.data() + at, '\n', hit - at);
      const std::size_t begin =
          before == nullptr
              ? at
              : static_cast<std::size_t>(static_cast<const char*>(before) - lines.data()) + 1;
      at = lines.find('\n', hit) + 1;
      look(lines.substr(begin, at - 1 - begin), base_ + begin);
    }
    if (end > 0) {
      const std::string_view text = lines.substr(0, end - 1);
      const std::optional<log::Line> last = log::read_line(text.substr(text.rfind('\n') + 1));
      ends_whole_ = last && last->seal.place + 1 == last->seal.count;
    }
    base_ += end;
    return end;
  }
  bool any() const { return any_; }
  // Something is not as it was written, or has no end: what counts then, only a scan can tell.
  bool odd() const { return odd_ || !ends_whole_; }

 private:
  void look(std::string_view text, std::uint64_t at) {
    const std::optional<log::Line> line = log::read_line(text);
    odd_ = !line;
    if (!line || line->type == type::session_header) return;
    any_ = true;
    visit_({line->id, line->parent, line->type, line->timestamp, line->body, at});
  }

  const ScanFilter& filter_;
  const VisitFacts& visit_;
  std::uint64_t base_ = 0;
  bool any_ = false, odd_ = false;
  // The last line is the end of a batch. What is before a whole batch was acknowledged, so then the
  // file has nothing in it that does not count.
  bool ends_whole_ = false;
};

enum class Pass { done, odd };

Result<Pass> scan_plain(const files::OpenFile& file, const ScanFilter& filter, LineFilter& lines) {
  thread_local std::string block;  // one for all files: pages are costly to get
  if (block.size() < block_bytes) block.resize(block_bytes);
  std::size_t left = 0;
  for (std::uint64_t at = 0;;) {
    const std::size_t got = TRY(file.read(block.data() + left, block.size() - left, at));
    if (got == 0) return left > 0 ? Pass::odd : Pass::done;
    at += got;
    const std::size_t have = left + got;
    const std::size_t used = lines.take(std::string_view(block).substr(0, have));
    left = have - used;
    std::memmove(block.data(), block.data() + used, left);
    if (left > log::max_line_bytes) return Pass::odd;
    if (left == block.size()) block.resize(block.size() * 2);
    if (!filter.keep_going()) return Pass::done;
  }
}

Result<Pass> scan_packed(files::Files& files, const std::string& path, const std::string& name,
                         const ScanFilter& filter, LineFilter& lines) {
  std::string block;
  bool too_long = false;
  TRY(read_pieces(
      files, path,
      [&](std::string_view piece) {
        block += piece;
        block.erase(0, lines.take(block));
        too_long = block.size() > log::max_line_bytes;
        return !too_long && filter.keep_going();
      },
      name));
  return too_long || (!block.empty() && filter.keep_going()) ? Pass::odd : Pass::done;
}

// With a verdict on every byte, as sessions are opened; and with what was redacted only just now.
Result<std::set<Id>> scan_checked(files::Files& files, Id session, const ScanFilter& filter,
                                  const VisitFacts& visit) {
  constexpr int most_tries = 3;
  for (int tries = 1;; ++tries) {
    const std::string path = transcript_place(files, session).path;
    const Transcript opened = TRY(open_transcript(files, session, path));
    filter.begin();
    TRY(opened.log->each(0, [&](const StoredEntry& placed) {
      if (placed.entry.type != type::session_header &&
          filter.next(placed.entry.payload, 0) != std::string_view::npos)
        visit(model::facts_of(placed.entry, placed.at));
      return filter.keep_going();
    }));
    const files::FileStat now = TRY(transcript_place(files, session).stat);
    if (now.same_version(opened.memory().stat) || tries == most_tries)
      return opened.log->state().redacted;
  }
}

}  // namespace

// Looks through a transcript for what a search wants, without opening the session: large pieces, no
// index of ids, no checksums unless something is odd.
Result<std::set<Id>> FileBackend::scan(const SessionRecord& session, const ScanFilter& filter,
                                       const VisitFacts& visit) {
  files::Files& files = home_->files();
  const Id id = session.header.session;
  const auto scan = [&] { return scan_checked(files, id, filter, visit); };
  if (session.damage.any()) return scan();
  const std::string name = described(id);
  const std::string path = session.archived ? archive_path(id) : log::transcript_path(id);
  const Result<files::OpenFile> file = files::open(files, path, files::OpenAs::reader, name);
  if (!file) return file.error().missing ? scan() : file.error();  // it was packed or unpacked
  const files::FileStat before = TRY(file->stat());
  // Written to since it was listed: what is redacted is not what the list says.
  if (before.size != session.bytes) return scan();
  filter.begin();
  LineFilter lines(filter, visit);
  const Pass pass = TRY(session.archived ? scan_packed(files, path, name, filter, lines)
                                         : scan_plain(*file, filter, lines));
  if (!filter.keep_going()) return session.state.redacted;
  if (pass == Pass::odd) return scan();
  if (!lines.any()) return session.state.redacted;
  // Something is to be shown: not if it was redacted while we read.
  const Result<files::FileStat> now = files::stat(files, path, name);
  if (lines.odd() || !now || !now->same_version(before)) return scan();
  return session.state.redacted;
}

Result<void> FileBackend::with_log(Id session, const Use& use) {
  Transcript* transcript = TRY(home_->transcript(session));
  const Home::Use in_use(*home_, session);
  return use(*transcript->log);
}

Result<SessionRecord> FileBackend::open(Id session) {
  Transcript* transcript = TRY(home_->transcript(session));
  return home_->record_of(*transcript);
}

Result<AppendResult> FileBackend::append(Id session, std::span<const NewEntry> entries,
                                         const AppendOptions& options) {
  for (int tries = 0;; ++tries) {
    // Not refreshed: append brings itself up to date, once it holds the lock.
    Transcript* const found = TRY(home_->seen_transcript(session));
    if (found->archived()) {
      TRY(unarchive(session));
      continue;
    }
    if (found->beside_archive) {
      const IndexChange change = TRY(home_->index().change());
      TRY(resolve_pair(*home_, change, session));
      found->beside_archive = false;
    }
    home_->index().note_change(session);
    Result<AppendResult> outcome = found->log->append(entries, options);
    if (outcome || outcome.error().kind != Failure::Kind::gone || tries > 2) return outcome;
    // Gone may mean that it was archived while it was open here. A log that is not is kept: it
    // knows what it could not take back.
    const auto there = files::stat(home_->files(), log::transcript_path(session));
    if (there || !there.error().missing) return outcome;
    home_->forget(session);
  }
}

Result<void> FileBackend::append_lines(Id session, Position end,
                                       std::span<const std::string> lines) {
  for (int tries = 0;; ++tries) {
    Transcript* found = TRY(home_->transcript(session));
    home_->index().note_change(session);
    if (!found->archived() || tries > 2) return found->log->append_lines(end, lines);
    TRY(unarchive(session));
  }
}

Result<std::vector<SessionRecord>> FileBackend::list(const ListFilter& filter) {
  const std::optional<std::vector<IndexEntry>> quick = home_->index().quick_list(filter);
  std::vector<const IndexEntry*> newest;
  if (quick) {
    for (const IndexEntry& entry : *quick) newest.push_back(&entry);
  } else {
    Index* index = TRY(home_->index().current());
    newest = newest_first(*index);
  }
  std::vector<SessionRecord> out;
  out.reserve(filter.limit > 0 ? std::min(filter.limit, newest.size()) : newest.size());
  for (const IndexEntry* entry : newest) {
    if (!filter.cwd.empty() && entry->memory.header.cwd != filter.cwd) continue;
    if (!filter.project.empty() && entry->memory.header.project != filter.project) continue;
    if (!filter.unused_since.empty() &&
        digits_of(used_at(entry->memory.header, entry->memory.state)) >=
            digits_of(filter.unused_since))
      continue;
    out.push_back(record_of(*entry));
    if (out.size() == filter.limit) break;
  }
  return out;
}

Result<SessionRecord> FileBackend::find(std::string_view name) {
  // A whole key or id, as scripts name sessions, does not need them all.
  if (const auto exact = home_->index().find_name(name)) {
    Result<SessionRecord> record = open(*exact);
    if (record && (record->key == name || to_string(*exact) == name)) return record;
  }
  const std::optional<NameOwner> owner = home_->index().owner_of(name);
  if (owner && owner->session)
    if (Result<SessionRecord> record = open(*owner->session)) return record;
  if (!owner || owner->session) {
    Index* index = TRY(home_->index().current());
    for (const auto& [session, entry] : index->sessions)
      if (entry.key == name || to_string(session) == name) return record_of(entry);
    if (auto lost = home_->index().lost(name)) return *std::move(lost);
  }
  const Result<MigrationResult> migrated = migrate_called(*home_, name);
  return migrated ? open(migrated->session) : migrated.error();
}

void FileBackend::remember(Id session, const std::string& workspace) {
  if (!home_->is_open(session)) return;
  const Result<Transcript*> found = home_->transcript(session);
  if (!found) return;
  HomeIndex& index = home_->index();
  const IndexEntry* known = index.find(session);
  if (workspace.empty() && known != nullptr &&
      index.may_lag(known->memory.end, (*found)->memory().end)) {
    IndexEntry now = *known;
    if (HomeIndex::learn(now, **found)) index.refresh_last(session, now);
    return;
  }
  Result<IndexChange> change = index.change();
  if (!change) return;
  IndexEntry& entry = index.stored().sessions[session];
  const std::string known_as = entry.key.empty() ? "" : effective_key(entry.memory);
  if (!HomeIndex::learn(entry, **found)) return;
  if (known_as != effective_key(entry.memory)) assign_keys(index.stored());
  (void)change->save();  // a cache, which others can make as well
  if (!workspace.empty())
    index.set_last_used(workspace, session, entry);
  else
    index.refresh_last(session, entry);
}

void FileBackend::enter(Id session, const std::string& workspace) {
  HomeIndex& index = home_->index();
  if (index.is_last_used(workspace, session)) return;
  // What the index knows of it, not what is in the file: another process may be writing there.
  const IndexEntry* known = index.find(session);
  const IndexEntry entry = known != nullptr ? *known : IndexEntry{};
  if (const auto change = index.change()) index.set_last_used(workspace, session, entry);
}

// One file for all sessions, each with its own place in it: nothing that could be left behind.
Result<SessionLease> FileBackend::hold(Id session, LockMode mode) {
  return hold_place({home_, &home_->files()}, presence::at_work, session, mode);
}

std::map<Id, std::string> FileBackend::at_work(std::span<const Id> sessions) {
  std::map<Id, std::string> out;
  for (const auto& [session, all] : present(home_->files(), presence::at_work, sessions))
    out[session] = all.empty() ? "another process" : listed(all, ", ", &Present::who);
  return out;
}

std::unique_ptr<SessionWatch> FileBackend::watch(Id session) {
  auto watch = std::make_unique<TranscriptWatch>(home_->files(), session);
  return watch->descriptor() < 0 ? nullptr : std::move(watch);
}

// The session that has this key after a look at all of them.
Result<NameOwner> FileBackend::owner_in(const Index& index, const std::string& key) {
  for (const auto& [session, entry] : index.sessions)
    if (entry.key == key) return NameOwner{session};
  if (auto lost = home_->index().lost(key)) return *lost;
  // A session that could not be read may have the key.
  if (home_->index().unreadable()) return *home_->index().unreadable();
  return NameOwner{};
}

// A new transcript is filled in a temporary file, so that it is there whole or not at all.
Result<Created> FileBackend::make(const SessionHeader& header, const Fill& fill) {
  if (const auto trouble = key_problem(header.key))
    return Failure{Failure::Kind::refused, *trouble};
  IndexChange change = TRY(home_->index().change());
  Index* index = nullptr;  // stays as it is, if it is large
  std::optional<NameOwner> owner;
  if (home_->index().may_lag(0, 0)) owner = home_->index().owner_of(header.key);
  if (!owner) {
    Index* current = TRY(change.refresh());
    index = current;
    const NameOwner found = TRY(owner_in(*index, header.key));
    owner = found;
  }
  // Its maker may have died before its name was safe.
  if (owner->session) {
    TRY(files::sync_folder(home_->files(), "transcripts", described(*owner->session)));
    SessionRecord record = TRY(open(*owner->session));
    return Created{std::move(record)};
  }
  log::NewTranscript transcript(home_->files(), header, "creating a session");
  TRY(fill(transcript));
  if (index == nullptr) home_->index().note_change(header.session);
  TRY(transcript.link_into_place());
  SessionRecord record = TRY(take_in(*home_, change, index, transcript.memory(), header.key));
  return Created{std::move(record), true};
}

Result<Created> FileBackend::create(const SessionHeader& header,
                                    std::span<const NewEntry> entries) {
  return make(header, [&](log::NewTranscript& transcript) -> Result<void> {
    if (entries.empty()) return {};
    TRY(transcript.finish());
    return log::LogWriter(home_->files(), header.session, transcript.file().temporary())
        .append_all(entries, {});
  });
}

Result<Created> FileBackend::fork(const SessionHeader& header, std::span<const ForkExtra> extras) {
  const SessionHeader::Origin from = header.parent_session.value();
  return make(header, [&](log::NewTranscript& transcript) -> Result<void> {
    return read(from.session, [&](log::LogReader& source) {
      return copy_fork(source, from.entry, extras, transcript);
    });
  });
}

}  // namespace skein::store::home
