// The index of a home: sessions.json and `last`, shared by every process on it. Never on the append
// path; merged under index.lock, never overwritten by a stale copy.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/store/home/index.h"
#include "core/store/home/transcript.h"
#include "core/store/home/unsettled.h"

namespace skein::store::home {

class IndexChange;

class HomeIndex {
 public:
  using Tell = std::function<void(const std::string&)>;
  // `tell` is given what a user should know was done.
  explicit HomeIndex(files::Files& files, Tell tell = {})
      : files_(files), tell_(std::move(tell)), unsettled_(files) {}

  // As it was last written, by any process; nothing is checked.
  Index& stored();
  // Checked against the files there are: what is wrong or missing is read anew.
  Result<Index*> current();
  // What is known of one session, as cheaply as it can be had.
  const IndexEntry* find(Id session);
  // The session that had this key or whole id when the index was written.
  std::optional<Id> find_name(std::string_view name);
  // Who has this key or id; nothing: only a look at every session can tell.
  std::optional<NameOwner> owner_of(std::string_view name) const;
  std::vector<Id> without_row() const;  // see QuickIndex
  // Whether to leave the index as it is when a session was made, or written to from where the index
  // knows it up to `end`: it has so many sessions that writing all of them costs more than reading
  // the new entries of a few.
  bool may_lag(std::uint64_t known_end, std::uint64_t end) const;
  // What such a list has, without a look at every session; nothing: that cannot be told.
  std::optional<std::vector<SessionRecord>> quick_list(const ListFilter& filter);
  // What is known of a session that was just made, for find().
  void note_new(const IndexEntry& entry) { hints_[entry.memory.header.session] = entry; }
  void tell(const std::string& text) const {
    if (tell_) tell_(text);
  }
  // Before something is written to a session.
  void note_change(Id session) { unsettled_.note(session); }

  // Everything that changes the index, or the files it tells of, happens while one of these is
  // held.
  Result<IndexChange> change(int patience_ms = 10'000);
  void forget_all();  // but who has which key
  // Takes over what a transcript knows of its session, once all of that is on the disk: whoever
  // wrote it may not have got so far. If it cannot be put there, nothing is taken over.
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
  Result<void> write_last(const std::vector<LastUsed>& used);
  void settle_lost(std::map<Id, IndexEntry> missed);
  struct Settled {
    bool changed = false;  // something had to be read
    std::vector<Id> newcomers{};
  };
  Result<Settled> settle();
  Result<std::vector<Id>> transcripts();
  Result<void> set_foreign_aside();
  void tell_of_taken_keys(const std::vector<Id>& newcomers);

  files::Files& files_;
  Tell tell_;
  Index index_{};
  files::FileStat stat_{};  // of sessions.json when it was read
  bool read_ = false, there_ = false;
  bool foreign_ = false;  // what is there is another program's
  std::optional<Failure> unreadable_{};
  Unsettled unsettled_;
  // What was read of a few sessions, while all of it was not.
  std::map<Id, IndexEntry> hints_{};
};

}  // namespace skein::store::home
