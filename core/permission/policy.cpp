#include "core/permission/policy.h"

#include "core/permission/command_report.h"
#include "core/permission/command_risks.h"
#include "core/permission/rule_match.h"
#include "core/permission/shell_words.h"
#include "core/permission/url_pattern.h"
#include "core/text/json.h"
#include "core/text/pattern.h"
#include "core/text/text.h"
#include "core/workspace/autorun_files.h"

namespace skein::permission {

namespace {

using workspace::is_autorun_path;
using Verdict = Decision::Verdict;

// A call as rules see it.
struct JudgedCall {
  const Tool& tool;
  std::optional<std::string> plain{};  // the path's words, settled
  std::vector<Located> names{};     // what its path may be called by: those words, where it leads
  std::optional<Located> place{};   // where it leads, from a tool that can tell
  std::string command{};            // as it is written
  std::optional<ShellLine> line{};  // for a command
  std::optional<web::Url> url{};    // as it would be asked for
  std::string url_trouble{};        // why there is none
};

JudgedCall subject_of(const Tool& tool, const ToolUse& call) {
  JudgedCall subject{.tool = tool};
  const std::string& name = tool.argument.name;
  const Json input = parse_json(call.input).value_or(Json());
  if (tool.argument.kind == model::Argument::Kind::command) {
    subject.command = string_at(input, name);
    subject.line = parse_shell_line(subject.command);
  }
  if (tool.argument.kind == model::Argument::Kind::url) {
    const auto read = web::parse_url(string_at(input, name));
    if (const auto* url = std::get_if<web::Url>(&read)) subject.url = web::upgraded(*url);
    if (const auto* trouble = std::get_if<std::string>(&read)) subject.url_trouble = *trouble;
  }
  if (!tool.argument.is_path()) return subject;
  const std::string path = string_at(input, name, ".");
  subject.plain = plain_path(path);
  if (subject.plain) subject.names.push_back({.below = *subject.plain});
  if (path.starts_with('/')) subject.names.push_back({.absolute = path});
  if (!tool.locate) return subject;
  subject.names.push_back(subject.place.emplace(tool.locate(path)));
  if (const auto inner = model::inner_place(subject.place->below))
    subject.names.push_back({.below = std::string(*inner)});
  return subject;
}

JudgedCall reading_of_path(const Tool& reader, const std::string& path) {
  return subject_of(reader, {"", reader.name, dump({{reader.argument.name, path}})});
}

// Whether a list of rules covers a call, does not, or cannot tell.
enum class Cover { yes, no, unclear };

// To forbid reading a file is to forbid searching it, to forbid edits of it is to forbid
// overwriting, and to forbid a command is to forbid it to whatever runs commands. A tool's name
// alone forbids that tool.
bool forbids_use_of(const Rule& rule, const Tool& tool, const Tools& tools) {
  if (covers_tool(rule, tool.name, Purpose::deny)) return true;
  if (rule.pattern.empty()) return false;
  if (rule.tool == tool.forbidden_with) return true;
  const Tool* named = find_tool(tools, rule.tool);
  constexpr auto command = model::Argument::Kind::command;
  return named != nullptr && named->argument.kind == command && tool.argument.kind == command;
}

// With what the links in their own paths lead to.
std::vector<Rule> path_rules(const std::vector<Rule>& rules, const Tool& tool, const Tools& tools) {
  std::vector<Rule> out;
  for (const Rule& rule : rules) {
    if (!forbids_use_of(rule, tool, tools)) continue;
    out.push_back(rule);
    if (auto real = through_links(rule, tool.locate)) out.push_back(std::move(*real));
  }
  return out;
}

Cover denies_path(const std::vector<Rule>& rules, const JudgedCall& subject, const Tools& tools) {
  Cover cover = Cover::no;
  const bool settled = subject.place ? !subject.place->absolute.empty() : subject.plain.has_value();
  for (const Rule& rule : path_rules(rules, subject.tool, tools)) {
    for (const Located& name : subject.names)
      if (covers_place(rule, name, Purpose::deny)) return Cover::yes;
    if (rule.pattern.empty()) return Cover::yes;
    if (!settled || (subject.place && subject.place->many_names)) cover = Cover::unclear;
  }
  return cover;
}

// Unclear is only what options may hide. What a command starts without saying so is not seen.
Cover denies_command(const std::vector<Rule>& rules, const JudgedCall& subject,
                     const Tools& tools) {
  std::vector<const Rule*> about;
  for (const Rule& rule : rules)
    if (forbids_use_of(rule, subject.tool, tools)) about.push_back(&rule);
  if (about.empty()) return Cover::no;
  std::vector<SimpleCommand> commands = started_programs(subject.command);
  commands.insert(commands.end(), subject.line->commands.begin(), subject.line->commands.end());
  Cover cover = Cover::no;
  for (const Rule* rule : about) {
    if (rule->pattern.empty() || covers_line(*rule, subject.command)) return Cover::yes;
    for (const SimpleCommand& command : commands) {
      if (covers_command(*rule, command, Purpose::deny)) return Cover::yes;
      if (may_cover_command(*rule, command)) cover = Cover::unclear;
    }
  }
  return cover;
}

bool covers_url(const Rule& rule, const web::Url& url, Purpose purpose) {
  const auto pattern = read_url_pattern(rule.pattern);
  const auto* read = std::get_if<UrlPattern>(&pattern);
  return rule.pattern.empty() || (read != nullptr && covers_url(*read, url, purpose));
}

bool any_names_url(const std::vector<Rule>& rules, const Tool& tool, const web::Url& url) {
  return std::ranges::any_of(rules, [&](const Rule& rule) {
    const auto pattern = read_url_pattern(rule.pattern);
    const auto* read = std::get_if<UrlPattern>(&pattern);
    // The bare name of the tool names no host.
    return rule.tool == tool.name && !rule.pattern.empty() && read != nullptr &&
           !read->host.empty() && !read->below && covers_url(*read, url, Purpose::allow);
  });
}

// Without an address only what forbids the tool as a whole counts.
Cover denies_url(const std::vector<Rule>& rules, const JudgedCall& subject, const Tools& tools) {
  const bool denied = std::ranges::any_of(rules, [&](const Rule& rule) {
    return forbids_use_of(rule, subject.tool, tools) &&
           (subject.url ? covers_url(rule, *subject.url, Purpose::deny) : rule.pattern.empty());
  });
  return denied ? Cover::yes : Cover::no;
}

// Additional directories are not part of the project.
bool may_be_run_by_hook(const Rules& rules, std::string_view below) {
  return !rules.unseen_hook.empty() && !model::inner_place(below);
}
std::string about_hook(const Rules& rules) {
  return "the hook `" + rules.unseen_hook + "` may run any file of this project";
}

bool is_guarded(const Rules& rules, std::string_view below) {
  return may_be_run_by_hook(rules, below) ||
         is_autorun_path(model::inner_place(below).value_or(below)) ||
         std::ranges::find(rules.guarded, below) != rules.guarded.end();
}

// What is around a command is known to do no harm beyond it: no program is steered, and
// files are read and written in the workspace, where nothing runs them by itself.
bool is_settled(const CommandSetting& setting, const Rules& rules, const Tool& tool,
                const Tools& tools) {
  if (std::ranges::any_of(setting.variables, steers_programs)) return false;
  const bool some_denied = std::ranges::any_of(rules.deny, [&](const Rule& rule) {
    const Tool* about = find_tool(tools, rule.tool);
    return about != nullptr && about->argument.is_path();
  });
  if (some_denied && !setting.redirections.empty()) return false;
  return std::ranges::all_of(setting.redirections, [&](const auto& redirection) {
    const Located place = tool.locate ? tool.locate(redirection.file) : Located{};
    return !place.below.empty() && place.secret.empty() && place.withheld.empty() &&
           !place.many_names && !is_guarded(rules, place.below);
  });
}

bool allows(const Rule& rule, const SimpleCommand& command, const CommandSetting& setting,
            const Tool& tool) {
  if (rule.tool != tool.name || !covers_command(rule, command, Purpose::allow, setting))
    return false;
  const bool wild = has_wildcard(rule, tool.argument.kind);
  // Nor is it to allow `cat .env`.
  if (!rule.pattern.empty() && wild && !secret_named_in(command, tool.locate).empty()) return false;
  // To say "always" to `cat README.md` is not to allow ~/.ssh.
  const bool answered = rule.origin == Rule::Origin::session || rule.origin == Rule::Origin::here;
  return !answered || !wild || !reaches_out(rule, command, tool.locate);
}

bool allows(const std::vector<Rule>& rules, const SimpleCommand& command,
            const CommandSetting& setting, const Tool& tool, bool wildcards = true) {
  return std::ranges::any_of(rules, [&](const Rule& rule) {
    return (wildcards || !has_wildcard(rule, tool.argument.kind)) &&
           allows(rule, command, setting, tool);
  });
}

Decision ask(std::string reason) { return {Verdict::ask, std::move(reason)}; }

// What a command that reads must keep away from: what is forbidden to the tool that reads files.
ReadingPlace reading_place(const Rules& rules, const JudgedCall& subject, const Tools& tools) {
  const Tool* reader = model::find_file_reader(tools);
  ReadingPlace place{subject.tool.locate, subject.tool.survey,
                     [](const std::string&) { return false; }};
  if (reader == nullptr) return place;
  std::vector<Rule> restricting = rules.deny;
  restricting.insert(restricting.end(), rules.ask.begin(), rules.ask.end());
  place.some_forbidden = !path_rules(restricting, *reader, tools).empty();
  place.forbidden = [restricting, &tools, reader](const std::string& path) {
    const JudgedCall read = reading_of_path(*reader, path);
    return denies_path(restricting, read, tools) != Cover::no ||
           (read.place && !read.place->withheld.empty());
  };
  return place;
}

std::vector<bool> reads_of(const Rules& rules, const JudgedCall& subject, const Tools& tools) {
  return reading_commands(subject.command, reading_place(rules, subject, tools));
}

bool only_reads(const std::vector<bool>& reads) {
  return !reads.empty() && std::ranges::count(reads, false) == 0;
}

// The commands of a line that do more than read.
std::vector<std::size_t> to_be_allowed(const ShellLine& line, const std::vector<bool>& reads) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < line.commands.size(); ++i)
    if (reads.size() != line.commands.size() || !reads[i]) out.push_back(i);
  return out;
}

