// What a model is told before anything is said: skein's own words, the workspace's AGENTS.md (else
// CLAUDE.md), the user's addition.
#pragma once

#include <string>

#include "app/config.h"

namespace skein::app {

std::string system_prompt(const Config& config, const std::string& workspace);

}  // namespace skein::app
