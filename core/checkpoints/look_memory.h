// What files of a workspace held when they were last looked at, in a file of this machine, so that
// a new process need not read them again. A cache: whatever is wrong with it, they are read.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "core/tools/sandbox/tree_record.h"

namespace skein::checkpoints {

struct LookedAt {
  tools::sandbox::Stamp stamp{};
  std::uint64_t size = 0;
  std::string hash{};
};
using LookedAtFiles = std::unordered_map<std::string, LookedAt>;  // by path

LookedAtFiles load_looks(const std::string& file);
// What was looked at so soon after a change that a second one could hide is left out.
void save_looks(const std::string& file, const LookedAtFiles& looks);

}  // namespace skein::checkpoints