// `exactly`: a rule may forbid it, so only what is named without wildcards is allowed.
Decision decide_command(const Rules& rules, const JudgedCall& subject, const Tools& tools,
                        bool exactly) {
  const ShellLine& line = *subject.line;
  const std::vector<bool> reads = reads_of(rules, subject, tools);
  if (only_reads(reads)) return {Verdict::allow};
  const bool named = std::ranges::any_of(rules.allow, [&](const Rule& rule) {
    return rule.tool == subject.tool.name && covers_line(rule, subject.command);
  });
  if (named) return {Verdict::allow};
  if (!line.doubt.empty()) return ask("the command contains " + line.doubt);
  for (const std::size_t i : to_be_allowed(line, reads)) {
    const SimpleCommand& command = line.commands[i];
    const CommandSetting& setting = line.settings[i];
    // Whatever moves elsewhere leaves open where a file is.
    const bool moved = !setting.redirections.empty() && line.commands.size() > 1;
    if (!setting.empty() && (moved || !is_settled(setting, rules, subject.tool, tools)))
      return ask("it is unclear which files `" + exact_pattern_for(command, setting) + "` uses");
    if (!allows(rules.allow, command, setting, subject.tool))
      return ask("no rule allows `" + exact_pattern_for(command, setting) + "`");
    if (allows(rules.allow, command, setting, subject.tool, /*wildcards=*/false)) continue;
    if (exactly) return ask("it is unclear whether a rule forbids it");
    // With a wildcard the model chooses what is written, and so what the hook runs.
    if (!rules.unseen_hook.empty()) return ask(about_hook(rules));
  }
  return {Verdict::allow};
}

