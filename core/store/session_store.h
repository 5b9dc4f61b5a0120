// Sessions as the user knows them: the only door to what is kept. It neither trims, shapes nor
// sends anything; it stores entries and gives them back, whole, in order, by branch.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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

// A branch in a list: where it ends, how long it is, what was said last.
struct Branch {
  Id leaf{};
  std::size_t length = 0;
  std::string preview{};
};

class SessionStore {
 public:
  // What a folder is a copy of, as SessionHeader has it: asked when a session is made there.
  using ProjectOf = std::function<std::string(const std::string& folder)>;
  explicit SessionStore(std::unique_ptr<StorageBackend> backend, ProjectOf project_of = {})
      : backend_(std::move(backend)), project_of_(std::move(project_of)) {}

  Result<SessionHandle> create_session(const NewSession& session);
  // One whose id and time are given, with what it begins with. If the key is taken, the session
  // that has it is returned instead.
  Result<Created> create_session(const SessionHeader& header, std::span<const NewEntry> entries) {
    return backend_->create(header, entries);
  }
  Result<std::vector<Entry>> load_session_entries(Id session, const LoadOptions& options = {});
  Result<AppendResult> append_session_entries(Id session, std::span<const NewEntry> entries,
                                              const AppendOptions& options = {}) {
    return backend_->append(session, entries, options);
  }
  // A new session that begins with the path to `entry`. An empty key: one is made up. A `summary`
  // of what is left behind becomes its first own entry.
  Result<SessionHandle> branch_from_entry(Id session, Id entry, const std::string& new_key = {},
                                          const std::string& summary = {});
  // Brings a session that is in an older form into the current one. Opening a key and appending do
  // this when they must.
  Result<MigrationResult> migrate_session(Id session) { return backend_->migrate(session); }
  Result<SessionRecord> open(Id session) { return backend_->open(session); }
  // The one used last first; throws Error.
  std::vector<SessionRecord> list(const ListFilter& filter = {}) {
    return value_or_throw(backend_->list(filter));
  }
  Result<SessionLease> hold(Id session, LockMode company) {
    return backend_->hold(session, company);
  }
  std::map<Id, std::string> at_work(std::span<const Id> sessions) {
    return backend_->at_work(sessions);
  }
  std::map<Id, std::string> at_work(const std::vector<SessionRecord>& sessions);
  std::unique_ptr<SessionWatch> watch(Id session) { return backend_->watch(session); }
  Result<void> erase(Id session) { return backend_->erase(session); }
  Result<SessionRecord> restore(std::string_view name) { return backend_->restore(name); }
  Result<std::vector<TrashedSession>> trash() { return backend_->trash(); }
  Result<EmptiedTrash> empty_trash() { return backend_->empty_trash(); }
  Result<AppendResult> rename(Id session, const std::string& title);
  Result<AppendResult> set_head(Id session, Id entry);
  // A name for an entry, to come back to; which there are is in the session's state. A snapshot of
  // the same name is replaced.
  Result<AppendResult> snapshot(Id session, const std::string& name, Id entry);
  Result<AppendResult> delete_snapshot(Id session, const std::string& name);
  Result<AppendResult> rollback(Id session, const std::string& name);  // moves the head there
  Result<AppendResult> label(Id session, Id entry, const std::string& text);  // empty: none
  Result<AppendResult> set_ttl(Id session, const std::string& age);           // "30d"; empty: none
  Result<AppendResult> pin(Id session, bool pinned);
  // Masks an entry in every view, export and request; what was written stays.
  Result<AppendResult> redact(Id session, Id entry, const std::string& reason);
  // Those nobody has written to for so long, the oldest first.
  std::vector<SessionRecord> unused_for(std::int64_t ms);

  // The session called `name`: a key, an id, a unique prefix of either, or a title. A whole key
  // means the session of that key and no other.
  Result<SessionRecord> find(std::string_view name);
  // The same; a whole key that no session has is made one.
  Result<FoundSession> find_or_create(const std::string& name,
                                      const std::function<std::string()>& workspace);
  // The entry whose id begins with `prefix`; it must be the only one.
  Result<Id> find_entry(Id session, std::string_view prefix);
  Result<Entry> load_entry(Id session, Id entry);
  Result<StoredEntry> load_placed(Id session, Id entry);

  // The last `limit` entries (0: all) of the path to `leaf`, without reading what lies before them.
  Result<Path> path(Id session, Id leaf, std::size_t limit = 0);
  // The same, back to the first entry (the newest comes first) for which `enough` is true.
  Result<Path> path_until(Id session, Id leaf, const std::function<bool(const Entry&)>& enough);
  // Every entry of the path to `leaf`, the root first, one at a time: memory grows with the number
  // of branches, not of entries. Returns what a user should know about the path.
  Result<std::vector<std::string>> visit_path(Id session, Id leaf, const VisitEntry& visit);
  Result<model::Tree> tree(Id session);
  Result<std::vector<Branch>> branches(Id session);

  // Every entry in the order it was written, from a border between two on.
  Result<void> load_from(Id session, Position from, const VisitEntry& each) {
    return backend_->load(session, from, each);
  }
  // All of them.
  Result<void> load(Id session, const VisitEntry& each) { return backend_->load(session, 0, each); }
  // The same backward, from the last one on.
  Result<void> load_back(Id session, const VisitEntry& each) {
    return backend_->load_back(session, std::nullopt, each);
  }
  Result<StoredEntry> load_at(Id session, Position at) { return backend_->load_at(session, at); }
  Result<void> survey(Id session, const VisitFacts& each) {
    return backend_->survey(session, each);
  }
  Result<Damage> examine(Id session) { return backend_->examine(session); }
  // For a search over many sessions: see StorageBackend.
  Result<std::set<Id>> sift(const SessionRecord& session, const Sieve& sieve,
                            const VisitFacts& visit) {
    return backend_->sift(session, sieve, visit);
  }
  std::size_t sift_threads() const { return backend_->sift_threads(); }
  // An archived session takes less room and is read as before; the next append unarchives it.
  Result<void> archive(Id session) { return backend_->archive(session); }
  Result<void> unarchive(Id session) { return backend_->unarchive(session); }
  Result<std::string> keep_blob(std::string_view bytes) { return backend_->keep_blob(bytes); }
  bool holds_blob(const std::string& name, std::uint64_t bytes) {
    return backend_->holds_blob(name, bytes);
  }
  Result<std::string> load_blob(const std::string& name) { return backend_->load_blob(name); }
  Result<std::vector<std::string>> keep_blobs(std::span<const std::string> all) {
    return backend_->keep_blobs(all);
  }

  void enter(Id session, const std::string& workspace) { backend_->enter(session, workspace); }
  void remember(Id session, const std::string& workspace) {
    backend_->remember(session, workspace);
  }
  std::optional<Id> last_used(const std::string& workspace) {
    return backend_->last_used(workspace);
  }
  void close(Id session) { backend_->close(session); }

 private:
  Result<Path> path_by_tree(Id session, Id leaf);
  template <class Payload>
  Result<AppendResult> append_marker(Id session, const Payload& payload);
  Result<Id> snapshot_called(Id session, const std::string& name);

  std::unique_ptr<StorageBackend> backend_;
  ProjectOf project_of_;
};

// Tool calls at the end of the path that have no result: what a crash left behind. Once something
// else was said, a call is past: the model has been told that it was interrupted.
std::vector<model::ToolUse> unanswered_calls(std::span<const Entry> path);

// A key no other session has had: <prefix>:<time>, or <prefix>:<time>-<four hex digits>.
std::string fresh_key(std::string_view prefix);

}  // namespace skein::store
