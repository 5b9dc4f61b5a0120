// Where sessions rest, in verbs a database also has: no paths, no file descriptors. What can go
// wrong is a value the caller can act on. What is about files in a folder is in store/home.
#pragma once

#include "core/store/lease.h"
#include "core/store/result.h"

namespace skein::store {

inline constexpr int format_version = 1;
inline constexpr std::string_view default_key = "main:cli:user";

// What the first line of a transcript says.
struct SessionHeader {
  struct Origin {
    Id session{};
    Id entry{};
    bool operator==(const Origin&) const = default;
  };
  int version = format_version;
  Id session{};
  std::string key{};
  std::string cwd{};
  std::string created_by{};
  std::string created_at{};
  std::optional<Origin> parent_session{};  // it was branched off there
  // What the folder is a copy of, wherever it is: its git remote, host/path. Empty: of nothing.
  std::string project{};
  bool operator==(const SessionHeader&) const = default;
};

// For sentences: "session 0123456789abcdef".
std::string described(Id session);

// Letters, digits and `._@+-`, 1 to 64 bytes a segment with `:` between, under 200 in all;
// <agent>:<channel>:<peer>, or agent:<id>:<channel>:<direct|group|channel>:<peer>, which
// :thread:<id> may follow. The reason it is not one, or nothing.
std::optional<std::string> key_problem(std::string_view key);

// How much of a session is not as it was written, as far as it has been read.
struct DamageCount {
  std::int64_t altered = 0;  // entries that changed since
  std::int64_t broken = 0;   // stretches that cannot be read
  std::int64_t gaps = 0;     // places where a batch is missing
  bool any() const { return altered + broken + gaps > 0; }
  bool operator==(const DamageCount&) const = default;
};

// What is marked with it in every view.
inline constexpr std::string_view altered_mark = "[altered]";
// One sentence: what was found, what it means, where to look. Empty if there is no damage.
std::string damage_notice(const DamageCount& damage, const std::string& key);

// When it was last written to.
inline const std::string& used_at(const SessionHeader& header, const SessionState& state) {
  return state.updated_at.empty() ? header.created_at : state.updated_at;
}

// A session as lists show it and as it is opened.
struct SessionRecord {
  std::string key{};  // the header's, unless another session had it
  SessionHeader header{};
  SessionState state{};
  std::uint64_t bytes = 0;
  bool archived = false;
  DamageCount damage{};
  const std::string& used_at() const { return store::used_at(header, state); }
};

// An entry on its way in. One that `follows` gets its parent from the store: the entry before it in
// the batch, or the head.
struct NewEntry {
  Entry entry{};
  bool follows = true;
};

// The session a key has now.
struct Created {
  SessionRecord record{};
  bool made = false;  // just now
};

struct AppendOptions {
  std::optional<Id> expected_tail{};
  bool check_all_ids = false;  // else those of the last 4,096 entries
  bool patient = true;  // a store that cannot be reached is waited for; else that fails at once
  // false: it survives the process, but a power cut may lose it. The next append that is synced
  // makes it safe as well.
  bool synced = true;
};

struct AppendResult {
  Id session{};
  std::optional<Id> last{};      // the last entry of the batch
  std::size_t appended = 0;      // 0: all of them were there already
  std::vector<Entry> entries{};  // as they were written, with their parents
};

// An entry where it rests.
struct StoredEntry {
  Entry entry{};
  Position at = 0;
  bool altered = false;  // its seal does not fit any more
};

// What a session lost or has too much of; for notices and for doctor.
struct Damage {
  struct Range {
    std::uint64_t begin = 0, end = 0;
    bool operator==(const Range&) const = default;
  };
  std::vector<Range> altered{}, broken{}, uncommitted{};
  std::vector<std::uint64_t> gaps{};  // where a batch is missing
  bool header_damaged = false;
  std::uint64_t end = 0;  // where the next batch belongs
  bool any() const {
    return !altered.empty() || !broken.empty() || !uncommitted.empty() || !gaps.empty() ||
           header_damaged;
  }
};

// A session in the trash.
struct TrashedSession {
  std::string key{};
  Id session{};
  std::string title{};
  std::int64_t messages = 0;
  std::string used_at{};
  std::int64_t thrown_away_ms = 0;  // since 1970
  std::uint64_t bytes = 0;
};

// What a trash held before it was emptied.
struct EmptiedTrash {
  std::size_t sessions = 0;
  std::uint64_t bytes = 0;
};

// What became of a session that may have been in an older form.
struct MigrationResult {
  Id session{};
  std::string form{};  // that it had; empty: it was up to date
  std::size_t entries = 0;
  std::string old_file{};             // where the old file is now
  std::vector<std::string> losses{};  // what could not be taken over
};

// An entry a fork begins with, besides the path. If it is about another entry (a redaction, a
// label, a snapshot), it comes only where that one does.
struct ForkExtra {
  Entry entry{};
  std::optional<Id> about{};
};

// Which sessions a list shall have, the one used last first.
struct ListFilter {
  std::string cwd{};           // only those made in this folder; empty: in any
  std::string project{};       // only those of this project; empty: of any
  std::string unused_since{};  // only those last written to before this time; empty: at any
  std::size_t limit = 0;       // at most so many; 0: all
  // At least those this may name; which of them it means, session_called() tells. Empty: all.
  std::string called{};
};

// What becomes of a session from elsewhere whose key another one has here: its transcript keeps it.
enum class TakenKey { refused, numbered };

// Lines as they are stored, sealed, without their newlines; see FORMAT.md.
using VisitText = std::function<bool(std::string_view line)>;  // false ends it
using GiveLines = std::function<Result<void>(const VisitText&)>;

using VisitEntry = std::function<bool(const StoredEntry&)>;  // false ends it
using VisitFacts = std::function<void(const EntryFacts&)>;   // what is given lasts until the next

// Which entries a search wants to see, judged by their JSON text as it is stored: see FORMAT.md for
// what is escaped in it. All of these may be called by several threads at once.
struct ScanFilter {
  // The first place at or after `from` that is worth a look; npos: there is none. `text` holds one
  // entry or many.
  std::function<std::size_t(std::string_view text, std::size_t from)> next{};
  // Called before the first entry is visited, and again if the scan restarts because the session
  // was written to.
  std::function<void()> begin = [] {};
  std::function<bool()> keep_going = [] { return true; };  // asked now and then; false ends it
};

// Reports that a session may have been written to. It does not notice everything: a caller that
// follows a session also looks at intervals.
class SessionWatch {
 public:
  virtual ~SessionWatch() = default;
  virtual int descriptor() const = 0;  // readable when there is something to take; -1: never
  virtual bool take() = 0;             // takes it; whether it was about this session
};

// Sessions as a whole: which there are, making them, writing to them.
class Sessions {
 public:
  virtual ~Sessions() = default;
  virtual Result<std::vector<SessionRecord>> list(const ListFilter& filter = {}) = 0;
  // The session with this key or whole id. `gone`: there is none and never was one; any other
  // failure says why one that was there cannot be had.
  virtual Result<SessionRecord> find(std::string_view name) = 0;
  // Up to date with what any process has acknowledged; `damage` is what reading has met so far.
  virtual Result<SessionRecord> open(Id session) = 0;
  // Atomic. If the key is taken, the session that has it is returned instead.
  virtual Result<Created> create(const SessionHeader& header,
                                 std::span<const NewEntry> entries) = 0;
  // The same, with the path to where the header says it was branched off, and `extras` behind it.
  virtual Result<Created> fork(const SessionHeader& header, std::span<const ForkExtra> extras) = 0;
  // All of the batch or nothing, durable when it returns.
  virtual Result<AppendResult> append(Id session, std::span<const NewEntry> entries,
                                      const AppendOptions& options) = 0;
  // Converts a session that is in an older form. If it fails, the session stays as it is. `gone`:
  // there is none in an older form.
  virtual Result<MigrationResult> migrate(Id session);
};

// Reading a session in bulk: for paths, search, export, statistics and checks.
class Transcripts {
 public:
  virtual ~Transcripts() = default;
  // Every entry in the order it was written, from `from` on, a border between two.
  virtual Result<void> load(Id session, Position from, const VisitEntry& visit) = 0;
  // The same backward: first the entry at `from` (none: the last one), then those before it.
  virtual Result<void> load_back(Id session, std::optional<Position> from,
                                 const VisitEntry& visit) = 0;
  Result<void> load_back(Id session, const VisitEntry& visit) {
    return load_back(session, std::nullopt, visit);
  }
  virtual Result<StoredEntry> load_at(Id session, Position at) = 0;
  // What a tree needs of every entry, without its text.
  virtual Result<void> survey(Id session, const VisitFacts& visit) = 0;
  virtual Result<Position> locate(Id session, Id entry) = 0;  // `gone`: no such entry
  virtual Result<Damage> examine(Id session) = 0;             // reads all of it
  // Visits the entries a filter lets pass, as fast as all sessions can be read one after the other,
  // and keeps nothing open. What is redacted by the time it returns; `session` is as it was listed.
  // With more than one of scan_threads(), that many threads may call it at once, for different
  // sessions.
  virtual Result<std::set<Id>> scan(const SessionRecord& session, const ScanFilter& filter,
                                    const VisitFacts& visit) = 0;
  virtual std::size_t scan_threads() const { return 1; }
};

// Moves sessions between stores, byte for byte.
class Transfer {
 public:
  virtual ~Transfer() = default;
  // A session's lines from `from` on, a border between batches. Only of a session that is not
  // damaged.
  virtual Result<void> give_lines(Id session, Position from, const VisitText& visit) = 0;
  // A session that comes from another store, the header's line first: all of it or nothing, and
  // only if every seal fits. `conflict`: it is here in some other way, or another session has its
  // key and it may not be called otherwise here.
  virtual Result<SessionRecord> import_lines(Id session, const GiveLines& lines,
                                             TakenKey taken = TakenKey::refused) = 0;
  // What another store has of a session beyond `end`, where it ends here: whole batches, all or
  // nothing. `conflict` if it ends elsewhere by now, or the seals do not continue from there.
  virtual Result<void> append_lines(Id session, Position end,
                                    std::span<const std::string> lines) = 0;
  // The lines of another store, as of import_lines(), in place of what is here, which is damaged
  // and is set aside whole. `conflict` if it does not end at `end` any more; 0: nothing of it can
  // be read.
  virtual Result<SessionRecord> replace(Id session, Position end, const GiveLines& lines);
};

// Which process works on which session, and which one a workspace used last.
class Presence {
 public:
  virtual ~Presence() = default;
  virtual Result<SessionLease> hold(Id session, LockMode mode) = 0;  // at once, or `busy`
  // Who runs a turn in which of these, for people: "host pts/3". No process is asked, so that it is
  // as good as what they left for us to see.
  virtual std::map<Id, std::string> at_work(std::span<const Id> sessions) = 0;
  virtual std::unique_ptr<SessionWatch> watch(Id session) = 0;  // null: there is no way to notice
  // Writes down what listing and opening should know without reading, and that this workspace used
  // the session last; never needed for safety.
  virtual void remember(Id session, const std::string& workspace) = 0;
  // Only the latter, at once: work on the session begins, and the process may be killed.
  virtual void enter(Id session, const std::string& workspace) = 0;
  virtual std::optional<Id> last_used(const std::string& workspace) = 0;
  // Nothing more is asked of the session for a while: what is held open of it is let go.
  virtual void close(Id session) = 0;
};

// Trash and archive.
class LifeCycle {
 public:
  virtual ~LifeCycle() = default;
  virtual Result<void> erase(Id session) = 0;                        // to the trash
  virtual Result<SessionRecord> restore(std::string_view name) = 0;  // by id, prefix or key
  virtual Result<std::vector<TrashedSession>> trash() = 0;           // the last one first
  virtual Result<EmptiedTrash> empty_trash() = 0;                    // for good
  // An archived session takes less room and is read as before; the next append unarchives it.
  virtual Result<void> archive(Id session) = 0;
  virtual Result<void> unarchive(Id session) = 0;
};

// Bytes too large for an entry, at most 64 MiB, named by their content.
class Blobs {
 public:
  virtual ~Blobs() = default;
  virtual Result<std::string> keep_blob(std::string_view bytes) = 0;
  virtual Result<std::string> load_blob(const std::string& name) = 0;
  // Whether this one, of so many bytes, is there and will be for a while, so that it need not be
  // kept again. False if that would take long to find out.
  virtual bool holds_blob(const std::string& name, std::uint64_t bytes) = 0;
  // Many at once, for less than one after the other; their names in the same order.
  virtual Result<std::vector<std::string>> keep_blobs(std::span<const std::string> all);
};

// All that a place for sessions must be able to do. home::FileBackend implements it in a folder,
// postgres::DatabaseBackend in a database.
class StorageBackend : public Sessions,
                       public Transcripts,
                       public Transfer,
                       public Presence,
                       public LifeCycle,
                       public Blobs {
 public:
  // For a store that has no faster way: entry by entry.
  Result<std::set<Id>> scan(const SessionRecord& session, const ScanFilter& filter,
                            const VisitFacts& visit) override;
};

// What others are shown of a process that holds a lease here: the machine, and the terminal or the
// process.
std::string who_we_are();

}  // namespace skein::store
