// How rules are written: parse_rules and its counterpart.
#include <algorithm>
#include <array>

#include "core/base.h"
#include "core/policy.h"
#include "core/shell_words.h"

namespace skein {

namespace {

std::optional<Rule> read_rule(std::string_view text, std::string& trouble) {
  const auto unreadable = [&](std::string_view why) {
    trouble = why;
    return std::nullopt;
  };
  const std::size_t open = text.find('(');
  Rule rule{std::string(text.substr(0, open))};
  const bool plain = !rule.tool.empty() && std::ranges::all_of(rule.tool, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
  });
  if (!plain) return unreadable("it does not begin with a tool's name");
  if (open == std::string_view::npos) return rule;
  if (!text.ends_with(')')) return unreadable("a `(` is not closed");
  rule.pattern = text.substr(open + 1, text.size() - open - 2);
  if (rule.pattern.empty()) return unreadable("there is nothing between the brackets");
  if (rule.tool != "bash") return rule;
  const ShellLine line = parse_shell_line(rule.pattern, Globs::of_words);
  if (!line.doubt.empty()) return unreadable("it holds " + line.doubt);
  if (line.commands.size() != 1) return unreadable("it holds more than one command");
  return rule;
}

Rule parse_rule(std::string_view text) {
  std::string trouble;
  if (std::optional<Rule> rule = read_rule(text, trouble)) return *rule;
  throw Error("cannot read the rule `" + std::string(text) + "`: " + trouble +
                  "; write it like read, edit(src/*) or bash(git status)",
              Trouble::usage);
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && static_cast<unsigned char>(text.front()) <= ' ') text.remove_prefix(1);
  while (!text.empty() && static_cast<unsigned char>(text.back()) <= ' ') text.remove_suffix(1);
  return text;
}

}  // namespace

std::vector<Rule> parse_rules(std::string_view text) {
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
    if (!part.empty()) rules.push_back(parse_rule(part));
    begin = i + 1;
  }
  return rules;
}

void add_session_rules(Rules& rules, const std::vector<std::string>& kept) {
  std::string trouble;
  for (const std::string_view text : kept) {
    const bool forbids = text.starts_with('!');
    if (const auto rule = read_rule(text.substr(forbids ? 1 : 0), trouble))
      (forbids ? rules.deny : rules.allow).push_back(*rule);
  }
}

std::string_view name(Rule::Origin origin) {
  constexpr std::array<std::string_view, 4> names{"session", "flag", "configuration", "workspace"};
  return names[static_cast<std::size_t>(origin)];
}

std::string to_string(const Rule& rule) {
  return rule.pattern.empty() ? rule.tool : rule.tool + "(" + rule.pattern + ")";
}

}  // namespace skein
