// Where sessions rest, in verbs a database also has: no paths, no file descriptors. What can go
// wrong is a value the caller can act on.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/entry.h"
#include "core/model/state.h"
#include "core/store/lease.h"
#include "core/store/result.h"

namespace skein::model {
struct Scrubbing;
}  // namespace skein::model

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

// A session as lists show it and as it is opened.
struct SessionRecord {
  std::string key{};  // the header's, unless another session had it
  SessionHeader header{};
  model::SessionState state{};
  std::uint64_t bytes = 0;
  bool archived = false;
  DamageCount damage{};
};

// An entry on its way in. One that `follows` gets its parent from the store: the entry before it in
// the batch, or the head.
struct NewEntry {
  model::Entry entry{};
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
};

struct AppendResult {
  Id session{};
  std::optional<Id> last{};             // the last entry of the batch
  std::size_t appended = 0;             // 0: all of them were there already
  std::vector<model::Entry> entries{};  // as they were written, with their parents
};

// An entry where it rests.
struct StoredEntry {
  model::Entry entry{};
  model::Position at = 0;
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
  bool any() const {
    return !altered.empty() || !broken.empty() || !uncommitted.empty() || !gaps.empty() ||
           header_damaged;
  }
};

// What was found to be referred to by nothing, and removed.
struct PrunedBlobs {
  std::vector<std::string> names{};
  std::uint64_t bytes = 0;
};

// What a trash held before it was emptied.
struct EmptiedTrash {
  std::size_t sessions = 0;
  std::uint64_t bytes = 0;
};

struct Scrubbed;

// What a scrubbing shall take out besides what the entry says.
struct ScrubWish {
  std::vector<std::string> named{};  // texts that must stand nowhere either
  // Does the same to what lies outside the home, while it is still known what to look for.
  std::function<void(const model::Scrubbing&, Scrubbed&)> elsewhere{};
};

// What a scrubbing did.
struct Scrubbed {
  std::vector<std::string> changed{};    // a sentence for each place where the text stood
  std::vector<std::string> unreached{};  // where it may still stand, and why
  std::vector<std::string> left{};       // a sentence for each file of the user's own that holds it
  std::vector<std::string> repeats{};  // other entries that say a part of it, or the same by chance
  // Summaries of a conversation that had the text in it, still as they were: they may retell it.
  std::vector<Id> summaries{};
};

// A session that was in an older form, and is not any more.
struct MigrationResult {
  Id session{};
  std::string form{};  // the one it had; empty: it was up to date
  std::size_t entries = 0;
  std::string old_file{};             // where the old file is kept now
  std::vector<std::string> losses{};  // what could not be taken over
};

// An entry a fork begins with, besides the path. If it is about another entry (a redaction, a
// label, a snapshot), it comes only where that one does.
struct ForkExtra {
  model::Entry entry{};
  std::optional<Id> about{};
};

class StorageBackend {
 public:
  virtual ~StorageBackend() = default;

  virtual Result<std::vector<SessionRecord>> list() = 0;  // the one used last first
  // Which session has this key, where that is known without looking at them all.
  virtual std::optional<Id> find_key(std::string_view key) = 0;
  // Up to date with what any process has acknowledged.
  virtual Result<SessionRecord> open(Id session) = 0;
  // Atomic. If the key is taken, the session that has it is returned instead.
  virtual Result<Created> create(const SessionHeader& header,
                                 std::span<const NewEntry> entries) = 0;
  // The same, with the path to where the header says it was branched off, and `asides` behind it.
  virtual Result<Created> fork(const SessionHeader& header, std::span<const ForkExtra> asides) = 0;
  // All of the batch or nothing, durable when it returns.
  virtual Result<AppendResult> append(Id session, std::span<const NewEntry> entries,
                                      const AppendOptions& options) = 0;
  // Every entry in the order it was written, from `from` on; `each` returns false to end it.
  virtual Result<void> load(Id session, model::Position from,
                            const std::function<bool(const StoredEntry&)>& each) = 0;
  // What a tree needs of every entry, without its text; it lasts until the next.
  virtual Result<void> survey(Id session,
                              const std::function<void(const model::EntryFacts&)>& each) = 0;
  // As load, but backward: first the entry at `from` (none: the last one), then those before it.
  virtual Result<void> load_back(Id session, std::optional<model::Position> from,
                                 const std::function<bool(const StoredEntry&)>& each) = 0;
  virtual Result<StoredEntry> load_at(Id session, model::Position at) = 0;
  virtual Result<model::Position> locate(Id session, Id entry) = 0;  // `gone`: no such entry
  virtual Result<Damage> examine(Id session) = 0;
  // What reading has come by so far, without reading more.
  virtual DamageCount damage_met(Id session) = 0;

