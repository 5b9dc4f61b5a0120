#include "core/permission/rule_match.h"

#include "core/permission/command_risks.h"
#include "core/shell/known_programs.h"
#include "core/text/pattern.h"
#include "core/text/text.h"

namespace skein::permission {

namespace {

// Whether a pattern covers a name of a place, both beginning at the same folder.
bool covers_name(std::string_view pattern, std::string_view name, Purpose purpose) {
  if (name.empty()) return false;
  if (name == ".") return pattern == "*" || pattern == "**";
  if (glob_match(pattern, name)) return true;
  if (purpose == Purpose::allow) return pattern == "*";
  // To forbid a folder is to forbid what is in it; `secrets/*` means the folder, too.
  if (glob_match(pattern, std::string(name) + "/")) return true;
  for (std::size_t end = name.find('/', 1); end != std::string_view::npos;
       end = name.find('/', end + 1))
    if (glob_match(pattern, name.substr(0, end))) return true;
  return false;
}

bool covers_any_part(std::string_view pattern, std::string_view path) {
  return std::ranges::any_of(split(path, '/'),
                             [&](std::string_view part) { return glob_match(pattern, part); });
}

// The part of a pattern in front of its first wildcard, up to a slash; and the rest.
std::pair<std::string, std::string> split_at_wildcard(const std::string& pattern) {
  const std::size_t wild = pattern.find_first_of("*?[\\");
  if (wild == std::string::npos) return {pattern, ""};
  const std::size_t slash = pattern.substr(0, wild).rfind('/');
  if (slash == std::string::npos) return {"", pattern};
  return {pattern.substr(0, slash), pattern.substr(slash)};
}

bool is_wild(const ShellWord& word) { return find_unquoted(word, "*") != std::string::npos; }

bool is_star(const ShellWord& word) { return word.text == "*" && word.literal == "."; }

bool climbs(std::string_view text) {
  return ("/" + std::string(text) + "/").find("/../") != std::string::npos;
}

// An unquoted `*` in the pattern is any text; every other character is itself.
bool word_matches(const ShellWord& pattern, std::string_view text, Purpose purpose) {
  if (!is_wild(pattern)) return pattern.text == text;
  // To allow `cat src/*` is not to allow `cat src/../../etc/passwd`.
  if (purpose == Purpose::allow && !is_star(pattern) && climbs(text)) return false;
  return star_match(pattern.text, text, pattern.literal);
}

bool words_match(const SimpleCommand& pattern, const SimpleCommand& command, Purpose purpose) {
  const bool open = is_star(pattern.back());
  const std::size_t fixed = pattern.size() - (open ? 1 : 0);
  const bool more_may_follow = open || purpose == Purpose::deny;
  if (command.size() < fixed || (!more_may_follow && command.size() != fixed)) return false;
  for (std::size_t i = 0; i < fixed; ++i) {
    if (word_matches(pattern[i], command[i].text, purpose)) continue;
    if (purpose == Purpose::allow || i > 0) return false;
    ShellWord name{std::string(shell::last_name(pattern[0].text)), {}};
    name.literal = pattern[0].literal.substr(pattern[0].text.size() - name.text.size());
    if (!word_matches(name, shell::last_name(command[0].text), purpose)) return false;
  }
  return true;
}

// What may follow the options that come first: `git --no-pager -C x push` is a `git push`. Each of
// `valued` takes the next word; with `any_valued` every option may.
std::vector<SimpleCommand> without_first_options(const SimpleCommand& command,
                                                 std::string_view valued, bool any_valued) {
  std::vector<SimpleCommand> out;
  std::vector<std::size_t> starts{1};
  for (std::size_t at = 0; at < starts.size() && starts.size() < 64; ++at) {
    const std::size_t from = starts[at];
    if (from >= command.size() || !command[from].text.starts_with('-')) {
      std::ranges::copy(command | std::views::drop(from),
                        std::back_inserter(out.emplace_back(1, command[0])));
      continue;
    }
    const bool takes = has_word(valued, command[from].text);
    if (!takes) starts.push_back(from + 1);
    if (takes || any_valued) starts.push_back(from + 2);
  }
  return out;
}

bool covers_behind_options(const SimpleCommand& pattern, const SimpleCommand& command,
                           bool any_valued) {
  const shell::KnownProgram* known = shell::known_program(shell::last_name(command[0].text));
  const std::string_view valued = known != nullptr ? known->options.valued : "";
  return std::ranges::any_of(
      without_first_options(command, valued, any_valued),
      [&](const SimpleCommand& rest) { return words_match(pattern, rest, Purpose::deny); });
}

// What a rule's pattern says of one command; no words: it is about a whole line, or every one.
struct CommandPattern {
  SimpleCommand words{};
  CommandSetting setting{};
};
CommandPattern command_pattern(const Rule& rule) {
  const ShellLine line = parse_shell_line(rule.pattern, Globs::of_words);
  if (!line.doubt.empty() || line.commands.size() != 1) return {};
  return {line.commands[0], line.settings[0]};
}

}  // namespace

bool star_match(std::string_view pattern, std::string_view text, std::string_view literal) {
  const auto is_star = [&](std::size_t at) {
    return at < pattern.size() && pattern[at] == '*' && (literal.empty() || literal[at] == '.');
  };
  std::size_t p = 0, t = 0, star = std::string_view::npos, from = 0;
  while (t < text.size()) {
    if (is_star(p)) {
      star = p++;
      from = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p, ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++from;
    } else {
      return false;
    }
  }
  while (is_star(p)) ++p;
  return p == pattern.size();
}

std::vector<std::string_view> possible_paths(std::string_view word) {
  std::vector<std::string_view> out;
  if (!word.starts_with('-'))
    out.push_back(word);
  else if (word.size() > 2)
    out.push_back(word.substr(2));
  for (std::size_t at = 1; at < word.size(); ++at)
    if (std::string_view("=:,").find(word[at - 1]) != std::string_view::npos &&
        !(word[at - 1] == ':' && word.substr(at).starts_with("//")))  // https://…
      out.push_back(word.substr(at));
  if (const std::size_t slash = word.find('/'); word.starts_with('-') && slash < word.size())
    out.push_back(word.substr(slash));
  return out;
}

bool is_outside(std::string_view path, const model::Locate& locate) {
  if (path == "/dev/null") return false;
  if (!locate) return path.starts_with('/') || climbs(path);
  const Located place = locate(path);
  return place.below.empty() && (place.exists || place.absolute.empty());
}

std::optional<std::string> plain_path(std::string_view path) {
  if (path.starts_with('/')) return std::nullopt;
  if (std::ranges::any_of(path, [](char c) { return static_cast<unsigned char>(c) < ' '; }))
    return std::nullopt;
  std::string plain;
  for (const std::string_view part : split(path, '/')) {
    if (part == "..") return std::nullopt;
    if (!part.empty() && part != ".") plain += (plain.empty() ? "" : "/") + std::string(part);
  }
  return plain.empty() ? "." : plain;
}

bool covers_place(const Rule& rule, const Located& place, Purpose purpose) {
  const std::string_view pattern = rule.pattern;
  if (pattern.empty()) return purpose == Purpose::deny || !place.below.empty();
  if (pattern.starts_with("~/")) return covers_name(pattern, place.from_home, purpose);
  if (pattern.starts_with("//")) return covers_name(pattern.substr(1), place.absolute, purpose);
  if (pattern.starts_with("/"))
    return covers_name(pattern, place.absolute, purpose) ||
           covers_name(pattern.substr(1), place.below, purpose);
  if (purpose == Purpose::deny && pattern.find('/') == std::string_view::npos &&
      place.below != "." && covers_any_part(pattern, place.below))
    return true;
  return covers_name(pattern, place.below, purpose);
}

std::optional<Rule> through_links(const Rule& rule, const model::Locate& locate) {
  if (!locate || rule.pattern.starts_with("~/")) return std::nullopt;
  const bool from_root = rule.pattern.starts_with("//");
  const auto [start, rest] = split_at_wildcard(rule.pattern.substr(from_root ? 1 : 0));
  if (start.empty() || start == "/") return std::nullopt;
  Located place = locate(start);
  if (!place.exists && start.starts_with('/') && !from_root) place = locate(start.substr(1));
  if (!place.exists || place.below == start || place.absolute.empty() || place.absolute == start)
    return std::nullopt;
  Rule real = rule;
  real.pattern = "/" + glob_quoted(place.absolute) + rest;
  return real;
}

bool names_server_tools(std::string_view name) { return name.starts_with("mcp__"); }

std::optional<std::pair<std::string, std::string>> server_tool(std::string_view name) {
  if (!names_server_tools(name)) return std::nullopt;
  name.remove_prefix(std::string_view("mcp__").size());
  const std::size_t mark = name.find("__");
  if (mark == std::string_view::npos) return std::nullopt;
  return std::pair(std::string(name.substr(0, mark)), std::string(name.substr(mark + 2)));
}

bool covers_tool(const Rule& rule, std::string_view tool, Purpose purpose) {
  if (rule.tool == tool) return true;
  if (!names_server_tools(rule.tool) || !names_server_tools(tool)) return false;
  const bool deny = purpose == Purpose::deny;
  const std::string name = deny ? lower(tool) : std::string(tool);
  const std::string wanted = deny ? lower(rule.tool) : rule.tool;
  return glob_match(wanted, name) || glob_match(wanted + "__*", name);
}

bool has_wildcard(const Rule& rule, model::Argument::Kind kind) {
  if (rule.pattern.empty()) return true;
  if (kind != model::Argument::Kind::command)
    return rule.pattern.find_first_of("*?[") != std::string::npos;
  if (rule.pattern.starts_with('=')) return false;
  const ShellLine pattern = parse_shell_line(rule.pattern, Globs::of_words);
  return std::ranges::any_of(pattern.commands, [](const SimpleCommand& command) {
    return std::ranges::any_of(command, is_wild);
  });
}

bool covers_command(const Rule& rule, const SimpleCommand& command, Purpose purpose,
                    const CommandSetting& setting) {
  if (purpose == Purpose::allow && has_wildcard(rule, model::Argument::Kind::command) &&
      (!setting.empty() || !risk_of(command).empty()))
    return false;
  if (rule.pattern.empty()) return true;
  const CommandPattern pattern = command_pattern(rule);
  if (pattern.words.empty()) return false;
  if (purpose == Purpose::allow && pattern.setting != setting) return false;
  return words_match(pattern.words, command, purpose) ||
         (purpose == Purpose::deny && covers_behind_options(pattern.words, command, false));
}

bool may_cover_command(const Rule& rule, const SimpleCommand& command) {
  const SimpleCommand pattern = command_pattern(rule).words;
  return !pattern.empty() && covers_behind_options(pattern, command, true);
}

bool covers_line(const Rule& rule, std::string_view line) {
  return rule.pattern.starts_with('=') && rule.pattern == line_pattern_for(line);
}

std::string line_pattern_for(std::string_view line) {
  const std::string pattern = "= " + std::string(trimmed(line));
  return pattern.size() == 2 || pattern.size() > longest_pattern ? "" : pattern;
}

bool reaches_out(const Rule& rule, const SimpleCommand& command, const model::Locate& locate) {
  const SimpleCommand pattern = command_pattern(rule).words;
  for (std::size_t i = 1; i < command.size(); ++i) {
    // What the rule itself spells out was meant.
    if (i < pattern.size() && !(pattern[i].text[0] == '*' && pattern[i].literal[0] == '.'))
      continue;
    std::string_view word = command[i].text;
    if (const std::size_t at = find_unquoted(command[i], "*?["); at != std::string::npos)
      word = word.substr(0, word.substr(0, at).rfind('/') + 1);  // the folder of what it finds
    for (const std::string_view path : possible_paths(word))
      if (!path.empty() && is_outside(path, locate)) return true;
  }
  return false;
}

std::string secret_named_in(const SimpleCommand& command, const model::Locate& locate) {
  if (!locate) return {};
  for (const ShellWord& word : command)
    for (const std::string_view path : possible_paths(word.text))
      if (!path.empty() && !locate(path).secret.empty()) return std::string(path);
  return {};
}

std::string pattern_for(const SimpleCommand& command, std::size_t first_words) {
  std::string pattern;
  for (std::size_t i = 0; i < first_words; ++i) pattern += shell_quoted(command[i].text) + " ";
  return pattern + "*";
}

std::string exact_pattern_for(const SimpleCommand& command, const CommandSetting& setting) {
  std::string pattern;
  const auto add = [&](const std::string& word) { pattern += (pattern.empty() ? "" : " ") + word; };
  for (const std::string& variable : setting.variables) {
    const std::size_t value = variable.find('=') + 1;
    add(variable.substr(0, value) +
        (value < variable.size() ? shell_quoted(variable.substr(value)) : ""));
  }
  for (const ShellWord& word : command) add(shell_quoted(word.text));
  for (const auto& [sign, file] : setting.redirections) add(sign + " " + shell_quoted(file));
  return pattern;
}

}  // namespace skein::permission
