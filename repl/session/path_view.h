// Shows what was said on the path of a session, as it was first shown: the end of it, or an entry
// with what is around it, and with side questions where they were asked.
#pragma once

#include "core/agent/conversation.h"
#include "core/store/session_store.h"
#include "repl/screen/screen.h"

namespace skein::session {

struct PathView {
  store::SessionStore& store;
  const agent::Conversation& conversation;
  screen::Screen& screen;
};
void show_end(const PathView& view, std::size_t entries);  // the last so many; 0: all
// What was said last, in about a screen: else the last question and the end of its answer.
void show_last(const PathView& view);
void show_around(const PathView& view, Id entry);

}  // namespace skein::session
