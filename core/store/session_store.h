// SessionStore: sessions as append-only lists of entries. It finds them by name, writes to them and
// reads them back by branch. What it does not do itself is in the interfaces of backend.h.
//
// How an append works (append_session_entries; core/store/FORMAT.md has every step):
//  1. The entries of a call are a batch. Each gets its parent, if it has none yet: the entry before
//     it in the batch, or the head of the session.
//  2. The writer takes the lock of the transcript and reads what other processes appended.
//  3. An id that is there with the same content is not written again: to retry is safe. With other
//     content, or if the session does not end where the caller expects, nothing is written.
//  4. The batch is written behind the last one, a line per entry. A seal at the end of each line
//     has its place in the batch and a checksum over the line and all before it.
//  5. The file is synced and the lock released. When the call returns, the batch survives a power
//     cut. With `synced = false` it survives the process alone.
//  6. A crash before that leaves a batch that is not whole. Readers skip it, and the next append
//     moves it to quarantine/. Whole batches are never changed or removed.
#pragma once

#include "core/model/payloads.h"
#include "core/model/tree.h"
#include "core/store/backend.h"

namespace skein::store {

struct SessionHandle {
  Id session_id{};
  int schema_version = format_version;
};

struct NewSession {
  std::string key{};
  std::string cwd{};
  std::string title{};
};

struct FoundSession {
  Id session{};
  bool made = false;  // just now
};

struct LoadOptions {
  std::optional<Id> from{};    // the first one wanted
  std::optional<Id> to{};      // the last one wanted
  std::size_t limit = 0;       // at most so many, counted from the start; 0: all
  std::optional<Id> branch{};  // only the path to this entry; else all, as they were written
};

// The entries from a root, or from as far back as was asked, to a leaf.
struct Path {
  std::vector<StoredEntry> entries{};
  bool whole = true;                   // it begins at the root
  std::vector<std::string> notices{};  // what a user should know about it
};

// An entry that says something about a session or about one of its entries.
using Mark = std::variant<payload::Title, payload::Head, payload::Snapshot, payload::Label,
                          payload::Ttl, payload::Pin, payload::Redaction>;

class SessionStore {
 public:
  // What a folder is a copy of, as SessionHeader has it: asked when a session is made there.
  using ProjectOf = std::function<std::string(const std::string& folder)>;
  explicit SessionStore(std::unique_ptr<StorageBackend> backend, ProjectOf project_of = {})
      : backend_(std::move(backend)), project_of_(std::move(project_of)) {}

  Result<SessionHandle> create_session(const NewSession& session);
  Result<std::vector<Entry>> load_session_entries(Id session, const LoadOptions& options = {});
  // All of the batch or nothing. A session in an older form is migrated first.
  Result<AppendResult> append_session_entries(Id session, std::span<const NewEntry> entries,
                                              const AppendOptions& options = {});
  // A new session that begins with the path to `entry`. An empty key: one is made up. A `summary`
  // of what is left behind becomes its first own entry.
  Result<SessionHandle> branch_from_entry(Id session, Id entry, const std::string& new_key = {},
                                          const std::string& summary = {});
  // Brings a session that is in an older form into the current one; one that is not stays as it is.
  Result<MigrationResult> migrate_session(Id session);

  // The one used last first; throws Error.
  std::vector<SessionRecord> list(const ListFilter& filter = {});
  // Up to date; throws Error. sessions().open() returns the failure instead.
  SessionRecord open(Id session);
  // The session called `name`: a key, an id, a unique prefix of either, or a title. A whole key
  // means the session of that key and no other.
  Result<SessionRecord> find(std::string_view name);
  // The same; a whole key that no session has is made one.
  Result<FoundSession> find_or_create(const std::string& name,
                                      const std::function<std::string()>& workspace);

  // Appends a mark, if it makes sense: the entry it names is there, and the conversation can
  // continue behind an entry that gets a snapshot. A Snapshot with a name that is taken replaces
  // that one; without an entry it removes it. A Redaction masks the entry in every view, export and
  // request; what was written stays.
  Result<AppendResult> mark(Id session, const Mark& mark);

  // The entry whose id begins with `prefix`; it must be the only one.
  Result<Id> find_entry(Id session, std::string_view prefix);
  Result<Entry> load_entry(Id session, Id entry);
  Result<StoredEntry> load_placed(Id session, Id entry);
  // The last `limit` entries (0: all) of the path to `leaf`, without reading what is before them.
  Result<Path> path(Id session, Id leaf, std::size_t limit = 0);
  // The same, back to the first entry (the newest comes first) for which `enough` is true.
  Result<Path> path_until(Id session, Id leaf, const std::function<bool(const Entry&)>& enough);
  // Every entry of the path to `leaf`, the root first, one at a time: memory grows with the number
  // of branches, not of entries. Returns what a user should know about the path.
  Result<std::vector<std::string>> visit_path(Id session, Id leaf, const VisitEntry& visit);
  Result<model::Tree> tree(Id session);

  // What the backend does by itself, by subject.
  Sessions& sessions() { return *backend_; }
  Transcripts& transcripts() { return *backend_; }
  Presence& presence() { return *backend_; }
  LifeCycle& life_cycle() { return *backend_; }
  Blobs& blobs() { return *backend_; }

 private:
  Result<Path> path_by_tree(Id session, Id leaf);

  std::unique_ptr<StorageBackend> backend_;
  ProjectOf project_of_;
};

// Moves the head to where a snapshot is.
Result<AppendResult> rollback(SessionStore& store, Id session, const std::string& snapshot);

// Presence::at_work() of the sessions in a list.
std::map<Id, std::string> at_work(SessionStore& store, std::span<const SessionRecord> sessions);

// Tool calls at the end of the path that have no result: what a crash left behind. Once something
// else was said, a call is past: the model knows that it was interrupted.
std::vector<model::ToolUse> unanswered_calls(std::span<const Entry> path);

// Entries that repeat what `target` says, to be named when that one is masked. On the path to the
// head, those that are not masked and hold a text, a line or a key of `target`. Summaries are left
// out: they may say it in other words, and are named anyway.
Result<std::vector<Id>> entries_repeating(SessionStore& store, Id session, const Entry& target);

// A key no other session has had: <prefix>:<time>, or <prefix>:<time>-<four hex digits>.
std::string fresh_key(std::string_view prefix);

}  // namespace skein::store
