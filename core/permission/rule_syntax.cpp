// How rules are written: parse_rules and its counterpart.

#include "core/permission/command_risks.h"
#include "core/permission/rule_match.h"
#include "core/permission/rules.h"
#include "core/permission/shell_words.h"
#include "core/permission/url_pattern.h"
#include "core/text/base.h"
#include "core/text/text.h"

namespace skein::permission {

namespace {

struct ModeFacts {
  Mode mode, next;
  std::string_view name, sentence;
};
constexpr ModeFacts modes[] = {
    {Mode::normal, Mode::accept_edits, "default",
     "allow reads, ask before edits and other commands"},
    {Mode::plan, Mode::normal, "plan", "allow only reads, refuse everything else"},
    {Mode::accept_edits, Mode::plan, "acceptEdits",
     "allow reads and edits in the workspace, ask before other commands"},
    {Mode::bypass, Mode::normal, "bypassPermissions", "allow everything without asking"},
};
static_assert(std::ranges::is_sorted(modes, {}, &ModeFacts::mode));

const ModeFacts& facts_about(Mode mode) { return modes[static_cast<std::size_t>(mode)]; }

}  // namespace

std::optional<Mode> parse_mode(std::string_view name) {
  const auto found = std::ranges::find(modes, name, &ModeFacts::name);
  return found == std::end(modes) ? std::nullopt : std::optional(found->mode);
}

std::string_view name(Mode mode) { return facts_about(mode).name; }
std::string describe(Mode mode) { return std::string(facts_about(mode).sentence); }
Mode next(Mode mode) { return facts_about(mode).next; }

namespace {

bool is_closed_set(std::string_view pattern, std::size_t open) {
  std::size_t at = open + 1;
  if (at < pattern.size() && (pattern[at] == '!' || pattern[at] == '^')) ++at;
  return pattern.find(']', at + 1) != std::string_view::npos;
}

// Why a glob would match nothing, or nothing that was meant; empty: it is fine.
std::string_view trouble_in_glob(std::string_view pattern) {
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    if (static_cast<unsigned char>(c) < ' ') return "it contains a control character";
    if (c == '\\') {
      if (++i == pattern.size()) return "it ends in a backslash";
      continue;
    }
    if (c == '{' || c == '}') return "braces are not supported: write one rule for each";
    if (c == '"' || c == '\'') return "paths are written without quotes";
    if (c == '[' && !is_closed_set(pattern, i)) return "a `[` is not closed";
    if (c == '[') i = pattern.find(']', i + 2);
  }
  return "";
}

// "./a//b/" is "a/b"; what begins at the root or the home folder still does.
std::string settle_path(std::string& pattern) {
  if (const std::string_view trouble = trouble_in_glob(pattern); !trouble.empty())
    return std::string(trouble);
  if (pattern.starts_with('!')) return "a rule cannot exclude a path with `!`";
  if (pattern.starts_with('$')) return "variables are not supported: ~/ is the home folder";
  if (pattern.starts_with('~') && !pattern.starts_with("~/"))
    return "only ~/ is supported, not the home folders of other users";
  std::string start;
  for (const std::string_view each : {"~/", "//", "/"})
    if (start.empty() && pattern.starts_with(each)) start = each;
  std::string_view words = std::string_view(pattern).substr(start.size());
  while (words.starts_with('/')) words.remove_prefix(1);
  const std::optional<std::string> plain = plain_path(words);
  if (!plain) return "`..` is not supported: write the path from the root (//…) or from ~/";
  if (*plain == ".") return "for everything in a folder write **";
  pattern = start + *plain;
  return "";
}

std::string settle_command(std::string& pattern) {
  if (pattern.starts_with('=')) {
    pattern = line_pattern_for(pattern.substr(1));
    return pattern.empty() ? "there is no command after the `=`" : "";
  }
  constexpr std::string_view any = ":*";
  if (pattern.ends_with(any)) {
    pattern.resize(pattern.size() - any.size());
    if (trimmed(pattern).empty()) return "there is no command before `:*`";
    pattern += " *";
  }
  const ShellLine line = parse_shell_line(pattern, Globs::of_words);
  if (!line.doubt.empty()) return "it contains " + line.doubt;
  if (line.commands.size() != 1) return "it contains more than one command";
  const Rule read{.tool = {}, .pattern = pattern};
  const bool wild = has_wildcard(read, model::Argument::Kind::command) ||
                    !parse_shell_line(pattern, Globs::of_files).doubt.empty();
  if (!line.settings[0].empty() && wild)
    return "with a variable before it or a redirection after it, the whole command must be named";
  for (const ShellWord& word : line.commands[0]) {
    for (std::size_t i = 0; i < word.text.size(); ++i) {
      const bool literal = word.literal[i] == 'q' || word.text == "[" || word.text == "]";
      if (!literal && std::string_view("?[]").find(word.text[i]) != std::string_view::npos)
        return "only * is a wildcard: quote `" + std::string(1, word.text[i]) +
               "` if you mean it literally";
    }
    if (word.text.find(any) != std::string::npos && word.literal[word.text.find(any)] == '.')
      return "`:*` is allowed only at the end";
  }
  return "";
}

std::string settle_url(std::string& pattern) {
  const auto read = read_url_pattern(pattern);
  if (const auto* why = std::get_if<std::string>(&read)) return *why;
  pattern = to_string(std::get<UrlPattern>(read));
  return "";
}

std::string settle(std::string& pattern, const model::Argument& argument) {
  if (argument.kind == model::Argument::Kind::url) return settle_url(pattern);
  if (argument.kind == model::Argument::Kind::command) return settle_command(pattern);
  if (argument.is_path()) return settle_path(pattern);
  return "it can only be allowed or forbidden as a whole";
}

// "bash, edit and read"
std::string names_of(const Tools& tools) {
  std::vector<std::string> names;
  for (const Tool& tool : tools) names.push_back(tool.name);
  std::ranges::sort(names);
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i)
    out += (i == 0 ? "" : i + 1 < names.size() ? ", " : " and ") + names[i];
  return out;
}