Decision decide_path(const Rules& rules, const JudgedCall& subject) {
  // Nothing is asked about what the tool cannot do.
  if (subject.place && subject.place->below.empty()) return {Verdict::deny, subject.place->refusal};
  if (!subject.place && !subject.plain)
    return ask("the path is not a plain path inside the workspace");
  const Located place = subject.place ? *subject.place : Located{.below = *subject.plain};
  const bool edits = subject.tool.effect == Effect::writes;
  const bool guarded =
      is_guarded(rules, place.below) || (subject.plain && is_autorun_path(*subject.plain));
  if (rules.mode == Mode::accept_edits && edits && !guarded) return {Verdict::allow};
  for (const Rule& rule : rules.allow)
    if (rule.tool == subject.tool.name && covers_place(rule, place, Purpose::allow) &&
        !(guarded && has_wildcard(rule, subject.tool.argument.kind)))
      return {Verdict::allow};
  const bool closes = place.below.ends_with("ignore");
  return ask(!guarded                                 ? ""
             : may_be_run_by_hook(rules, place.below) ? about_hook(rules)
             : closes ? "that file says which files are hidden from the model"
                      : "other programs run that file automatically");
}

// Why an address may not be asked for unless a rule names it, in every mode; empty: it may.
std::string closed_address(const Rules& rules, const JudgedCall& subject, bool typed) {
  const web::Url& url = *subject.url;
  if (any_names_url(rules.allow, subject.tool, url)) return {};
  const bool usual = url.port == 80 || url.port == 443;
  std::string why = web::private_host(url);
  if (why.empty() && !usual && !typed) why = "port " + std::to_string(url.port) + " is unusual";
  if (why.empty()) return {};
  const UrlPattern rule{
      .host = url.host, .is_address = url.is_address, .port = usual ? std::uint16_t{0} : url.port};
  return why + "; only a rule that names it allows it: " + subject.tool.name + "(" +
         to_string(rule) + ")";
}

