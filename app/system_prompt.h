// What a model is told before anything is said: skein's own words, the instructions that count
// here, the user's addition.
#pragma once

#include <string>
#include <vector>

#include "app/load_config.h"
#include "core/agent/parts.h"
#include "core/instructions/instructions.h"
#include "core/memory/memory.h"
#include "core/project/places.h"

namespace skein::app {

struct SystemPrompt {
  std::string text{};
  std::string skills{};  // the part of it that lists them; empty: there are none
  std::vector<agent::Surrounding> surroundings{};  // what of it may be different the next time
};
SystemPrompt system_prompt(const config::Config& config, const std::string& workspace,
                           const std::vector<instructions::Document>& documents,
                           const memory::Memory& memory);

// Where instructions for work in this folder are looked for.
instructions::Places instruction_places(const project::Places& project);
// What was read, in one line for the user; empty: nothing.
std::string read_line(const std::vector<instructions::Document>& documents);

}  // namespace skein::app
