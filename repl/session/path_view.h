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
  // What was said last, in about a screen: of more than that, the last question and the end of what
  // came of it.
  void show_last() const;
  void show_around(Id entry) const;

 private:
  using Entries = std::vector<store::StoredEntry>;
  void show(const store::StoredEntry& placed) const;
  Entries end_of_path(std::size_t entries) const;
  void show_some(const Entries& path, std::size_t most, std::size_t from, std::size_t to) const;
  void show_folded(const std::string& question, const std::string& rest, std::size_t rows) const;
  Entries with_asides(Entries path, std::size_t most_bytes) const;

  store::SessionStore& store_;
  const agent::Conversation& conversation_;
  screen::Screen& screen_;
};

}  // namespace skein::session
