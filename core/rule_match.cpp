#include "core/rule_match.h"

#include <algorithm>

#include "core/command_risks.h"
#include "core/glob.h"

namespace skein {

namespace {

bool is_wild(const ShellWord& word) {
  for (std::size_t i = 0; i < word.text.size(); ++i)
    if (word.text[i] == '*' && word.literal[i] == '.') return true;
  return false;
}

bool is_star(const ShellWord& word) { return word.text == "*" && word.literal == "."; }

bool climbs(std::string_view text) {
  return text == ".." || text.starts_with("../") || text.ends_with("/..") ||
         text.find("/../") != std::string_view::npos;
}

// An unquoted `*` in the pattern is any text; every other character is itself.
bool word_matches(const ShellWord& pattern, std::string_view text) {
  if (!is_wild(pattern)) return pattern.text == text;
  // `cat src/*` does not mean `cat src/../../etc/passwd`.
  if (!is_star(pattern) && climbs(text)) return false;
  std::size_t at = 0;
  std::string piece;
  bool first = true, after_star = false;
  for (std::size_t i = 0; i <= pattern.text.size(); ++i) {
    const bool end = i == pattern.text.size();
    if (!end && !(pattern.text[i] == '*' && pattern.literal[i] == '.')) {
      piece += pattern.text[i];
      continue;
    }
    if (end && after_star) return text.size() >= at + piece.size() && text.ends_with(piece);
    const std::size_t found =
        first ? (text.starts_with(piece) ? 0 : std::string_view::npos) : text.find(piece, at);
    if (found == std::string_view::npos) return false;
    at = found + piece.size();
    piece.clear();
    first = false;
    after_star = true;
  }
  return at == text.size();
}

bool words_match(const SimpleCommand& pattern, const SimpleCommand& command, Purpose purpose) {
  const bool open = is_star(pattern.back());
  const std::size_t fixed = pattern.size() - (open ? 1 : 0);
  if (command.size() < fixed || (!open && command.size() != fixed)) return false;
  for (std::size_t i = 0; i < fixed; ++i) {
    const std::string_view text = command[i].text;
    if (word_matches(pattern[i], text)) continue;
    const bool by_last_name = purpose == Purpose::deny && i == 0 &&
                              word_matches(pattern[0], text.substr(text.rfind('/') + 1));
    if (!by_last_name) return false;
  }
  return true;
}

}  // namespace

std::optional<std::string> plain_path(std::string_view path) {
  if (path.starts_with('/') || climbs(path)) return std::nullopt;
  if (std::ranges::any_of(path, [](char c) { return static_cast<unsigned char>(c) < ' '; }))
    return std::nullopt;
  std::string plain;
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('/'), path.size());
    const std::string_view part = path.substr(0, end);
    if (!part.empty() && part != ".") plain += (plain.empty() ? "" : "/") + std::string(part);
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return plain.empty() ? "." : plain;
}

bool covers_path(const Rule& rule, std::string_view plain) {
  return rule.pattern.empty() || rule.pattern == "*" ||
         glob_match(plain_path(rule.pattern).value_or(rule.pattern), plain);
}

bool has_wildcard(const Rule& rule) {
  if (rule.pattern.empty()) return true;
  if (rule.tool != "bash") return rule.pattern.find_first_of("*?[") != std::string::npos;
  const ShellLine pattern = parse_shell_line(rule.pattern, Globs::of_words);
  return std::ranges::any_of(pattern.commands, [](const SimpleCommand& command) {
    return std::ranges::any_of(command, is_wild);
  });
}

bool covers_command(const Rule& rule, const SimpleCommand& command, Purpose purpose) {
  if (rule.tool != "bash") return false;
  if (purpose == Purpose::allow && has_wildcard(rule) && !hidden_power(command).empty())
    return false;
  if (rule.pattern.empty()) return true;
  const ShellLine pattern = parse_shell_line(rule.pattern, Globs::of_words);
  return pattern.doubt.empty() && pattern.commands.size() == 1 &&
         words_match(pattern.commands[0], command, purpose);
}

Rule rule_for(const SimpleCommand& command, std::size_t first_words) {
  std::string pattern;
  for (std::size_t i = 0; i < first_words; ++i) pattern += shell_quoted(command[i].text) + " ";
  return {"bash", pattern + "*"};
}

Rule exact_rule_for(const SimpleCommand& command) {
  std::string pattern;
  for (const ShellWord& word : command)
    pattern += (pattern.empty() ? "" : " ") + shell_quoted(word.text);
  return {"bash", pattern};
}

}  // namespace skein