[[noreturn]] void refuse(std::string_view text, const std::string& why) {
  throw Error("cannot use the rule `" + std::string(text) + "`: " + why, ExitStatus::usage);
}

// `mcp__SERVER`, `mcp__SERVER__TOOL`: the server may not be there yet, so only the form is judged.
std::variant<Rule, std::string> read_server_rule(std::string_view text) {
  constexpr std::string_view letters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-*";
  if (text.find('(') != std::string_view::npos)
    return std::string("a server's tool can only be allowed or forbidden as a whole");
  std::string definition;
  if (const std::size_t at = text.find('@'); at != std::string_view::npos) {
    definition = text.substr(at + 1);
    text = text.substr(0, at);
    if (definition.empty() ||
        definition.find_first_not_of("0123456789abcdef-") != std::string::npos)
      return std::string("the text after `@` must be a definition as skein writes it");
  }
  if (text.find_first_not_of(letters) != std::string_view::npos)
    return std::string("a server's tool is named mcp__SERVER__TOOL, where * means any text");
  if (text.find_first_not_of('_', std::string_view("mcp").size()) == std::string_view::npos)
    return std::string("it names no server; write mcp__SERVER or mcp__SERVER__TOOL");
  return Rule{.tool = std::string(text), .definition = definition};
}

