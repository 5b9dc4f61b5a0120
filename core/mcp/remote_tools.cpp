#include "core/mcp/remote_tools.h"

#include <algorithm>

#include "core/model/schema.h"
#include "core/text/json.h"
#include "core/text/sha256.h"
#include "core/text/text.h"

namespace skein::mcp {

namespace {

constexpr std::size_t longest_tool_name = 64;
constexpr std::size_t most_schema_bytes = 64u << 10;

bool is_tool_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-';
}

bool is_property_name(const std::string& name) {
  return !name.empty() && name.size() <= 64 &&
         std::ranges::all_of(name, [](char c) { return is_tool_letter(c) || c == '.'; });
}

// What the user is to agree to, all of it.
std::string shown_arguments(const JsonText& input) {
  const std::optional<Json> json = parse_json(input);
  if (!json) return input;
  return json->dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::string tool_name(std::string_view server, std::string_view tool,
                      const std::set<std::string>& taken) {
  std::string name = "mcp__" + std::string(server) + "__";
  for (const char c : tool) name += is_tool_letter(c) ? c : '_';
  if (name.size() <= longest_tool_name && !taken.contains(name)) return name;
  const std::string whole = std::string(server) + "\n" + std::string(tool);
  const std::string suffix = "_" + sha256_hex(whole).substr(0, 6);
  return name.substr(0, longest_tool_name - suffix.size()) + suffix;
}

std::string definition_of(const RemoteTool& tool) {
  constexpr std::size_t digits = 16;
  std::string out;
  for (const std::string* part : {&tool.description, &tool.schema, &tool.annotations})
    out += (out.empty() ? "" : "-") + sha256_hex(*part).substr(0, digits);
  return out;
}

JsonText usable_schema(const JsonText& schema) {
  std::optional<Json> json = parse_json(schema.empty() ? "{}" : std::string_view(schema));
  if (!json || !json->is_object() || schema.size() > most_schema_bytes) return {};
  for (const char* refused : {"oneOf", "anyOf", "allOf", "not", "$schema"}) json->erase(refused);
  (*json)["type"] = "object";
  if (!at(*json, "properties").is_object()) (*json)["properties"] = Json::object();
  for (const auto& [name, value] : at(*json, "properties").items())
    if (!is_property_name(name)) return {};
  return dump(*json);
}

namespace {

model::Tool local_tool(const std::string& server, const std::string& name, const JsonText& schema,
                       const RemoteTool& each, const CallServer& call) {
  const std::string shown = server + ": " + each.name;
  return {
      .name = name,
      .description = each.description,
      .schema = schema,
      // Whatever the server says of itself: it asks first, and a crash never runs it again.
      .effect = model::Effect::writes,
      .title =
          [shown](const JsonText& input) {
            constexpr std::size_t most = 160;
            const std::string line = json_line(parse_json(input) ? input : json_string(input));
            return shown + " " + std::string(utf8_prefix(line, most)) +
                   (line.size() > most ? "…" : "");
          },
      .preview = shown_arguments,
      .run = [call, schema, remote = each.name](
                 const JsonText& input, const model::ToolPorts& ports) -> model::ToolOutcome {
        if (const std::string why = model::trouble_with_arguments(schema, input); !why.empty())
          return model::tool_failure("not called: " + why);
        return call(remote, input, ports);
      },
  };
}

}  // namespace

std::vector<std::pair<std::string, model::Tool>> tools_of(const std::string& server,
                                                          const std::vector<RemoteTool>& remote,
                                                          const CallServer& call,
                                                          std::vector<std::string>& left_out) {
  std::vector<std::pair<std::string, model::Tool>> out;
  std::set<std::string> taken;
  for (const RemoteTool& each : remote) {
    const JsonText schema = usable_schema(each.schema);
    const std::string name = tool_name(server, each.name, taken);
    if (schema.empty() || !taken.insert(name).second) {
      left_out.push_back(each.name);
      continue;
    }
    out.emplace_back(each.name, local_tool(server, name, schema, each, call));
  }
  return out;
}

}  // namespace skein::mcp
