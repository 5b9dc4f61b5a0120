#include "core/policy.h"

#include <algorithm>
#include <array>

#include "core/base.h"
#include "core/command_risks.h"
#include "core/json.h"
#include "core/rule_match.h"
#include "core/shell_words.h"

namespace skein {

namespace {

using Verdict = Decision::Verdict;

struct ModeFacts {
  Mode mode, next;
  std::string_view name, sentence;
};
constexpr std::array modes{
    ModeFacts{Mode::normal, Mode::accept_edits, "default",
              "reads run unasked, edits and commands are asked about"},
    ModeFacts{Mode::plan, Mode::normal, "plan", "only reads run, everything else is refused"},
    ModeFacts{Mode::accept_edits, Mode::plan, "acceptEdits",
              "edits in the workspace run unasked, commands are asked about"},
    ModeFacts{Mode::bypass, Mode::normal, "bypassPermissions", "everything runs unasked"},
};
static_assert(std::ranges::is_sorted(modes, {}, &ModeFacts::mode));

const ModeFacts& facts_about(Mode mode) { return modes[static_cast<std::size_t>(mode)]; }

// Names whose contents a shell, git or an editor runs by itself: never written by a wide rule.
constexpr auto self_running = std::to_array<std::string_view>(
    {".git", ".skein", ".husky", ".vscode", ".idea", ".devcontainer", ".envrc", ".bashrc",
     ".bash_profile", ".bash_login", ".bash_logout", ".profile", ".zshrc", ".zshenv", ".zprofile",
     ".zlogin", ".gitconfig", ".ssh"});

bool runs_by_itself(std::string_view path) {
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('/'), path.size());
    std::string part(path.substr(0, end));
    // Some file systems do not tell .GIT from .git.
    std::ranges::transform(part, part.begin(), [](char c) {
      return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    });
    if (std::ranges::count(self_running, part) > 0) return true;
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return false;
}

// A call as rules see it.
struct Subject {
  std::string tool;
  Effect effect;
  std::string path{};                  // as given
  std::optional<std::string> plain{};  // its settled form
  std::optional<ShellLine> line{};     // for bash
};

Subject subject_of(const Tool& tool, const ToolUse& call) {
  Subject subject{.tool = tool.name, .effect = tool.effect};
  const auto input = parse_json(call.input);
  if (tool.name == "bash") {
    subject.line = parse_shell_line(input ? string_at(*input, "command") : "");
  } else {
    subject.path = input ? string_at(*input, "path", ".") : ".";
    subject.plain = plain_path(subject.path);
  }
  return subject;
}

// How a list of rules stands to a call: it covers it, does not, or words alone cannot tell.
enum class Cover { yes, no, unclear };

Cover denies(const std::vector<Rule>& rules, const Subject& subject) {
  Cover cover = Cover::no;
  for (const Rule& rule : rules) {
    if (rule.tool != subject.tool) continue;
    if (rule.pattern.empty()) return Cover::yes;
    if (!subject.line) {
      if (!subject.plain)
        cover = Cover::unclear;
      else if (covers_path(rule, *subject.plain))
        return Cover::yes;
      continue;
    }
    for (const SimpleCommand& command : subject.line->commands) {
      if (covers_command(rule, command, Purpose::deny)) return Cover::yes;
      if (!hidden_power(command).empty()) cover = Cover::unclear;
    }
    if (!subject.line->doubt.empty()) cover = Cover::unclear;
  }
  return cover;
}

bool allows(const std::vector<Rule>& rules, const SimpleCommand& command) {
  return std::ranges::any_of(
      rules, [&](const Rule& rule) { return covers_command(rule, command, Purpose::allow); });
}

Decision ask(std::string reason) { return {Verdict::ask, std::move(reason)}; }

Decision decide_command(const Rules& rules, const ShellLine& line) {
  if (!rules.sandboxed) return ask("there is no sandbox");
  if (!line.doubt.empty()) return ask("the command holds " + line.doubt);
  for (const SimpleCommand& command : line.commands)
    if (!allows(rules.allow, command))
      return ask("no rule allows `" + exact_rule_for(command).pattern + "`");
  return {Verdict::allow};
}

Decision decide_path(const Rules& rules, const Subject& subject) {
  if (subject.effect == Effect::reads) return {Verdict::allow};
  if (!subject.plain) return ask("the path is not a plain one below the workspace");
  const bool edits = subject.tool == "edit" || subject.tool == "write";
  const bool guarded = runs_by_itself(*subject.plain);
  if (rules.mode == Mode::accept_edits && edits && !guarded) return {Verdict::allow};
  for (const Rule& rule : rules.allow)
    if (rule.tool == subject.tool && covers_path(rule, *subject.plain) &&
        !(guarded && has_wildcard(rule)))
      return {Verdict::allow};
  return ask(guarded ? "other programs run what is in that file by themselves" : "");
}

}  // namespace

std::optional<Mode> parse_mode(std::string_view name) {
  const auto found = std::ranges::find(modes, name, &ModeFacts::name);
  return found == modes.end() ? std::nullopt : std::optional(found->mode);
}

std::string_view name(Mode mode) { return facts_about(mode).name; }
std::string describe(Mode mode) { return std::string(facts_about(mode).sentence); }
Mode next(Mode mode) { return facts_about(mode).next; }

Decision decide(const Rules& rules, const Tools& tools, const ToolUse& call) {
  const Tool* tool = find_tool(tools, call.name);
  if (tool == nullptr) return {Verdict::deny, "there is no tool named " + call.name};
  const Subject subject = subject_of(*tool, call);
  const Cover denied = denies(rules.deny, subject);
  if (denied == Cover::yes) return {Verdict::deny, "a rule forbids it"};
  if (rules.mode == Mode::plan && subject.effect != Effect::reads)
    return {Verdict::deny, "in plan mode nothing is changed"};
  if (denied == Cover::unclear) return ask("it cannot be told whether a rule forbids it");
  if (rules.mode == Mode::bypass) return {Verdict::allow};
  return subject.line ? decide_command(rules, *subject.line) : decide_path(rules, subject);
}

std::vector<Rule> remember(const Rules& rules, const Tools& tools, const ToolUse& call) {
  const Tool* tool = find_tool(tools, call.name);
  if (tool == nullptr) return {};
  const Subject subject = subject_of(*tool, call);
  std::vector<Rule> added;
  if (!subject.line) {
    added.push_back({subject.tool});
  } else {
    for (const SimpleCommand& command : subject.line->commands) {
      if (allows(rules.allow, command) || allows(added, command)) continue;
      const std::size_t words = hidden_power(command).empty() ? telling_words(command) : 0;
      added.push_back(words > 0 ? rule_for(command, words) : exact_rule_for(command));
    }
  }
  // Only what keeps its word is offered.
  Rules with = rules;
  with.allow.insert(with.allow.end(), added.begin(), added.end());
  return decide(with, tools, call).verdict == Verdict::allow ? added : std::vector<Rule>{};
}

}  // namespace skein
