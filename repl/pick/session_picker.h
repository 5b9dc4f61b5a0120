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
#include "repl/terminal/keyboard.h"

namespace skein::pick {

std::string age(std::string_view timestamp);  // "now", "3 min", "2 days"

// It was brought in from another program.
inline bool is_import(const store::SessionRecord& record) { return !record.state.origin.empty(); }

// Key, title, age, turns, branches, tokens, and who is at work, if anybody is; `current` is marked.
layout::Table session_table(const std::vector<store::SessionRecord>& sessions, Id current,
                            const std::map<Id, std::string>& at_work = {});
// Title (in this many columns), age, turns, branches, tokens and key, for a list to pick from.
std::vector<std::string> session_rows(const std::vector<store::SessionRecord>& sessions,
                                      std::size_t title_columns);

// The same as sentences, to be read out; `current` is named as such.
std::vector<std::string> session_lines(const std::vector<store::SessionRecord>& sessions,
                                       std::optional<Id> current);

struct SessionChoice {
  std::string query{};          // to begin with
  std::optional<Id> current{};  // marked in the list
  // Asks, and moves a session to the trash.
  std::function<void(const store::SessionRecord&)> erase{};
};

// Nothing if the user left the list.
std::optional<Id> pick_session(terminal::Keyboard& keyboard, store::SessionStore& store,
                               const SessionChoice& choice);

}  // namespace skein::pick
