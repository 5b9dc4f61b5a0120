// What a model is told before anything is said: skein's own words, the workspace's AGENTS.md (else
// CLAUDE.md), the user's addition.
#pragma once

#include <string>
#include <vector>

#include "app/config.h"
#include "core/agent/parts.h"

namespace skein::app {

struct SystemPrompt {
  std::string text{};
  std::string skills{};  // the part of it that lists them; empty: there are none
  std::vector<agent::Surrounding> surroundings{};  // what of it may be different the next time
};
SystemPrompt system_prompt(const Config& config, const std::string& workspace);

}  // namespace skein::app
