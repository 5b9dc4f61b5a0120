#include "core/hooks/definition.h"

#include "core/text/json.h"
#include "core/text/pattern.h"
#include "core/text/text.h"

namespace skein::hooks {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds usual{60'000};
constexpr milliseconds before_prompt{30'000};
constexpr milliseconds for_news{5'000};  // the user waits for the question it announces

constexpr EventFacts table[] = {
    {Event::session_start, "SessionStart", "source", false, false, true, usual},
    {Event::user_prompt_submit, "UserPromptSubmit", "", false, true, true, before_prompt},
    {Event::pre_tool_use, "PreToolUse", "tool", true, true, false, usual},
    {Event::permission_request, "PermissionRequest", "tool", true, false, false, usual},
    {Event::post_tool_use, "PostToolUse", "tool", true, true, false, usual},
    {Event::post_tool_use_failure, "PostToolUseFailure", "tool", true, true, false, usual},
    {Event::notification, "Notification", "type", false, false, false, for_news},
    {Event::stop, "Stop", "", false, true, false, usual},
    {Event::subagent_stop, "SubagentStop", "agent", false, true, false, usual},
    {Event::pre_compact, "PreCompact", "manual or auto", false, true, false, usual},
    {Event::post_compact, "PostCompact", "manual or auto", false, false, false, usual},
    {Event::pre_model_switch, "PreModelSwitch", "", false, true, false, usual},
    {Event::post_model_switch, "PostModelSwitch", "", false, false, false, usual},
    {Event::session_end, "SessionEnd", "reason", false, false, false, time_at_end},
};
static_assert(std::ranges::is_sorted(table, {}, &EventFacts::event));

constexpr std::size_t most_hooks = 500;  // of one file; more are a mistake

bool is_list_of_names(std::string_view matcher) {
  return std::ranges::all_of(matcher, [](char c) {
    return is_alphanumeric(c) || std::string_view("_-,| ").find(c) != std::string_view::npos;
  });
}

std::chrono::milliseconds seconds_at(const Json& hook) {
  const Json& given = at(hook, "timeout");
  constexpr double longest = 3'600;
  if (!given.is_number()) return {};
  return std::chrono::milliseconds(
      static_cast<std::int64_t>(std::clamp(given.get<double>(), 0.0, longest) * 1000));
}

}  // namespace

std::span<const EventFacts> events() { return table; }

const EventFacts& facts_about(Event event) { return table[static_cast<std::size_t>(event)]; }

std::optional<Event> parse_event(std::string_view name) {
  const auto found = std::ranges::find(table, name, &EventFacts::name);
  return found == std::end(table) ? std::nullopt : std::optional(found->event);
}

std::string shown(const HookDefinition& definition) {
  std::string out = definition.command;
  for (const std::string& word : definition.words.value_or(std::vector<std::string>{}))
    out += " " + word;
  return out;
}

bool matches(std::string_view matcher, const std::vector<std::string>& names) {
  matcher = trimmed(matcher);
  if (matcher.empty() || matcher == "*") return true;
  if (!is_list_of_names(matcher)) {
    const auto compiled = Regex::compile(matcher, Regex::Case::sensitive);
    const auto* expression = std::get_if<Regex>(&compiled);
    return expression == nullptr || std::ranges::any_of(names, [&](const std::string& name) {
             return expression->found_in(name);
           });
  }
  std::string list(matcher);
  std::ranges::replace(list, ',', '|');
  for (const std::string_view word : split(list, '|'))
    if (std::ranges::find(names, trimmed(word)) != names.end()) return true;
  return false;
}

ReadHooks read_claude_hooks(std::string_view json, const std::string& file, bool of_project) {
  const std::optional<Json> root = parse_json(json);
  if (!root) return {.trouble = "it is not JSON"};
  ReadHooks out;
  const Json& all = at(*root, "hooks");
  if (!all.is_object()) return out;
  const auto pass_over = [&](const std::string& why) {
    out.remarks.push_back(file + ": hooks ignored: " + why);
  };
  const auto take = [&](Event event, const std::string& matcher, const Json& hook) {
    const std::string type = string_at(hook, "type", "command");
    if (type != "command")
      return pass_over("skein runs only hooks of the type command, not " + type);
    if (string_at(hook, "command").empty()) return pass_over("a hook has no command");
    if (out.definitions.size() >= most_hooks)
      return pass_over("more than " + std::to_string(most_hooks));
    HookDefinition read{.event = event,
                        .matcher = matcher,
                        .condition = string_at(hook, "if"),
                        .command = string_at(hook, "command"),
                        .time = seconds_at(hook),
                        .for_claude = true,
                        .of_project = of_project,
                        .file = file};
    if (const Json& words = at(hook, "args"); words.is_array()) read.words = strings_in(words);
    out.definitions.push_back(std::move(read));
  };
  std::vector<std::string> unknown;
  // "PreToolUse": [{"matcher": …, "hooks": [{"type": "command", "command": …}]}]
  for (const auto& [name, groups] : all.items()) {
    const std::optional<Event> known = parse_event(name);
    if (!known)
      unknown.push_back(name);
    else if (!groups.is_array())
      pass_over(name + " is not a list");
    else
      for (const Json& group : groups)
        for (const Json& hook : at(group, "hooks")) take(*known, string_at(group, "matcher"), hook);
  }
  std::ranges::sort(unknown);
  if (!unknown.empty()) pass_over("skein has no event " + listed(unknown));
  out.text = dump(all);
  return out;
}

namespace {

struct ToolRow {
  std::string_view ours;
  std::string_view theirs;  // the first is what a script gets; the others match as well
};
constexpr ToolRow tools[] = {
    {"bash", "Bash"},           {"read", "Read NotebookRead"},
    {"write", "Write"},         {"edit", "Edit MultiEdit NotebookEdit"},
    {"grep", "Grep"},           {"list", "LS Glob"},
    {"web_fetch", "WebFetch"},  {"web_search", "WebSearch"},
    {"todo", "TodoWrite"},      {"agent", "Task Agent"},
    {"skill", "Skill"},         {"present_plan", "ExitPlanMode"},
    {"ask", "AskUserQuestion"},
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
