// What repairs set aside: looked through, and brought back where somebody asks for it.
#pragma once

#include <string>
#include <vector>

#include "core/store/home/home.h"

namespace skein::store::home::maintenance {

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
