#include "core/subagents/definition.h"

#include "core/hooks/definition.h"
#include "core/project/skill.h"
#include "core/text/checksum.h"
#include "core/text/json.h"
#include "core/text/text.h"

namespace skein::subagents {

namespace {

constexpr std::size_t longest_name = 64, longest_description = 4096;

constexpr std::string_view list_opening =
    "# Agents\nIn addition to the agents in its description, the tool `agent` can ask these for "
    "help:\n";

std::string words_of(std::string_view text) {
  return std::string(utf8_prefix(project::in_one_line(text), longest_description));
}

std::string model_in(const std::string& given) { return given == "inherit" ? "" : given; }

void take_settings(Definition& out, const project::FrontMatter& front) {
  out.thinking = front.text(front.find("thinking") != nullptr ? "thinking" : "effort");
  if (!out.thinking.empty() && !model::parse_thinking_level(out.thinking)) {
    out.remarks.push_back("'" + out.thinking + "' is not a thinking level; it is ignored");
    out.thinking.clear();
  }
  if (const std::string text = front.text("maxTurns"); !text.empty()) {
    out.most_calls = std::max(0, parse_number<int>(text).value_or(0));
    if (out.most_calls == 0) out.remarks.push_back("maxTurns is not a whole number; it is ignored");
  }
  if (const std::string text = front.text("permissionMode"); !text.empty()) {
    out.mode = permission::parse_mode(text);
    if (!out.mode) out.remarks.push_back("'" + text + "' is not a permission mode; it is ignored");
  }
  out.background = front.flag("background").value_or(false);
  out.has_hooks = front.find("hooks") != nullptr;
  for (const char* field : {"isolation", "hooks", "mcpServers", "memory"})
    if (front.find(field) != nullptr) out.remarks.push_back(std::string(field) + " is ignored");
}

std::vector<Definition> make_built_in() {
  return {{.name = "explore",
           .description = "Looks through the workspace without changing anything.",
           .instructions =
               "You answer a question about a workspace for another agent, which sees only your "
               "last message. You can read, list and search, and change nothing. Search widely "
               "first, then read what matters. Report what you found and where, every finding with "
               "its file and line (path:line), and say what you looked for and did not find. Be "
               "brief: no introduction, no advice that was not asked for.",
           .tools = {{"read", "list", "grep"}}},
          {.name = "general",
           .description = "Carries out a task of several steps on its own.",
           .instructions =
               "You carry out one task in a workspace for another agent, which sees only your last "
               "message. Look before you change anything, keep changes small and in the style of "
               "what is there, and run the checks that prove they work. If something was refused, "
               "do not try to get around it. End with a report: what you did, which files you "
               "changed, what is left or uncertain. Be brief."}};
}

std::string bad_name(const std::string& name) {
  return "the name '" + name + "' may only have lower-case letters, digits, '-', '_' and '.'";
}

bool names(const std::vector<std::string>& list, const model::Tool& tool) {
  const std::vector<std::string> known = hooks::names_of(tool.name);
  return std::ranges::any_of(list, [&](const std::string& each) {
    return each == "*" || std::ranges::find(known, each) != known.end() ||
           tool.name.starts_with(each + "__");  // all tools of a server
  });
}

}  // namespace

bool is_agent_name(std::string_view name) {
  const auto plain = [](char c) { return (c >= 'a' && c <= 'z') || is_digit(c); };
  return !name.empty() && name.size() <= longest_name && plain(name[0]) &&
         std::ranges::all_of(name,
                             [&](char c) { return plain(c) || c == '-' || c == '_' || c == '.'; });
}

std::optional<Definition> definition_from(const project::MarkdownFile& file) {
  Definition out{.refusal = file.refusal};
  if (!out.refusal.empty()) return out;
  const project::FrontMatter& front = file.front;
  out.name = std::string(trimmed(front.text("name")));
  if (out.name.empty()) return std::nullopt;
  out.sha256 = sha256_hex(file.text);
  out.description = words_of(front.text("description"));
  out.instructions = valid_utf8(trimmed(file.body()));
  if (!is_agent_name(out.name))
    out.refusal = bad_name(out.name);
  else if (out.description.empty())
    out.refusal = "it has no description; add one that says when to use it";
  else if (out.instructions.empty())
    out.refusal = "it has no text; add its instructions below the front matter";
  if (front.find("tools") != nullptr) out.tools = front.list("tools", ", ");
  out.without = front.list("disallowedTools", ", ");
  out.skills = front.list("skills", ", ");
  out.model = model_in(front.text("model"));
  take_settings(out, front);
  return out;
}

Definition definition_from(const std::string& name, const JsonText& given) {
  const Json json = parse_json(given).value_or(Json::object());
  Definition out{.name = name,
                 .description = words_of(string_at(json, "description")),
                 .instructions = string_at(json, "prompt")};
  if (const Json& tools = at(json, "tools"); tools.is_array()) out.tools = strings_in(tools);
  out.model = model_in(string_at(json, "model"));
  if (!is_agent_name(name))
    out.refusal = bad_name(name);
  else if (out.description.empty() || out.instructions.empty())
    out.refusal = "the agent '" + name + "' needs a description and a prompt";
  return out;
}

std::span<const Definition> built_in() {
  static const std::vector<Definition> all = make_built_in();
  return all;
}

bool has_tool(const Definition& definition, const model::Tool& tool) {
  if (tool.delegates || tool.asks_user || names(definition.without, tool)) return false;
  return !definition.tools || names(*definition.tools, tool);
}

permission::Mode stricter(permission::Mode one, permission::Mode other) {
  using enum permission::Mode;
  for (const permission::Mode mode : {plan, normal, accept_edits})
    if (one == mode || other == mode) return mode;
  return bypass;
}

std::string agent_list(std::span<const Definition> all, std::size_t most_bytes) {
  std::vector<project::Offered> offered;
  for (const Definition& each : all)
    if (!each.file.empty()) offered.push_back({each.name, each.description});
  return project::catalogue(list_opening, std::move(offered), most_bytes);
}

std::optional<Delegated> delegated(std::string_view prompt, const std::vector<Definition>& agents,
                                   const std::function<bool(std::string_view)>& is_file) {
  const std::size_t at = std::min(prompt.find_first_not_of(" \t\n"), prompt.size());
  if (!prompt.substr(at).starts_with('@')) return std::nullopt;
  const std::size_t end = std::min(prompt.find_first_of(" \t\n", at), prompt.size());
  const std::string_view typed = prompt.substr(at + 1, end - at - 1);
  const std::string_view task = trimmed(prompt.substr(end), " \t\n");
  if (task.empty() || is_file(typed)) return std::nullopt;
  const auto known = [&](std::string_view name) {
    return std::ranges::find(agents, name, &Definition::name) != agents.end();
  };
  std::string_view name = typed;
  // An agent may itself be called agent-x.
  if (!known(name) && name.starts_with(agent_prefix)) name.remove_prefix(agent_prefix.size());
  if (!known(name)) return std::nullopt;
  return Delegated{model::handing_on(name, task), end};
}

}  // namespace skein::subagents
