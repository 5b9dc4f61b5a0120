// What belongs to one turn of the loop. For the loop's own files only.
#pragma once

#include <string>

#include "core/agent.h"

namespace skein {

struct Agent::Turn {
  Conversation& conversation;
  Settings& settings;
  const Ports& ports;
  std::string run_id = to_string(random_id());
  TurnEnd end{};
};

}  // namespace skein
