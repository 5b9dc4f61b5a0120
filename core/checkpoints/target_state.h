// What the workspace was like at an earlier time, put together from the checkpoints taken since:
// the first that speaks of a file tells how it was.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>

#include "core/checkpoints/checkpoint_log.h"

namespace skein::checkpoints {

struct TargetState {
  std::map<std::string, KeptFile> files{};  // what is said outright, up to the first whole one
  std::map<std::string, KeptFile> later{};  // what was said first after that: of ignored files
  // The first checkpoint of everything: what is not in `files` was as in its commit, or not there.
  const CheckpointRecord* whole = nullptr;
};

// As it was before the first of these; they must outlive the result.
TargetState target_state(std::span<const CheckpointRecord> since);

}  // namespace skein::checkpoints
