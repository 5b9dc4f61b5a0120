// What belongs to one turn of the loop. For the loop's own files only.
#pragma once

#include <string>

#include "core/agent/agent.h"

namespace skein::agent {

struct Agent::Turn {
  Conversation& conversation;
  Settings& settings;
  const model::Ports& ports;
  std::string run_id = to_string(random_id());
  TurnEnd end{};
  int faulty_replies = 0;        // in a row: with calls that cannot be read
  bool asked_after_cut = false;  // the model was asked again after the limit cut a call
};

}  // namespace skein::agent