Decision decide_url(const Rules& rules, const JudgedCall& subject) {
  const bool typed = rules.typed && rules.typed(web::to_string(*subject.url));
  if (std::string why = closed_address(rules, subject, typed); !why.empty())
    return {Verdict::deny, std::move(why)};
  const bool by_rule = std::ranges::any_of(rules.allow, [&](const Rule& rule) {
    return covers_tool(rule, subject.tool.name, Purpose::allow) &&
           covers_url(rule, *subject.url, Purpose::allow);
  });
  if (rules.mode == Mode::plan && !by_rule)
    return {Verdict::deny, "in plan mode only addresses that a rule allows are fetched"};
  if (by_rule || typed || rules.mode == Mode::bypass) return {Verdict::allow};
  return ask("no rule allows " + web::host_text(*subject.url));
}

// Only a rule that names the very file lets a secret be used unasked.
Decision decide_secret(const Rules& rules, const JudgedCall& subject) {
  for (const Rule& rule : rules.allow)
    if (rule.tool == subject.tool.name && !has_wildcard(rule, subject.tool.argument.kind) &&
        covers_place(rule, *subject.place, Purpose::allow))
      return {Verdict::allow};
  return ask("it may hold secrets");
}

std::string definition_of(const Rules& rules, const std::string& tool) {
  return rules.definition ? rules.definition(tool) : std::string{};
}

std::vector<std::string> changed_parts(std::string_view before, std::string_view now) {
  constexpr const char* parts[] = {"description", "input schema", "annotations"};
  const auto old_parts = split(before, '-'), new_parts = split(now, '-');
  std::vector<std::string> out;
  for (std::size_t i = 0; i < std::size(parts); ++i)
    if (i >= old_parts.size() || i >= new_parts.size() || old_parts[i] != new_parts[i])
      out.emplace_back(parts[i]);
  return out;
}

Decision decide_whole(const Rules& rules, const Tool& tool) {
  const std::string now = definition_of(rules, tool.name);
  Decision decision = ask("");
  for (const Rule& rule : rules.allow) {
    if (!covers_tool(rule, tool.name, Purpose::allow) || !rule.pattern.empty()) continue;
    if (rule.definition.empty() || rule.definition == now) return {Verdict::allow};
    decision.changed = changed_parts(rule.definition, now);
  }
  if (!decision.changed.empty())
    decision.reason = "the server changed it since you allowed it: " + listed(decision.changed);
  return decision;
}

Cover denies(const std::vector<Rule>& rules, const JudgedCall& subject, const Tools& tools) {
  if (subject.line) return denies_command(rules, subject, tools);
  const bool is_url = subject.tool.argument.kind == model::Argument::Kind::url;
  return is_url ? denies_url(rules, subject, tools) : denies_path(rules, subject, tools);
}

