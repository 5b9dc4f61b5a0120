// Sessions as a table, and choosing one from a list: filter by typing, preview, open, rename,
// delete.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/store/session_store.h"
#include "repl/layout/table.h"
#include "repl/pick/listed_sessions.h"
#include "repl/terminal/keyboard.h"

namespace skein::pick {

std::string age(std::string_view timestamp);  // "now", "3 min", "2 days"

// A table of sessions: title first, the key last.
struct SessionColumns {
  std::optional<Id> current{};          // is marked
  std::map<Id, std::string> at_work{};  // who is, if anybody
  bool folders = false;                 // where each was begun
  bool whole_keys = false;              // else the end of those that were made up
};
layout::Table session_table(const std::vector<store::SessionRecord>& sessions,
                            const SessionColumns& columns = {});
// The same as rows of so many columns, for a list to pick from.
std::vector<std::string> session_rows(const std::vector<store::SessionRecord>& sessions,
                                      std::size_t width, std::optional<Id> current = {},
                                      bool folders = false);

// The same as sentences, to be read out; `current` is named as such.
std::vector<std::string> session_lines(const std::vector<store::SessionRecord>& sessions,
                                       std::optional<Id> current);

// "Move “fix the lexer” (3 turns, main:cli:user) to the trash?"
std::string delete_question(const store::SessionRecord& record);

struct SessionChoice {
  std::string query{};          // to begin with
  std::optional<Id> current{};  // marked in the list
  std::string workspace{};      // whose sessions are shown first
  bool everywhere = false;      // those of all folders are, rather
  // Asks, and moves a session to the trash.
  std::function<void(const store::SessionRecord&)> erase{};
};

// Nothing if the user left the list.
std::optional<Id> pick_session(terminal::Keyboard& keyboard, store::SessionStore& store,
                               const SessionChoice& choice);

}  // namespace skein::pick
