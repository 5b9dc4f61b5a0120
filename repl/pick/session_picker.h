// Sessions as a table, and a list to choose from: filter, preview, open, rename, delete.
#pragma once

#include "core/store/session_store.h"
#include "repl/layout/table.h"
#include "repl/pick/picker.h"
#include "repl/terminal/keyboard.h"

namespace skein::pick {

// It was imported from another program.
inline bool is_import(const store::SessionRecord& record) { return !record.state.origin.empty(); }

// Which sessions a list shows: by default those of this folder that a user would continue. The
// others are counted, so that they are not missed.
enum class SessionListing {
  here,        // of this folder or project, neither archived nor made by -p
  everywhere,  // in any folder, of any kind
  archived,    // those alone, in any folder
  all,         // also those of sub-agents, and those in which nothing was said
};

struct ListedSessions {
  std::vector<store::SessionRecord> shown{};  // in their order
  // What is left out of those that are `here`.
  std::size_t elsewhere = 0, one_shots = 0, archived = 0;
  std::size_t left_out() const { return elsewhere + one_shots + archived; }
};

struct ListRequest {
  SessionListing which = SessionListing::here;
  std::string workspace{};
  std::optional<Id> current{};  // is always shown
  // The others neither show nor count; left out: all do.
  std::function<bool(const store::SessionRecord&)> fits{};
};
ListedSessions listed_sessions(std::vector<store::SessionRecord> all, const ListRequest& request);

// "12 in other folders, 3 made by -p, 1 archived"; empty: nothing is.
std::string left_out_text(const ListedSessions& listed);

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

// Whether what was typed may mean this session: letters of its title or key.
bool fits(std::string_view query, const store::SessionRecord& record);

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
