// What lies among the sessions and is none, and the index made anew.
#pragma once

#include <string>
#include <vector>

#include "core/store/home/home.h"

namespace skein::store::home::maintenance {

// What cannot be opened as a session: its name and why.
struct Stray {
  std::string name{};
  std::string why{};
};
Result<std::vector<Stray>> strays(Home& home);
// Removes what processes that died left behind an hour ago or earlier, and names it.
Result<std::vector<std::string>> remove_leftovers(Home& home);
// Makes the index anew from the sessions themselves; how many there are.
Result<std::size_t> rebuild_index(Home& home);

}  // namespace skein::store::home::maintenance