  virtual Result<SessionLease> hold(Id session, LockMode company) = 0;  // at once, or `busy`

  virtual Result<void> erase(Id session) = 0;                        // to the trash
  virtual Result<SessionRecord> restore(std::string_view name) = 0;  // by id, prefix or key
  virtual Result<EmptiedTrash> empty_trash() = 0;                    // for good
  // An archived session takes less room and is read as before; the next append unarchives it.
  virtual Result<void> archive(Id session) = 0;
  virtual Result<void> unarchive(Id session) = 0;

  // Takes what an entry says, and every secret in it, out of every file there is. The one operation
  // that rewrites a session: a new file with the same entries. If it fails, the session it was
  // asked for is as it was, the failure names what could not be reached, and it can be done again.
  virtual Result<Scrubbed> scrub(Id session, Id entry, const ScrubWish& wish) = 0;

  // An older form becomes today's; if that fails, the session stays as it is and is not written to.
  virtual Result<MigrationResult> migrate(Id session) = 0;
  virtual Result<std::vector<MigrationResult>> migrate_strays() = 0;  // all there are

  // Bytes too large for an entry, at most 64 MiB, named by their content.
  virtual Result<std::string> keep_blob(std::string_view bytes) = 0;
  virtual Result<std::string> load_blob(const std::string& name) = 0;
  virtual Result<PrunedBlobs> prune_blobs(bool only_look) = 0;
  // Writes down what listing and opening should know without reading, and that this workspace used
  // the session last; never needed for safety.
  virtual void remember(Id session, const std::string& workspace) = 0;
  // Only the latter, at once: somebody begins to work on the session, and may be killed.
  virtual void enter(Id session, const std::string& workspace) = 0;
  virtual std::optional<Id> last_used(const std::string& workspace) = 0;
  // What lies among the sessions and cannot be opened as one: its name and why.
  struct Stray {
    std::string name{};
    std::string why{};
  };
  virtual Result<std::vector<Stray>> strays() = 0;
  // Why there is no session of this key any more, though nobody deleted it; nothing if there never
  // was one.
  virtual std::optional<Failure> lost(std::string_view key) = 0;
  // What repairs set aside of a session, and how many entries are in it that the session lacks.
  struct SetAside {
    std::string name{};
    std::uint64_t bytes = 0;
    std::vector<model::Entry> lacking{};
  };
  virtual Result<std::vector<SetAside>> set_aside(Id session) = 0;
  // Appends those entries behind their parents; the head stays where it is. How many they were.
  virtual Result<std::size_t> bring_back(Id session) = 0;
  virtual std::size_t older_forms() = 0;  // how many sessions lie there that could be migrated
  // Rebuilds a session that opens read-only because its first line is damaged; where what was there
  // is kept now, or nothing if there was nothing to repair.
  virtual Result<std::string> repair(Id session) = 0;
  // What processes that died left behind, an hour ago or earlier.
  virtual Result<std::vector<std::string>> remove_leftovers() = 0;
  // Makes the index anew from the sessions themselves; how many there are.
  virtual Result<std::size_t> rebuild_index() = 0;
};

}  // namespace skein::store