Decision decide_unless_asked(const Rules& rules, const JudgedCall& subject, const Tools& tools) {
  const Cover denied = denies(rules.deny, subject, tools);
  if (denied == Cover::yes) return {Verdict::deny, "a rule forbids it"};
  if (subject.place && !subject.place->withheld.empty())
    return {Verdict::deny, "hidden from the model by " + subject.place->withheld};
  if (rules.mode == Mode::plan && subject.tool.effect != Effect::reads &&
      !(subject.line && rules.sandboxed && only_reads(reads_of(rules, subject, tools))))
    return {Verdict::deny, "in plan mode nothing is changed"};
  if (denied == Cover::unclear && !subject.line)
    return ask("it is unclear whether a rule forbids it");
  if (!subject.url_trouble.empty()) return {Verdict::deny, subject.url_trouble};
  if (subject.url && !subject.tool.needs_sandbox()) return decide_url(rules, subject);
  if (rules.mode == Mode::bypass) return {Verdict::allow};
  if (subject.tool.needs_sandbox() && !rules.sandboxed) return ask(std::string(not_sandboxed));
  if (subject.line) return decide_command(rules, subject, tools, denied == Cover::unclear);
  if (subject.place && !subject.place->secret.empty()) return decide_secret(rules, subject);
  if (subject.tool.effect == Effect::reads) return {Verdict::allow};
  return subject.tool.argument.is_path() ? decide_path(rules, subject)
                                         : decide_whole(rules, subject.tool);
}

Decision decide_on(const Rules& rules, const JudgedCall& subject, const Tools& tools) {
  Decision decision = decide_unless_asked(rules, subject, tools);
  if (decision.verdict == Verdict::allow && denies(rules.ask, subject, tools) == Cover::yes)
    return ask("a rule says to ask about it");
  return decision;
}

// The rules after which a command is allowed: one for each part of it, or one for the whole line
// if it cannot be taken apart.
std::vector<Rule> rules_for_command(const Rules& rules, const JudgedCall& subject,
                                    const Tools& tools) {
  const Tool& tool = subject.tool;
  const ShellLine& line = *subject.line;
  if (!line.doubt.empty()) {
    const std::string pattern = line_pattern_for(subject.command);
    return pattern.empty() ? std::vector<Rule>{} : std::vector<Rule>{{tool.name, pattern}};
  }
  std::vector<Rule> added;
  const bool wildcards =
      rules.unseen_hook.empty() && denies(rules.deny, subject, tools) == Cover::no;
  for (const std::size_t i : to_be_allowed(line, reads_of(rules, subject, tools))) {
    const SimpleCommand& command = line.commands[i];
    const CommandSetting& setting = line.settings[i];
    if (allows(rules.allow, command, setting, tool, wildcards) ||
        allows(added, command, setting, tool))
      continue;
    const std::size_t words = setting.empty() && wildcards ? subcommand_word_count(command) : 0;
    const Rule wide{tool.name, words > 0 ? pattern_for(command, words) : ""};
    const bool holds = words > 0 && allows(wide, command, setting, tool);
    added.push_back(holds ? wide : Rule{tool.name, exact_pattern_for(command, setting)});
  }
  return added;
}

// Everything in the folder of the file that is to be changed; at the top of the workspace the file
// alone, since the folder would be all of the project.
Rule rule_for_place(const Tool& tool, const JudgedCall& subject) {
  std::string path = subject.place ? subject.place->below : subject.plain.value_or("");
  if (model::inner_place(path)) path = subject.place->absolute;
  const std::size_t slash = path.rfind('/');
  return {tool.name, slash == std::string::npos || slash == 0
                         ? glob_quoted(path)
                         : glob_quoted(path.substr(0, slash)) + "/**"};
}

}  // namespace

Decision decide(const Rules& rules, const Tools& tools, const ToolUse& call) {
  const Tool* tool = find_tool(tools, call.name);
  if (tool == nullptr) return {Verdict::deny, "there is no tool named " + call.name};
  const JudgedCall subject = subject_of(*tool, call);
  Decision decision = decide_on(rules, subject, tools);
  if (subject.place) decision.place = subject.place->below;
  return decision;
}

bool speak_of(const std::vector<Rule>& rules, const Tools& tools, const ToolUse& call) {
  const Tool* tool = find_tool(tools, call.name);
  return tool != nullptr && denies(rules, subject_of(*tool, call), tools) == Cover::yes;
}

Decision decide_mention(const Rules& rules, const Tools& tools, const std::string& path) {
  const Tool* tool = model::find_file_reader(tools);
  if (tool == nullptr) return ask("there is no tool that reads");
  const JudgedCall subject = reading_of_path(*tool, path);
  const Cover denied = denies_path(rules.deny, subject, tools);
  if (denied == Cover::yes) return {Verdict::deny, "a rule forbids reading it"};
  if (subject.place && !subject.place->withheld.empty())
    return {Verdict::deny, "hidden from the model by " + subject.place->withheld};
  if (denied == Cover::unclear) return ask("it is unclear whether a rule forbids reading it");
  if (subject.place && !subject.place->secret.empty()) return decide_secret(rules, subject);
  if (!subject.place || !subject.place->below.empty()) return {Verdict::allow};
  // Only a rule that begins at the root or the home folder may speak of what is outside.
  for (const Rule& rule : rules.allow)
    if (rule.tool == tool->name &&
        (rule.pattern.starts_with('/') || rule.pattern.starts_with("~/")) &&
        covers_place(rule, *subject.place, Purpose::allow))
      return {Verdict::allow};
  return ask(subject.place->refusal);
}

