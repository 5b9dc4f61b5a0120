#include "core/mcp/resource_tools.h"

#include <vector>

#include "core/mcp/content.h"
#include "core/mcp/remote_tools.h"
#include "core/mcp/rpc.h"

namespace skein::mcp {

namespace {

constexpr std::size_t most_resources = 1'000;

// "uri  name: description", a line each.
void add_lines(std::string& out, const Json& resources, const char* uri) {
  if (!resources.is_array()) return;
  for (const Json& each : resources) {
    const std::string description = string_at(each, "description");
    out += string_at(each, uri) + "  " + string_at(each, "name") +
           (description.empty() ? "" : ": " + description.substr(0, description.find('\n'))) + "\n";
  }
}

// All pages of a list. Throws Error if the server refuses.
std::string lines_of(Client& client, const char* method, const char* member, const char* uri,
                     const model::ToolPorts& ports) {
  std::string out, cursor;
  for (std::size_t count = 0; count < most_resources;) {
    Json params = Json::object();
    if (!cursor.empty()) params["cursor"] = cursor;
    const Reply reply = client.request(method, dump(params), ports);
    if (!reply.answer) throw Error(reply.failure);
    const Json result = reply.answer->result.value_or(Json::object());
    add_lines(out, at(result, member), uri);
    count += at(result, member).size() + 1;
    cursor = string_at(result, "nextCursor");
    if (cursor.empty()) break;
  }
  return out;
}

model::ToolOutcome listed_by(Client& client, const model::ToolPorts& ports) {
  std::string out = lines_of(client, "resources/list", "resources", "uri", ports);
  try {
    out += lines_of(client, "resources/templates/list", "resourceTemplates", "uriTemplate", ports);
  } catch (const Error&) {  // many servers have none, and say so by refusing
  }
  const Json block{{"type", "text"}, {"text", out.empty() ? "there are none" : out}};
  return outcome_of({{"content", Json::array({block})}}, ports);
}

}  // namespace

model::ToolOutcome read_resource(Client& client, const std::string& uri,
                                 const model::ToolPorts& ports) {
  const Reply reply = client.request("resources/read", dump({{"uri", uri}}), ports);
  if (!reply.answer) return model::tool_failure(reply.failure);
  const Json result = reply.answer->result.value_or(Json::object());
  Json blocks = Json::array();
  for (const Json& each : at(result, "contents"))
    blocks.push_back({{"type", "resource"}, {"resource", each}});
  return outcome_of({{"content", std::move(blocks)}}, ports);
}

model::Tools resource_tools(Client& client) {
  const std::vector<RemoteTool> offered{
      {"list_resources", "List what this server has to read, by uri.", R"({"type":"object"})"},
      {"read_resource", "Read one of this server's resources.",
       R"({"type":"object","properties":{"uri":{"type":"string"}},"required":["uri"]})"}};
  std::vector<std::string> left_out;
  model::Tools out;
  for (auto& [remote, tool] : tools_of(
           client.entry().name, offered,
           [&client](const std::string& tool, const JsonText& input,
                     const model::ToolPorts& ports) {
             if (tool == "list_resources") return listed_by(client, ports);
             const Json given = parse_json(input).value_or(Json::object());
             return read_resource(client, string_at(given, "uri"), ports);
           },
           left_out))
    out.push_back(std::move(tool));
  return out;
}

}  // namespace skein::mcp
