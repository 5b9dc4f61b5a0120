// One open session as the loop works on it: its head, the end of its path in memory, and the way
// new entries get in. Other processes may write to the same session; this notices.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/model/event.h"
#include "core/model/provider.h"
#include "core/store/session_store.h"

namespace skein::agent {

// What is to be written down when a session goes on with this model; empty if it knows already.
std::vector<model::Entry> changes_to(const model::SessionState& state,
                                     const model::ModelRef& model);

class Conversation {
 public:
  // Throws Error if the session cannot be opened.
  Conversation(store::SessionStore& store, Id session);

  Id session() const { return record_.header.session; }
  const store::SessionRecord& record() const { return record_; }
  const model::SessionState& state() const { return record_.state; }
  std::optional<Id> head() const { return head_; }
  // The end of the path, up to the head: as much as has been read of it. Nothing before a
  // compaction's first kept entry belongs to it.
  const std::vector<model::Entry>& path() const { return path_; }
  // Reads on, until there are so many bytes of payload.
  void read_at_least(std::size_t bytes);
  // Reads several times as much. False: there is no more.
  bool read_further();
  // The end of the whole path, back to the first entry (the newest comes first) for which `enough`
  // is true.
  std::vector<model::Entry> path_until(
      const std::function<bool(const model::Entry&)>& enough) const;
  // How many prompts the path has. Of a long path that branched, as many as are near its end.
  std::int64_t turns() const;
  // What a user should know of this session as it was opened: what is damaged in it.
  const std::vector<std::string>& notices() const { return notices_; }

  // A prompt: if others have gone on from our head meanwhile, it follows them, and `arrived` gets
  // what they wrote.
  store::Result<store::AppendResult> append_prompt(std::vector<model::Entry> entries,
                                                   std::vector<model::Entry>& arrived);
  // What a running turn produced: it follows our own head, as a branch if need be.
  store::Result<store::AppendResult> append(std::vector<model::Entry> entries);

  // Goes on from another entry; written down, so that a restart lands there too.
  void move_head(Id entry);
  void reload();
  void catch_up();  // goes on from the session's own head, which others or the store moved

 private:
  store::Result<store::AppendResult> append_with(std::vector<model::Entry> entries,
                                                 const store::AppendOptions& options);
  void load_path();

  static constexpr std::size_t first_bytes = 256u << 10;

  store::SessionStore& store_;
  store::SessionRecord record_;
  std::optional<Id> head_{};
  std::vector<model::Entry> path_{};
  std::size_t wanted_bytes_ = first_bytes;  // of payload, to be read of the path
  bool has_more_ = false;
  std::vector<std::string> notices_{};
};

}  // namespace skein::agent