std::function<bool(std::string_view)> denied_places(const Rules& rules, const Tools& tools,
                                                    const ToolUse& call) {
  const Tool* tool = find_tool(tools, call.name);
  if (tool == nullptr || !tool->locate) return {};
  std::vector<Rule> about = path_rules(rules.deny, *tool, tools);
  if (about.empty()) return {};
  const Json input = parse_json(call.input).value_or(Json());
  const std::string place_of_call = tool->locate(string_at(input, tool->argument.name, ".")).below;
  const bool further = model::inner_place(place_of_call).has_value();
  const std::string start(further ? model::further_folder_of(place_of_call) : ".");
  return [about = std::move(about), top = tool->locate(start)](std::string_view called) {
    const std::string_view below = model::inner_place(called).value_or(called);
    const std::string inner = "/" + std::string(below);
    const Located place{.below = std::string(below),
                        .absolute = (top.absolute == "/" ? "" : top.absolute) + inner,
                        .from_home = top.from_home.empty() ? std::string{} : top.from_home + inner};
    return std::ranges::any_of(
        about, [&](const Rule& rule) { return covers_place(rule, place, Purpose::deny); });
  };
}

std::function<model::UrlStanding(const std::string&)> url_standing(const Rules& rules,
                                                                   const Tools& tools,
                                                                   const ToolUse& call) {
  const Tool* tool = find_tool(tools, call.name);
  if (tool == nullptr || tool->argument.kind != model::Argument::Kind::url) return {};
  // Copies: the user may add a rule while the page is fetched.
  return [allow = rules.allow, deny = rules.deny, &tools,
          tool](const std::string& text) -> model::UrlStanding {
    const auto read = web::parse_url(text);
    const auto* url = std::get_if<web::Url>(&read);
    if (url == nullptr) return {.forbidden = true};
    return {denies_url(deny, {.tool = *tool, .url = *url}, tools) == Cover::yes,
            any_names_url(allow, *tool, *url)};
  };
}

std::vector<Rule> remember(const Rules& rules, const Tools& tools, const ToolUse& call) {
  const Tool* tool = find_tool(tools, call.name);
  if (tool == nullptr) return {};
  const JudgedCall subject = subject_of(*tool, call);
  std::vector<Rule> added;
  if (subject.place && !subject.place->secret.empty()) {
    added.push_back({tool->name, subject.place->below});
  } else if (subject.url) {
    added.push_back({tool->name, web::host_text(*subject.url)});
  } else if (tool->argument.is_path() && tool->effect == Effect::writes) {
    const std::string below = subject.place ? subject.place->below : subject.plain.value_or("");
    if (may_be_run_by_hook(rules, below))
      added.push_back({tool->name, below});
    else if (!below.empty() && !is_guarded(rules, below))
      added.push_back(rule_for_place(*tool, subject));
  } else if (!subject.line) {
    added.push_back({.tool = tool->name, .definition = definition_of(rules, tool->name)});
  } else {
    added = rules_for_command(rules, subject, tools);
  }
  // Offered only if it does what it says.
  Rules with = rules;
  with.allow.insert(with.allow.end(), added.begin(), added.end());
  return decide_on(with, subject, tools).verdict == Verdict::allow ? added : std::vector<Rule>{};
}

std::vector<std::pair<Rule, Rule>> to_be_pinned(const Rules& rules, const std::string& tool) {
  std::vector<std::pair<Rule, Rule>> out;
  if (!names_server_tools(tool)) return out;
  for (const Rule& rule : rules.allow) {
    const bool answered = rule.origin == Rule::Origin::session || rule.origin == Rule::Origin::here;
    if (!answered || rule.tool != tool || !rule.definition.empty()) continue;
    Rule pinned = rule;
    pinned.definition = definition_of(rules, tool);
    if (!pinned.definition.empty()) out.emplace_back(rule, std::move(pinned));
  }
  return out;
}

}  // namespace skein::permission
