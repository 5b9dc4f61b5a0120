// A prompt that begins with the name of a sub-agent, "@explore where is the lexer tested?" or
// "@agent-explore …", is for that one. It is no way past the model: what is sent, and kept, is a
// message that has it hand the task on.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "repl/session/services.h"

namespace skein::session {

struct Delegated {
  std::string prompt{};      // what the model is told
  std::size_t name_end = 0;  // where the name ended in what was typed
};
// nullopt: it is for nobody but the model. A file of that name is meant before an agent is.
std::optional<Delegated> delegated(std::string_view prompt, const std::vector<KnownAgent>& agents,
                                   const std::function<bool(std::string_view)>& is_file);

// How a sub-agent is named at the beginning of a prompt.
std::string agent_mention(std::string_view name);

}  // namespace skein::session
