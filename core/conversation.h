// One open session as the loop works on it: its head, the end of its path in memory, and the way
// new entries get in. Other processes may write to the same session; this notices.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/event.h"
#include "core/provider.h"
#include "core/store/session_store.h"

namespace skein {

// What is to be written down when a session goes on with this model; empty if it knows already.
std::vector<Entry> changes_to(const SessionState& state, const ModelRef& model);

class Conversation {
 public:
  // Throws Error if the session cannot be opened.
  Conversation(SessionStore& store, Id session);

  Id session() const { return record_.header.session; }
  const SessionRecord& record() const { return record_; }
  const SessionState& state() const { return record_.state; }
  std::optional<Id> head() const { return head_; }
  // From the root, or as far back as a model could want, to the head.
  const std::vector<Entry>& path() const { return path_; }
  const std::vector<std::string>& notices() const { return notices_; }

  // A prompt: if others have gone on from our head meanwhile, it follows them, and `arrived` gets
  // what they wrote.
  Outcome<AppendResult> append_prompt(std::vector<Entry> entries, std::vector<Entry>& arrived);
  // What a running turn produced: it follows our own head, as a branch if need be.
  Outcome<AppendResult> append(std::vector<Entry> entries);

  // Goes on from another entry; written down, so that a restart lands there too.
  void move_head(Id entry);
  void follow_head();  // the store moved it
  void reload();
  void catch_up();  // with what others wrote: goes on from the session's own head

 private:
  Outcome<AppendResult> append_with(std::vector<Entry> entries, const AppendOptions& options);
  void load_path();

  SessionStore& store_;
  SessionRecord record_;
  std::optional<Id> head_{};
  std::vector<Entry> path_{};
  std::vector<std::string> notices_{};
};

}  // namespace skein
