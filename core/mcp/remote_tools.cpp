#include "core/mcp/remote_tools.h"

#include "core/mcp/protocol.h"
#include "core/mcp/rpc.h"
#include "core/text/checksum.h"
#include "core/text/json.h"
#include "core/text/request_text.h"
#include "core/text/text.h"

namespace skein::mcp {

namespace {

std::string hint_of(const RemotePrompt& prompt) {
  return listed(prompt.arguments, " ", [](const RemotePrompt::Argument& each) {
    return each.required ? "<" + each.name + ">" : "[" + each.name + "]";
  });
}

std::string asked_for(const PromptCommand& command, const RemotePrompt::Argument& argument,
                      const model::ToolPorts& ports) {
  const std::string about = argument.description.empty() ? "" : ": " + argument.description;
  if (!ports.ask_line)
    throw Error("/" + command.name + " needs <" + argument.name + ">" + about + "; it takes " +
                    command.hint,
                ExitStatus::usage);
  const auto line = ports.ask_line({"/" + command.name + " needs " + argument.name + about});
  if (!line || is_blank(*line)) throw Error("/" + command.name + " was not sent");
  return std::string(trimmed(*line));
}

Json arguments_for(const PromptCommand& command, const std::vector<std::string>& words,
                   const model::ToolPorts& ports) {
  Json out = Json::object();
  const std::vector<RemotePrompt::Argument>& wanted = command.prompt.arguments;
  if (wanted.empty() && !words.empty())
    throw Error("/" + command.name + " takes no arguments", ExitStatus::usage);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (i < words.size())  // the last one takes what is left
      out[wanted[i].name] =
          i + 1 == wanted.size() ? listed(words | std::views::drop(i), " ") : words[i];
    else if (wanted[i].required)
      out[wanted[i].name] = asked_for(command, wanted[i], ports);
  }
  return out;
}

// All messages as the content of one; the role of each is written before it.
Json content_of(const Json& messages) {
  Json out = Json::array();
  for (const Json& message : elements(messages)) {
    if (string_at(message, "role") == "assistant")
      out.push_back({{"type", "text"}, {"text", "[the assistant answers:]"}});
    const Json& content = at(message, "content");
    if (content.is_array())
      for (const Json& each : content) out.push_back(each);
    else
      out.push_back(content);
  }
  return out;
}

constexpr std::size_t most_resources = 1'000;

// "uri  name: description", a line each.
void add_lines(std::string& out, const Json& resources, const char* uri) {
  for (const Json& each : elements(resources)) {
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
    const ServerReply reply = client.request(method, dump(params), ports);
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

constexpr std::size_t longest_tool_name = 64;
constexpr std::size_t most_schema_bytes = 64u << 10;

bool is_tool_letter(char c) { return is_alphanumeric(c) || c == '_' || c == '-'; }

bool is_property_name(const std::string& name) {
  return !name.empty() && name.size() <= 64 &&
         std::ranges::all_of(name, [](char c) { return is_tool_letter(c) || c == '.'; });
}

// Everything the user is asked to allow: "title  Fix the tabs", a line for each argument. Further
// lines of a text are indented, so that they cannot look like another argument.
std::string shown_arguments(const JsonText& input) {
  const std::optional<Json> json = parse_json(input);
  if (!json || !json->is_object()) return input;
  std::size_t widest = 0;
  for (const auto& [name, value] : json->items()) widest = std::max(widest, name.size());
  const std::string margin(widest + 2, ' ');
  std::string out;
  for (const auto& [name, value] : json->items()) {
    const std::string line = name + std::string(margin.size() - name.size(), ' ') +
                             (value.is_string() ? value.get<std::string>() : dump(value));
    out += out.empty() ? "" : "\n";
    for (const char c : line) out += c == '\n' ? "\n" + margin : std::string(1, c);
  }
  return out;
}

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
  return listed(std::array{&tool.description, &tool.schema, &tool.annotations}, "-",
                [](const std::string* part) { return sha256_hex(*part).substr(0, digits); });
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

model::ToolOutcome read_resource(Client& client, const std::string& uri,
                                 const model::ToolPorts& ports) {
  const ServerReply reply = client.request("resources/read", dump({{"uri", uri}}), ports);
  if (!reply.answer) return model::tool_failure(reply.failure);
  const Json result = reply.answer->result.value_or(Json::object());
  Json blocks = Json::array();
  for (const Json& each : at(result, "contents"))
    blocks.push_back({{"type", "resource"}, {"resource", each}});
  return outcome_of({{"content", std::move(blocks)}}, ports);
}

model::Tools resource_tools(Client& client) {
  const std::vector<RemoteTool> offered{
      {"list_resources", "List the resources of this server with their URIs.",
       R"({"type":"object"})"},
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

std::vector<PromptCommand> prompt_commands(const Client& client) {
  std::vector<PromptCommand> out;
  std::set<std::string> taken;
  for (const RemotePrompt& prompt : client.view().has.prompts) {
    std::string name = tool_name(client.entry().name, prompt.name, taken);
    if (taken.insert(name).second)
      out.push_back({std::move(name), prompt.description, hint_of(prompt), prompt});
  }
  return out;
}

model::ToolOutcome read_prompt(Client& client, const PromptCommand& command,
                               const std::vector<std::string>& words,
                               const model::ToolPorts& ports) {
  Json params{{"name", command.prompt.name}};
  params["arguments"] = arguments_for(command, words, ports);
  const ServerReply reply = client.request("prompts/get", dump(params), ports);
  if (!reply.answer) throw Error("/" + command.name + " was not sent: " + reply.failure);
  const Json& result = *reply.answer->result;
  Json content = content_of(at(result, "messages"));
  if (content.empty())
    throw Error("/" + command.name + " was not sent: the server returned an empty prompt");
  return outcome_of({{"content", std::move(content)}}, ports);
}

}  // namespace skein::mcp
