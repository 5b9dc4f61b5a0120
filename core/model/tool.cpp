#include "core/model/tool.h"

#include "core/text/json.h"

namespace skein::model {

ToolOutcome tool_text(std::string text) { return {{Text{std::move(text)}}}; }

ToolOutcome tool_failure(std::string text) { return {{Text{std::move(text)}}, true}; }

constexpr std::string_view amendment_opening = "The user changed `";
constexpr std::string_view hook_amendment_opening = "A hook of the user's changed ";

Text amendment(const std::string& argument, const std::string& text) {
  return {std::string(amendment_opening) + argument +
          "` before this was done. It was done with:\n" + text + "\n"};
}

Text hook_amendment(const JsonText& input) {
  return {std::string(hook_amendment_opening) +
          "this call before it was done. It was done with:\n" + input + "\n"};
}

bool was_amended(const ToolResult& result) {
  const auto* first = result.content.size() > 1 ? std::get_if<Text>(&result.content[0]) : nullptr;
  return first != nullptr && (first->text.starts_with(amendment_opening) ||
                              first->text.starts_with(hook_amendment_opening));
}

const Tool* find_tool(const Tools& tools, std::string_view name) {
  const auto found = std::ranges::find(tools, name, &Tool::name);
  return found == tools.end() ? nullptr : &*found;
}

const Tool* find_file_reader(const Tools& tools) {
  const auto found = std::ranges::find_if(tools, [](const Tool& tool) {
    return tool.effect == Effect::reads && tool.argument.kind == Argument::Kind::file;
  });
  return found == tools.end() ? nullptr : &*found;
}

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
  if (!given || !given->is_object()) return "the arguments are not a JSON object";
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

std::string handing_on(std::string_view agent, std::string_view task) {
  return "Give this task to the agent `" + std::string(agent) +
         "` with your tool `agent`, and answer with what it reports:\n\n" + std::string(task);
}

}  // namespace skein::model
