// Shows what was said on the path of a session, as it was first shown: the end of it, or an entry
// with what stands around it; and where something was asked beside the path, that too.
#pragma once

#include <vector>

#include "core/agent/conversation.h"
#include "core/store/session_store.h"
#include "repl/screen/screen.h"

namespace skein::session {

class PathView {
 public:
  PathView(store::SessionStore& store, const agent::Conversation& conversation,
           screen::Screen& screen)
      : store_(store), conversation_(conversation), screen_(screen) {}

  void show_end(std::size_t entries) const;  // the last so many; 0: all
  void show_around(Id entry) const;

 private:
  using Entries = std::vector<store::StoredEntry>;
  void show(const store::StoredEntry& placed) const;
  Entries with_asides(Entries path, std::size_t most_bytes) const;

  store::SessionStore& store_;
  const agent::Conversation& conversation_;
  screen::Screen& screen_;
};

}  // namespace skein::session
