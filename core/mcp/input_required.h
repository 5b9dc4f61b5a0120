// How a server of the modern era gets something from the user: it does not answer a request but
// says what it needs, and is asked the same again with that. For .cpp files only.
#pragma once

#include <string>

#include "core/mcp/elicitation.h"
#include "core/model/tool.h"
#include "core/text/json.h"

namespace skein::mcp {

struct AskedAgain {
  Json params{};
  std::string trouble{};  // half a sentence, if it wants what it cannot have
};
// The parameters to ask again with, given a result of the type "input_required".
AskedAgain with_input(Json params, const Json& result, const ElicitationPorts& ports);

Json roots_of(const std::string& workspace);  // the result of roots/list

// `tool` must outlive it.
ElicitationPorts elicitation_ports(const std::string& server, const model::ToolPorts& tool);

}  // namespace skein::mcp
