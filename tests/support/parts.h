// What an agent works with in a test: nothing is masked, nothing is remembered, no model has
// limits.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/agent/turn.h"

namespace skein::test {

inline agent::Parts agent_parts(store::SessionStore& store, const model::Tools& tools,
                                model::Provider& provider) {
  return {
      .store = store,
      .tools = tools,
      .provider = [&provider](const model::ModelRef&) -> model::Provider& { return provider; },
      .limits = [](const model::ModelRef&) { return agent::ModelLimits{}; },
      .learn = [](const model::ModelRef&, const agent::ModelLimits&) {},
      .fallbacks = [](const model::ModelRef&) { return std::vector<model::ModelRef>{}; },
      .cost = [](const model::SessionState&) { return std::optional<double>{}; },
      .clean = [](std::string text) { return text; },
      .transcript = [](Id) { return std::string{}; },
      .no_sandbox = [] { return std::string("there is no sandbox"); },
      .grant = [](Id, const std::string&) { return std::string{}; },
      .grant_here = [](const std::string&) { return std::string("there is no place to keep it"); },
      .revoke_here = [](const std::string&) { return std::string{}; },
      .before_turn = [](const model::Ports&) {},
      .look_around = [](agent::Settings&) {},
      .nearby = [](const std::string&) { return std::vector<agent::Surrounding>{}; }};
}

// The same, with what the test is about.
template <class Change>
agent::Parts agent_parts(store::SessionStore& store, const model::Tools& tools,
                         model::Provider& provider, Change change) {
  agent::Parts out = agent_parts(store, tools, provider);
  change(out);
  return out;
}

}  // namespace skein::test
