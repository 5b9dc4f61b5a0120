// A prompt that failed before anything of its answer came, for example because the server could not
// be reached: the next prompt takes its place, and it stays as a branch.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/model/entry.h"

namespace skein::agent {

struct FailedPrompt {
  std::optional<Id> parent{};         // which the next prompt follows; none: it is a root
  std::vector<model::Entry> notes{};  // written since, under new ids, for the next prompt to follow
};

// The one at the end of the path; nothing if the last prompt has an answer or is being answered.
std::optional<FailedPrompt> failed_prompt(std::span<const model::Entry> path);

}  // namespace skein::agent
