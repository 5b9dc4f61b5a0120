// The index of a home: sessions.json and `last`, shared by every process on it. Never on the append
// path; merged under index.lock, never overwritten by a stale copy.
#pragma once

#include "core/store/backend.h"
#include "core/store/home/index/dirty_sessions.h"
#include "core/store/home/index/index_text.h"
#include "core/store/home/index/transcript.h"

namespace skein::store::home {

class IndexChange;

// Who has a key or an id.
struct NameOwner {
  std::optional<Id> session{};  // none: no session has it
};

class HomeIndex {
 public:
  using Tell = std::function<void(const std::string&)>;
  // `tell` is given what a user should know was done.
  explicit HomeIndex(files::Files& files, Tell tell = {})
      : files_(files), tell_(std::move(tell)), dirty_(files) {}

  // As it was last written, by any process; nothing is checked.
  Index& stored();
  // Compared with all files: what is wrong or missing is read again.
  Result<Index*> current();
  // What is known of one session, as cheaply as it can be had.
  const IndexEntry* find(Id session);

  // These read the lines of the index, and look at the files of a few sessions. If that may not be
  // what a look at all of them would say, they return nothing.

  // The session that had this key or whole id when the index was written: opening it reads on from
  // there, and shows whether it still has that key.
  std::optional<Id> find_name(std::string_view name);
  // Who has this key or id now.
  std::optional<NameOwner> owner_of(std::string_view name) const;
  // The sessions of such a list, the one used last first, and perhaps others; for a name, all that
  // it may mean.
  std::optional<std::vector<IndexEntry>> quick_list(const ListFilter& filter);
  // Files that are called as transcripts are, and are not in the index.
  std::vector<Id> without_row() const;
  // Whether to leave the index as it is when a session was made, or written to from where the index
  // knows it up to `end`: it has so many sessions that writing all of them costs more than reading
  // the new entries of a few.
  bool may_lag(std::uint64_t known_end, std::uint64_t end) const;

  // What is known of a session that was just made, for find().
  void note_new(const IndexEntry& entry) { hints_[entry.memory.header.session] = entry; }
  void tell(const std::string& text) const {
    if (tell_) tell_(text);
  }
  // Before something is written to a session.
  void note_change(Id session) { dirty_.note(session); }

  // Everything that changes the index, or moves the files it describes, happens while one of these
  // is held.
  Result<IndexChange> change(int patience_ms = 10'000);
  void forget_all();  // but who has which key
  // Copies a transcript's state into the entry after syncing it: its writer may have crashed before
  // the sync. If it cannot be synced, nothing is copied.
  static Result<void> learn(IndexEntry& entry, const Transcript& transcript);
  // Why there is no session of this key, or with this id, though there was one; nothing if there
  // never was.
  std::optional<Failure> lost(std::string_view name);
  // Why some session could not be looked at, the last time all were: its key is not known.
  const std::optional<Failure>& unreadable() const { return unreadable_; }

  std::optional<Id> last_used(const std::string& workspace);
  bool is_last_used(const std::string& workspace, Id session);
  void set_last_used(const std::string& workspace, Id session, const IndexEntry& entry);
  void refresh_last(Id session, const IndexEntry& entry);  // where it was used last
  Result<void> rewrite_last();  // with what the index knows now, for those it knows

 private:
  friend class IndexChange;
  Result<void> save();
  Result<std::vector<LastUsed>> read_last();
  Result<void> set_foreign_aside();
  void tell_of_taken_keys(const std::vector<Id>& newcomers);

  struct Refreshed {
    bool changed = false;  // something had to be read
    std::vector<Id> newcomers{};
    std::map<Id, IndexEntry> missed{};  // what was known of sessions that are not there any more
  };
  Result<Refreshed> refresh();
  Result<void> refresh_names(Refreshed& out);
  bool refresh_entry(Id session, IndexEntry& entry, Refreshed& out);
  void remember_lost(std::map<Id, IndexEntry> missed);

  // A session that a few lines of the index were enough for.
  struct QuickEntry {
    IndexEntry now{};
    IndexEntry known{};  // as it is in the index: what was written since may not be on the disk
  };
  struct Selected {
    std::vector<QuickEntry> entries{};
    bool lost = false;  // some are lost, whose keys must not be given away
  };
  std::optional<Selected> select(const VisitRow& fits, std::size_t most, bool all) const;
  std::optional<std::vector<Id>> without_row(std::vector<Id> known) const;
  std::optional<std::vector<QuickEntry>> newcomers(std::vector<Id> known,
                                                   const std::vector<std::size_t>& keys) const;
  bool is_current(const IndexEntry& entry) const;
  bool reread(IndexEntry& entry) const;
  bool is_large() const;

  files::Files& files_;
  Tell tell_;
  Index index_{};
  files::FileStat stat_{};  // of sessions.json when it was read
  bool read_ = false, there_ = false;
  bool foreign_ = false;  // what is there is another program's
  std::optional<Failure> unreadable_{};
  DirtySessions dirty_;
  // What was read of a few sessions, while all of it was not.
  std::map<Id, IndexEntry> hints_{};
};

// The index, locked for as long as this lives: no other process changes it, or moves the files it
// describes.
class IndexChange {
 public:
  // Every session compared with its file: what the index says then is what is there.
  Result<Index*> refresh();
  // Writes it down.
  Result<void> save();
  // The same after a refresh(), for a caller that made or moved sessions since: that the folder
  // changed is its doing.
  Result<void> save_moved();
  // Both, for a caller that changed files. A failed save is not a failure: the index is a cache,
  // and the next process notices.
  Result<void> finish();

 private:
  friend class HomeIndex;
  IndexChange(HomeIndex& index, files::OpenFile lock) : index_(&index), lock_(std::move(lock)) {}

  HomeIndex* index_;
  files::OpenFile lock_;
  std::optional<std::uint64_t> compared_{};  // so much of the list of dirty sessions
};

}  // namespace skein::store::home
