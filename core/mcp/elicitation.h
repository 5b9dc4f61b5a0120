// What a server wants to know from the user in the middle of a call: a form of a few fields, or a
// page to look at. It is asked as the server's question, answered only by a person, and never
// about secrets. For .cpp files only.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "core/model/event.h"
#include "core/text/json.h"

namespace skein::mcp {

struct ElicitationPorts {
  std::string server{};
  // Both empty where nobody can be asked.
  std::function<model::Answer(const model::Question&)> ask{};
  std::function<std::optional<std::string>(const model::LineQuestion&)> ask_line{};
  std::function<bool()> stopped = [] { return false; };
  std::function<void(const std::string& remark)> tell = [](const std::string&) {};
};

// The result of `elicitation/create` with these parameters: {"action": "accept", "content": …},
// or "decline" (the user does not want to, or there is nobody) or "cancel" (the user left).
Json elicited(const Json& params, const ElicitationPorts& ports);

// The value of a field as its schema wants it, from what was typed.
struct FieldValue {
  Json value{};
  std::string trouble{};  // why it is none; empty: it is one
};
FieldValue field_value(const Json& schema, const std::string& typed);

// The field of a form that asks for what no server may ask this way; empty: none does.
std::string secret_field(const Json& schema);

}  // namespace skein::mcp
