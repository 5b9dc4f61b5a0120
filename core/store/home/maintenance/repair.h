// Files among the sessions that are not sessions, and repairs that an append cannot make.
#pragma once

#include "core/store/home/home.h"

namespace skein::store::home::maintenance {

// What cannot be opened as a session: its name and why.
struct Stray {
  std::string name{};
  std::string why{};
};
Result<std::vector<Stray>> strays(Home& home);
// Removes what processes that died left behind, files they were writing once an hour has passed,
// and names it.
Result<std::vector<std::string>> remove_leftovers(Home& home);
// Rebuilds a transcript whose first line is damaged: writes every entry that can be read, under its
// own id, behind a new header into a new file, which then takes the old one's place; the old one
// goes to quarantine/, whole. Where it is now, or nothing if there was nothing to repair.
Result<std::string> repair(Home& home, Id session);
// Rebuilds the index from the sessions themselves; how many there are.
Result<std::size_t> rebuild_index(Home& home);

// A piece of a session that was set aside, and what is in it that the session lacks.
struct SetAside {
  std::string name{};
  std::uint64_t bytes = 0;
  std::vector<Entry> lacking{};
};
Result<std::vector<SetAside>> set_aside(Home& home, Id session);
// Appends those entries behind their parents; the head stays where it is. How many they were.
Result<std::size_t> bring_back(Home& home, Id session);

}  // namespace skein::store::home::maintenance
