#include "core/mcp/tool_search.h"

#include "core/text/json.h"
#include "core/text/text.h"

namespace skein::mcp {

namespace {

constexpr std::size_t most_found = 5, most_name_bytes = 8u << 10;

// Letters and digits, in lower case; all else separates.
std::vector<std::string> query_words(std::string_view text) {
  std::vector<std::string> out(1);
  for (const char c : lower(text)) {
    if (is_alphanumeric(c) || (c & 0x80) != 0)
      out.back() += c;
    else if (!out.back().empty())
      out.emplace_back();
  }
  if (out.back().empty()) out.pop_back();
  return out;
}

// A word in the name says more than one in the description; each of them counts once.
int score_of(const model::Tool& tool, const std::vector<std::string>& words) {
  const std::string name = lower(tool.name), description = lower(tool.description);
  int score = 0;
  for (const std::string& word : words) {
    if (name.find(word) != std::string::npos) score += 3;
    if (description.find(word) != std::string::npos) score += 1;
  }
  return score;
}

std::vector<const model::Tool*> selected(const model::Tools& tools, std::string_view names,
                                         std::size_t most) {
  std::vector<const model::Tool*> out;
  for (const std::string_view name : split(names, ','))
    if (const model::Tool* tool = model::find_tool(tools, trimmed(name));
        tool != nullptr && out.size() < most)
      out.push_back(tool);
  return out;
}

// "mcp__SERVER" of mcp__SERVER__TOOL; another name stays whole.
std::string server_part(const std::string& tool) {
  constexpr std::string_view prefix = "mcp__";
  return tool.starts_with(prefix) ? tool.substr(0, tool.find("__", prefix.size())) : tool;
}

// All names while they are few, else the servers and how many each has.
std::string names_text(const model::Tools& tools) {
  std::string names;
  std::map<std::string, std::size_t> counts;
  for (const model::Tool& tool : tools) {
    names += (names.empty() ? "" : ", ") + tool.name;
    ++counts[server_part(tool.name)];
  }
  if (names.size() <= most_name_bytes) return names;
  return listed(counts, ", ", [](const auto& each) {
    return each.first + "__… (" + std::to_string(each.second) + ")";
  });
}

std::string described(const model::Tool& tool) {
  return tool.name + "\n" + tool.description + "\nIts arguments, as a JSON schema: " + tool.schema;
}

model::ToolOutcome found_by(const model::Tools& tools, const JsonText& input) {
  const Json given = parse_json(input).value_or(Json::object());
  const std::string query = string_at(given, "query");
  const std::vector<const model::Tool*> found = tools_for(tools, query, most_found);
  if (found.empty())
    return model::tool_failure("no tool fits '" + std::string(utf8_prefix(query, 200)) +
                               "'; there are: " + names_text(tools));
  return model::tool_text(
      listed(found, "\n\n", [](const model::Tool* tool) { return described(*tool); }) +
      "\n\nCall them with " + std::string(call_tool_name) + ".");
}

std::optional<model::ToolUse> meant_by(const model::ToolUse& call) {
  const std::optional<Json> given = parse_json(call.input);
  if (!given || string_at(*given, "name").empty()) return std::nullopt;
  const Json& arguments = at(*given, "arguments");
  model::ToolUse meant = call;
  meant.name = string_at(*given, "name");
  meant.input = dump(arguments.is_object() ? arguments : Json::object());
  return meant;
}

// Shared by the two tools, and lives as long as one of them.
using Deferred = std::shared_ptr<const model::Tools>;

model::Tool search_tool(const Deferred& tools) {
  return {.name = std::string(search_tool_name),
          .description =
              "Search tools of MCP servers that are listed here by name only. Give words that "
              "describe the task, or select:NAME,NAME; returns at most 5 tools with their "
              "arguments. Then call them with tool_call. The tools are: " +
              names_text(*tools),
          .schema =
              R"({"type":"object","properties":{"query":{"type":"string"}},"required":["query"]})",
          .effect = model::Effect::reads,
          .title =
              [](const JsonText& input) {
                return "look for tools: " +
                       string_at(parse_json(input).value_or(Json::object()), "query");
              },
          .run = [tools](const JsonText& input,
                         const model::ToolPorts&) { return found_by(*tools, input); }};
}

model::Tool call_tool(const Deferred& tools) {
  return {
      .name = std::string(call_tool_name),
      .description =
          "Call a tool that tool_search has returned, by its name and with its arguments.",
      .schema = R"({"type":"object","properties":{"name":{"type":"string"},)"
                R"("arguments":{"type":"object"}},"required":["name","arguments"]})",
      .effect = model::Effect::writes,
      .title =
          [tools](const JsonText& input) {
            const auto meant = meant_by({.id = "", .name = "", .input = input});
            const model::Tool* tool = meant ? model::find_tool(*tools, meant->name) : nullptr;
            return tool != nullptr ? tool->title(meant->input) : "call a tool";
          },
      .run =
          [](const JsonText& input, const model::ToolPorts&) {
            const auto meant = meant_by({.id = "", .name = "", .input = input});
            return model::tool_failure("there is no tool '" + (meant ? meant->name : "") +
                                       "' that tool_call can call; find tools with tool_search");
          },
      .stands_for = meant_by};
}

}  // namespace

std::vector<const model::Tool*> tools_for(const model::Tools& tools, std::string_view query,
                                          std::size_t most) {
  constexpr std::string_view select = "select:";
  if (query.starts_with(select)) return selected(tools, query.substr(select.size()), most);
  const std::vector<std::string> words = query_words(query);
  std::vector<std::pair<int, const model::Tool*>> found;
  for (const model::Tool& tool : tools)
    if (const int score = score_of(tool, words); score > 0) found.emplace_back(-score, &tool);
  // Of equals the first by name comes first, each time.
  std::ranges::stable_sort(found, {}, [](const auto& each) { return each.first; });
  std::vector<const model::Tool*> out;
  for (std::size_t i = 0; i < std::min(most, found.size()); ++i) out.push_back(found[i].second);
  return out;
}

model::Tools searching_tools(const model::Tools& deferred) {
  const auto tools = std::make_shared<const model::Tools>(deferred);
  return {search_tool(tools), call_tool(tools)};
}

}  // namespace skein::mcp
