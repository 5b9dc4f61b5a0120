#include "core/hooks/claude_names.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/text/json.h"
#include "core/text/text.h"

namespace skein::hooks {

namespace {

struct ToolRow {
  std::string_view ours;
  std::string_view theirs;  // the first is what a script is told; the others match as well
};
constexpr ToolRow tools[] = {
    {"bash", "Bash"},          {"read", "Read NotebookRead"},
    {"write", "Write"},        {"edit", "Edit MultiEdit NotebookEdit"},
    {"grep", "Grep"},          {"list", "LS Glob"},
    {"web_fetch", "WebFetch"}, {"web_search", "WebSearch"},
    {"todo", "TodoWrite"},     {"agent", "Task Agent"},
    {"skill", "Skill"},
};

struct MemberRow {
  std::string_view tool, ours, theirs;
};
constexpr MemberRow members[] = {
    {"bash", "timeout_ms", "timeout"},  {"read", "path", "file_path"},
    {"write", "path", "file_path"},     {"edit", "path", "file_path"},
    {"edit", "old_text", "old_string"}, {"edit", "new_text", "new_string"},
    {"grep", "include", "glob"},        {"grep", "ignore_case", "-i"},
};

std::string_view names_there(std::string_view tool) {
  const auto row = std::ranges::find(tools, tool, &ToolRow::ours);
  return row == std::end(tools) ? std::string_view{} : row->theirs;
}

enum class Way { there, back };

// Members keep their order; what is not in the table keeps its name.
Json renamed(std::string_view tool, const Json& input, Way way) {
  Json out = Json::object();
  for (const auto& [name, value] : input.items()) {
    std::string other = name;
    for (const MemberRow& row : members)
      if (row.tool == tool && (way == Way::there ? row.ours : row.theirs) == name)
        other = way == Way::there ? row.theirs : row.ours;
    out[other] = value;
  }
  return out;
}

std::string from_root(const std::string& path, const std::string& workspace) {
  if (path.starts_with('/') || path.empty()) return path;
  std::string_view below = path;
  while (below.starts_with("./")) below.remove_prefix(2);
  return below == "." ? workspace : workspace + "/" + std::string(below);
}

}  // namespace

std::string claude_name(std::string_view tool) {
  const std::string_view there = names_there(tool);
  return std::string(there.empty() ? tool : first_word(there).first);
}

std::vector<std::string> names_of(std::string_view tool) {
  std::vector<std::string> out{std::string(tool)};
  for (const std::string_view each : split(names_there(tool), ' ')) out.emplace_back(each);
  return out;
}

JsonText input_for_claude(std::string_view tool, const JsonText& input,
                          const std::string& workspace) {
  const std::optional<Json> json = parse_json(input);
  if (!json || !json->is_object()) return input;
  Json out = renamed(tool, *json, Way::there);
  if (!names_there(tool).empty())
    for (const char* member : {"file_path", "path"})
      if (const std::string path = string_at(out, member); !path.empty())
        out[member] = from_root(path, workspace);
  return dump(out);
}

JsonText input_from_claude(std::string_view tool, const JsonText& input) {
  const std::optional<Json> json = parse_json(input);
  return json && json->is_object() ? dump(renamed(tool, *json, Way::back)) : input;
}

JsonText response_for_claude(std::string_view tool, const JsonText& input, const std::string& text,
                             const std::string& workspace) {
  const std::optional<Json> json = parse_json(input_for_claude(tool, input, workspace));
  const std::string path = json ? string_at(*json, "file_path") : "";
  if (tool == "bash")
    return dump({{"stdout", text}, {"stderr", ""}, {"interrupted", false}, {"isImage", false}});
  if (tool == "read")
    return dump({{"type", "text"}, {"file", {{"filePath", path}, {"content", text}}}});
  if (tool == "write" || tool == "edit")
    return dump({{"filePath", path}, {"success", true}, {"content", text}});
  return dump({{"content", text}});
}

}  // namespace skein::hooks
