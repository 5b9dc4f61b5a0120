// The index of a home: sessions.json and `last`, shared by every process on it. Never on the append
// path; merged under index.lock, never overwritten by a stale copy.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/store/files.h"
#include "core/store/index.h"

namespace skein {

class HomeIndex {
 public:
  explicit HomeIndex(Files& files) : files_(files) {}

  // As it was last written, by any process; nothing is checked.
  Index& stored();
  // Checked against the files there are: what is wrong or missing is read anew.
  Index& current();
  // The same for a caller that holds the lock and will save.
  Index& current_locked();
  // Why the index may lack a session, if the last look at them all failed just now.
  const std::optional<Failure>& unseen() const { return unseen_; }
  // What is known of one session, as cheaply as it can be had.
  const IndexEntry* find(Id session);

  static void learn(IndexEntry& entry, const Log& log);  // what the log knows now

  // Everything that changes the index happens while this is held.
  std::optional<Failure> lock(OpenFile& held, int patience_ms = 10'000);
  int save();
  // For one who has just looked at all sessions and changed which there are.
  int save_settled();
  void forget_all();

  std::optional<Id> last_used(const std::string& workspace);
  void set_last_used(const std::string& workspace, Id session);

 private:
  bool settle();                                 // true if anything had to be read
  std::optional<std::vector<Id>> transcripts();  // nothing: they cannot be listed

  Files& files_;
  Index index_{};
  FileStat stat_{};  // of sessions.json when it was read
  bool read_ = false;
  std::optional<LastUsed> hint_{};
  std::optional<Failure> unseen_{};
};

}  // namespace skein
