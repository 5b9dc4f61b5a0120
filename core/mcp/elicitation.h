// What a server wants to know from the user in the middle of a call: a form of a few fields, or a
// page to look at. It is asked as the server's question, answered only by a person, and never
// about secrets. For .cpp files only.
#pragma once

#include "core/model/tool.h"
#include "core/text/json.h"

namespace skein::mcp {

// The result of `elicitation/create` with these parameters: {"action": "accept", "content": …},
// or "decline" (the user does not want to, or there is no user) or "cancel" (the user left).
Json elicited(const Json& params, const std::string& server, const model::ToolPorts& ports);

// The value of a field as its schema wants it, from what was typed.
struct FieldValue {
  Json value{};
  std::string trouble{};  // why it is none; empty: it is one
};
FieldValue field_value(const Json& schema, const std::string& typed);

// The field of a form that asks for what no server may ask this way; empty: none does.
std::string secret_field(const Json& schema);

// How a stateless server gets something from the user: it does not answer a request but says what
// it needs, and is asked the same again with that.
struct AskedAgain {
  Json params{};
  std::string trouble{};  // half a sentence, if it wants what it cannot have
};
// The parameters to ask again with, given a result of the type "input_required".
AskedAgain with_input(Json params, const Json& result, const std::string& server,
                      const model::ToolPorts& ports);

Json roots_of(const std::string& workspace);  // the result of roots/list

}  // namespace skein::mcp