// Or what is wrong with it.
std::variant<Rule, std::string> read_rule(std::string_view text, const Tools& tools) {
  if (names_server_tools(text)) return read_server_rule(text);
  constexpr std::string_view example = "; write it like read, edit(src/*) or bash(git status)";
  const std::size_t open = text.find('(');
  const std::string name = lower(trimmed(text.substr(0, open)));
  const auto known = std::ranges::find_if(tools, [&](const Tool& tool) {
    return lower(tool.name) == name ||
           std::ranges::find(tool.other_names, name) != tool.other_names.end();
  });
  if (known == tools.end())
    return (name.empty() ? "it does not begin with a tool's name"
                         : "there is no tool " + std::string(trimmed(text.substr(0, open)))) +
           "; there are " + names_of(tools);
  Rule rule{known->name};
  if (open == std::string_view::npos) return rule;
  const bool closed = text.ends_with(')');
  if (closed) rule.pattern = trimmed(text.substr(open + 1, text.size() - open - 2));
  const std::string trouble = !closed                ? "a `(` is not closed"
                              : rule.pattern.empty() ? "there is nothing between the brackets"
                              : rule.pattern.size() > longest_pattern
                                  ? "it is too long"
                                  : settle(rule.pattern, known->argument);
  if (!trouble.empty()) return trouble + std::string(example);
  return rule;
}

}  // namespace

std::vector<Rule> parse_rules(std::string_view text, const Tools& tools) {
  std::vector<Rule> rules;
  std::size_t begin = 0;
  int depth = 0;
  char quote = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : ',';
    if (quote != 0 && i < text.size()) {
      if (c == quote) quote = 0;
      continue;
    }
    if (depth > 0 && (c == '\'' || c == '"')) quote = c;
    if (c == '(') ++depth;
    if (c == ')') --depth;
    if (c != ',' || (depth > 0 && i < text.size())) continue;
    const std::string_view part = trimmed(text.substr(begin, i - begin));
    begin = i + 1;
    if (part.empty()) continue;
    auto read = read_rule(part, tools);
    if (const auto* why = std::get_if<std::string>(&read)) refuse(part, *why);
    rules.push_back(std::get<Rule>(std::move(read)));
  }
  return rules;
}

std::vector<Rule> parse_allow_rules(std::string_view text, const Tools& tools) {
  std::vector<Rule> rules = parse_rules(text, tools);
  for (const Rule& rule : rules) {
    constexpr auto command = model::Argument::Kind::command;
    const Tool* tool = find_tool(tools, rule.tool);
    if (tool == nullptr || tool->argument.kind != command || rule.pattern.empty() ||
        !has_wildcard(rule, command))
      continue;
    const ShellLine line = parse_shell_line(rule.pattern, Globs::of_words);
    if (const std::string_view why = risk_of(line.commands[0]); !why.empty())
      refuse(to_string(rule), std::string(why) +
                                  ", so with a wildcard it could be any command: "
                                  "name the whole command, or allow all of them with -y");
  }
  return rules;
}

void add_session_rules(Rules& rules, const Tools& tools, const std::vector<std::string>& kept,
                       const std::function<bool(const std::string&)>& granted) {
  for (const std::string& text : kept) {
    const bool forbids = text.starts_with('!');
    const auto read = read_rule(std::string_view(text).substr(forbids ? 1 : 0), tools);
    const auto* rule = std::get_if<Rule>(&read);
    if (rule == nullptr) continue;
    if (forbids)
      rules.deny.push_back(*rule);
    else
      (granted && granted(text) ? rules.allow : rules.not_applied).push_back(*rule);
  }
}

void add_rules_here(Rules& rules, const Tools& tools, const std::vector<std::string>& kept) {
  for (const std::string& text : kept) {
    auto read = read_rule(text, tools);
    auto* rule = std::get_if<Rule>(&read);
    if (rule == nullptr) continue;
    rule->origin = Rule::Origin::here;
    rules.allow.push_back(std::move(*rule));
  }
}

std::string_view name(Rule::Origin origin) {
  constexpr std::string_view names[] = {"session", "always here", "flag", "configuration",
                                        "workspace"};
  return names[static_cast<std::size_t>(origin)];
}

std::string to_string(const Rule& rule) {
  if (!rule.definition.empty()) return rule.tool + "@" + rule.definition;
  return rule.pattern.empty() ? rule.tool : rule.tool + "(" + rule.pattern + ")";
}

}  // namespace skein::permission
