#include "core/model/schema.h"

#include <cmath>

#include "core/text/json.h"

namespace skein::model {

namespace {

// Models write 10.0 where they mean 10.
bool is_whole_number(const Json& value) {
  constexpr double most = 9e15;  // beyond it a double no longer tells
  if (value.is_number_integer()) return true;
  if (!value.is_number()) return false;
  const double number = value.get<double>();
  return std::abs(number) <= most && number == std::trunc(number);
}

bool is_of_type(const Json& value, std::string_view type) {
  if (type == "string") return value.is_string();
  if (type == "integer") return is_whole_number(value);
  if (type == "number") return value.is_number();
  if (type == "boolean") return value.is_boolean();
  if (type == "array") return value.is_array();
  if (type == "object") return value.is_object();
  return true;
}

}  // namespace

std::string trouble_with_arguments(const JsonText& schema, const JsonText& input) {
  const std::optional<Json> wanted = parse_json(schema), given = parse_json(input);
  if (!given || !given->is_object()) return "the arguments are no JSON object";
  if (!wanted) return {};
  if (at(*wanted, "required").is_array())
    for (const Json& each : at(*wanted, "required"))
      if (each.is_string() && !given->contains(each.get<std::string>()))
        return "`" + each.get<std::string>() + "` is missing";
  for (const auto& [name, value] : given->items()) {
    const std::string type = string_at(at(at(*wanted, "properties"), name), "type");
    if (!type.empty() && !value.is_null() && !is_of_type(value, type))
      return "`" + name + "` must be of the type " + type;
  }
  return {};
}

}  // namespace skein::model
