#include "core/mcp/header_parameters.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "core/text/text.h"

namespace skein::mcp {

namespace {

constexpr std::string_view annotation = "x-mcp-header";

bool is_token(std::string_view text) {
  constexpr std::string_view marks = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::ranges::all_of(text, [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           marks.find(c) != std::string_view::npos;
  });
}

// How often the annotation stands anywhere in the schema.
std::size_t annotations_in(const Json& schema) {
  std::size_t count = schema.is_object() && schema.contains(annotation) ? 1 : 0;
  if (schema.is_structured())
    for (const Json& each : schema) count += annotations_in(each);
  return count;
}

class Annotated {
 public:
  void look_at(const Json& schema) {
    const Json& properties = at(schema, "properties");
    if (!properties.is_object()) return;
    for (const auto& [name, property] : properties.items()) {
      path_.push_back(name);
      if (property.is_object() && property.contains(annotation)) take(property);
      look_at(property);
      path_.pop_back();
    }
  }

  bool good = true;
  std::vector<HeaderParameter> found{};

 private:
  void take(const Json& property) {
    const std::string header = string_at(property, annotation), type = string_at(property, "type");
    const bool fits = type == "string" || type == "integer" || type == "boolean";
    good = good && fits && is_token(header) && taken_.insert(lower(header)).second;
    found.push_back({path_, header});
  }

  std::vector<std::string> path_{};
  std::set<std::string> taken_{};
};

std::optional<std::string> plain_value(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "true" : "false";
  if (value.is_number_integer()) return value.dump();
  return std::nullopt;
}

}  // namespace

std::optional<std::vector<HeaderParameter>> header_parameters(const Json& schema) {
  Annotated annotated;
  annotated.look_at(schema);
  // One that no chain of properties leads to would not mean one argument.
  if (!annotated.good || annotations_in(schema) != annotated.found.size()) return std::nullopt;
  return annotated.found;
}

std::vector<std::pair<std::string, std::string>> parameter_headers(const Json& schema,
                                                                   const Json& arguments) {
  std::vector<std::pair<std::string, std::string>> out;
  for (const HeaderParameter& each :
       header_parameters(schema).value_or(std::vector<HeaderParameter>{})) {
    const Json* value = &arguments;
    for (const std::string& name : each.path) value = &at(*value, name);
    if (const auto text = plain_value(*value))
      out.emplace_back("mcp-param-" + lower(each.header), *text);
  }
  return out;
}

}  // namespace skein::mcp
