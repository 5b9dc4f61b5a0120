// The loop: a prompt becomes saved entries, model calls and tool calls, until the model is done.
#pragma once

#include <string>
#include <vector>

#include "core/event.h"
#include "core/provider.h"
#include "core/tool.h"

namespace skein {

// Why a turn ended.
struct TurnEnd {
  Stop stop = Stop::stop;
  std::string text{};   // the last answer's text
  std::string error{};  // with Stop::error
};

class Agent {
 public:
  Agent(Provider& provider, const Tools& tools) : provider_(provider), tools_(tools) {}

  // One prompt, to its end. Everything is committed before it is shown as committed.
  TurnEnd run_turn(const std::string& prompt, const ModelRef& model, const Ports& ports);

 private:
  void commit(const Message& message, const Ports& ports);

  Provider& provider_;
  const Tools& tools_;
  std::vector<Message> path_{};
};

}  // namespace skein
