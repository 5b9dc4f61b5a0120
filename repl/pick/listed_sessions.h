// Which sessions a list shows: by default those of this folder that somebody goes on with. The
// others are counted, so that nobody misses them.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/store/session_store.h"

namespace skein::pick {

// It was brought in from another program.
inline bool is_import(const store::SessionRecord& record) { return !record.state.origin.empty(); }

enum class Listing {
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

struct ListWish {
  Listing which = Listing::here;
  std::string workspace{};
  std::optional<Id> current{};  // is always shown
  // The others neither show nor count.
  std::function<bool(const store::SessionRecord&)> fits = [](const store::SessionRecord&) {
    return true;
  };
};
ListedSessions listed_sessions(std::vector<store::SessionRecord> all, const ListWish& wish);

// "12 in other folders, 3 made by -p, 1 archived"; empty: nothing is.
std::string left_out_text(const ListedSessions& listed);

}  // namespace skein::pick
