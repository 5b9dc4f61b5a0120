#include "core/permission/claude_rules.h"

#include "core/permission/rule_match.h"
#include "core/text/json.h"
#include "core/text/text.h"

namespace skein::permission {

namespace {

// Tools that skein does not have: a rule about one of them has nothing to say here.
constexpr std::string_view missing_tools =
    "websearch slashcommand bashoutput killshell killbash taskoutput taskstop taskcreate taskget "
    "tasklist taskupdate enterplanmode enterworktree exitworktree listmcpresourcestool "
    "readmcpresourcetool toolsearch lsp powershell monitor croncreate crondelete cronlist "
    "sendmessage teamcreate teamdelete";

const Tool* tool_named(std::string_view name, const Tools& tools) {
  const auto found = std::ranges::find_if(tools, [&](const Tool& tool) {
    return tool.name == name || std::ranges::find(tool.other_names, name) != tool.other_names.end();
  });
  return found == tools.end() ? nullptr : &*found;
}

// `Tool(pattern)` in its parts; a pattern that means every call is left out.
struct ClaudeRule {
  std::string tool;
  std::string pattern{};
};

ClaudeRule parts_of(std::string_view text) {
  const std::size_t open = text.find('(');
  ClaudeRule rule{lower(trimmed(text.substr(0, open)))};
  if (open == std::string_view::npos) return rule;
  rule.pattern = text.substr(open + 1, text.ends_with(')') ? text.size() - open - 2 : text.npos);
  if (has_word("* :* domain:*", trimmed(rule.pattern))) rule.pattern.clear();
  return rule;
}

// The command words in front of what cannot be expressed, then anything; empty: there are none.
std::string plain_beginning(std::string_view pattern) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-";
  std::string out;
  for (const std::string_view word : split(pattern, ' ')) {
    if (word.empty() || word.find_first_not_of(plain) != std::string_view::npos) break;
    out.append(word).append(" ");
  }
  return out.empty() ? out : out + "*";
}

// In Claude Code a star in the middle of a command matches any number of words, here one.
bool has_inner_star(std::string_view pattern) {
  const std::size_t star = pattern.find('*');
  return star != std::string_view::npos && star + 1 < pattern.size();
}

// In which `/x` begins at the project, and `../x` is a path.
std::string path_pattern(std::string_view pattern, const std::string& workspace, Purpose purpose) {
  if (pattern.starts_with("../") || pattern.starts_with("./../"))
    return "/" + (std::filesystem::path(workspace) / pattern).lexically_normal().string();
  // Who forbids `/etc/x` may mean the root: there skein's reading of it, both, is the right one.
  const bool from_project =
      purpose == Purpose::allow && pattern.starts_with('/') && !pattern.starts_with("//");
  return std::string(from_project ? pattern.substr(1) : pattern);
}

// The texts of rules about every tool that the name means: some mean several in Claude Code.
std::vector<std::string> texts_of(const std::string& tool, const std::string& pattern) {
  const std::string_view tools = tool == "edit"   ? "edit write"
                                 : tool == "read" ? "read grep list"
                                                  : std::string_view(tool);
  std::vector<std::string> out;
  for (const std::string_view name : split(tools, ' '))
    out.push_back(std::string(name) + (pattern.empty() ? "" : "(" + pattern + ")"));
  return out;
}

bool is_command(const Tool& tool) { return tool.argument.kind == model::Argument::Kind::command; }

struct Translator {
  const std::string& workspace;
  const Tools& tools;
  ClaudePermissions& out;

  void add(const Json& list, Purpose purpose, std::vector<Rule>& to) const {
    auto& unusable = purpose == Purpose::allow ? out.not_allowed : out.asked_instead;
    for (const Json& each : elements(list)) {
      const std::string text = each.is_string() ? each.get<std::string>() : dump(each);
      if (!each.is_string() || !add_rule(text, purpose, to)) unusable.push_back(text);
    }
  }

 private:
  // False: it cannot be used as it is written.
  bool add_rule(const std::string& text, Purpose purpose, std::vector<Rule>& to) const {
    const ClaudeRule rule = parts_of(trimmed(text));
    const Tool* tool = tool_named(rule.tool, tools);
    if (tool == nullptr && has_word(missing_tools, rule.tool)) return true;
    bool clear = true;
    for (const std::string& each : translated(rule, tool, purpose, text))
      clear = parse(each, purpose, to) && clear;
    const bool wider = tool != nullptr && is_command(*tool) && has_inner_star(rule.pattern);
    if (purpose == Purpose::deny && tool != nullptr && (!clear || wider)) {
      const std::string beginning = is_command(*tool) ? plain_beginning(rule.pattern) : "";
      for (const std::string& each : texts_of(rule.tool, beginning))
        parse(each, Purpose::deny, out.ask);
    }
    return clear;
  }

  // For a server's tools it is written alike.
  std::vector<std::string> translated(const ClaudeRule& rule, const Tool* tool, Purpose purpose,
                                      const std::string& text) const {
    if (tool == nullptr) return {text};
    return texts_of(rule.tool, tool->argument.is_path()
                                   ? path_pattern(rule.pattern, workspace, purpose)
                                   : rule.pattern);
  }

  bool parse(const std::string& text, Purpose purpose, std::vector<Rule>& to) const try {
    std::ranges::move(
        purpose == Purpose::allow ? parse_allow_rules(text, tools) : parse_rules(text, tools),
        std::back_inserter(to));
    return true;
  } catch (const Error&) {
    return false;
  }
};

// Folders in the workspace are open already.
std::vector<std::string> folders_in(const Json& list, const std::string& workspace) {
  std::vector<std::string> out;
  for (const Json& each : elements(list)) {
    const std::string given = each.is_string() ? each.get<std::string>() : "";
    if (given.empty()) continue;
    const std::string path =
        given.starts_with('~')
            ? given
            : (std::filesystem::path(workspace) / given).lexically_normal().string();
    if (path != workspace && !path.starts_with(workspace + "/")) out.push_back(path);
  }
  return out;
}

JsonText loosening_part(const Json& permissions) {
  Json part = Json::object();
  for (const char* member : {"allow", "defaultMode", "additionalDirectories"})
    if (const Json& value = at(permissions, member); !value.empty()) part[member] = value;
  return part.empty() ? JsonText{} : dump(part);
}

}  // namespace

ClaudePermissions read_claude_permissions(std::string_view settings, const std::string& workspace,
                                          const Tools& tools) {
  const std::optional<Json> json = parse_json(settings);
  if (!json || !json->is_object()) return {.trouble = "it is not a JSON object"};
  const Json& permissions = at(*json, "permissions");
  ClaudePermissions out;
  const Translator translator{workspace, tools, out};
  translator.add(at(permissions, "deny"), Purpose::deny, out.deny);
  translator.add(at(permissions, "ask"), Purpose::deny, out.ask);
  translator.add(at(permissions, "allow"), Purpose::allow, out.allow);
  if (const std::string mode = string_at(permissions, "defaultMode"); !mode.empty()) {
    out.mode = parse_mode(mode);
    if (!out.mode) out.not_allowed.push_back("defaultMode " + mode);
  }
  out.folders = folders_in(at(permissions, "additionalDirectories"), workspace);
  out.loosening = loosening_part(permissions);
  return out;
}

}  // namespace skein::permission
