// /permissions: shows what may run without asking and who allowed it; edits a session's own rules.
#include <algorithm>

#include "core/model/payloads.h"
#include "core/text/text.h"
#include "repl/commands/entry_names.h"
#include "repl/commands/handlers.h"
#include "repl/layout/flow.h"
#include "repl/layout/sanitize.h"
#include "repl/layout/width.h"
#include "repl/session/session.h"

namespace skein::commands {

using permission::parse_allow_rules, permission::parse_rules, permission::Rule, permission::Rules;

namespace {

void keep(Session& session, const std::vector<std::string>& rules) {
  store::value_or_throw(
      session.conversation().append({model::make_entry(model::payload::Permissions{rules})}));
  session.refresh_settings();
}

void tell(Session& session, const std::string& rule, const std::string& why) {
  if (!why.empty())
    session.screen().print_untrusted(rule + " applies until skein exits: " + why + "\n");
}

void add(Session& session, const std::vector<Rule>& rules, const std::string& sign) {
  std::vector<std::string> kept = session.conversation().state().permissions;
  for (const Rule& rule : rules)
    if (const std::string one = sign + to_string(rule); std::ranges::count(kept, one) == 0)
      kept.push_back(one);
  keep(session, kept);
}

void allow(Session& session, std::string_view text) {
  const std::vector<Rule> rules = parse_allow_rules(text, *session.services().tools);
  for (const Rule& rule : rules)
    tell(session, to_string(rule), session.services().grant(session.id(), to_string(rule)));
  add(session, rules, "");
}
void allow_here(Session& session, std::string_view text) {
  for (const Rule& rule : parse_allow_rules(text, *session.services().tools))
    tell(session, to_string(rule), session.services().grant_here(to_string(rule)));
  session.refresh_settings();
}
void deny(Session& session, std::string_view text) {
  add(session, parse_rules(text, *session.services().tools), "!");
}

// What it was when it was allowed is not part of its name.
std::string name_of(const Rule& rule) { return to_string(Rule{rule.tool, rule.pattern}); }

// Older versions may have recorded the same rule in another spelling.
bool is_same(std::string_view kept, const Rule& rule, const model::Tools& tools) {
  if (kept.starts_with('!')) kept.remove_prefix(1);
  if (kept == to_string(rule)) return true;
  Rules read;
  permission::add_session_rules(read, tools, {std::string(kept)}, {});
  return !read.not_applied.empty() && name_of(read.not_applied.front()) == name_of(rule);
}

// Of this session, or of this project; then of both.
void remove(Session& session, std::string_view text) {
  std::vector<std::string> kept = session.conversation().state().permissions;
  const std::vector<Rule>& allowed = session.settings().rules.allow;
  const std::vector<Rule> rules = parse_rules(text, *session.services().tools);
  std::vector<std::string> gone;  // as they are stored
  for (const Rule& rule : rules) {
    const std::size_t before = gone.size();
    std::erase_if(kept, [&](const std::string& each) {
      const bool same = is_same(each, rule, *session.services().tools);
      if (same) gone.push_back(each);
      return same;
    });
    for (const Rule& each : allowed)
      if (each.origin == Rule::Origin::here && name_of(each) == name_of(rule))
        gone.push_back(to_string(each));
    if (gone.size() == before)
      throw Error("neither this session nor this project has a rule " + to_string(rule) +
                  " of its own; rules from flags and configuration files must be changed there");
    gone.push_back(to_string(rule));
  }
  for (const std::string& rule : gone) {
    session.services().take_back(session.id(), rule);
    tell(session, "that " + rule + " is gone", session.services().take_back_here(rule));
  }
  if (kept != session.conversation().state().permissions) return keep(session, kept);
  session.refresh_settings();
}

void set_mode(Session& session, std::string_view name) {
  const std::optional<permission::Mode> mode = permission::parse_mode(name);
  if (!mode) throw Error("the modes are default, plan, acceptEdits and bypassPermissions");
  session.settings().rules.mode = *mode;
}

struct Verb {
  std::string_view name;
  void (*run)(Session&, std::string_view);
};
constexpr Verb verbs[] = {{"allow", allow},
                          {"always", allow_here},
                          {"deny", deny},
                          {"mode", set_mode},
                          {"remove", remove}};

void row(Session& session, std::string_view what, std::string_view text,
         std::string_view remark = {}) {
  constexpr std::size_t column = 9;
  const layout::TerminalStyle& look = session.screen().look();
  const std::string words =
      layout::sanitized(text) + (remark.empty() ? "" : "  (" + std::string(remark) + ")");
  if (look.labels) return session.screen().print(std::string(what) + ": " + words + "\n");
  session.screen().print(
      painted(layout::padded(std::string(what), column), layout::style::dim, look) +
      layout::hanging(words, column, session.screen().width()) + "\n");
}

void list(Session& session, std::string_view what, const std::vector<Rule>& rules) {
  for (const Rule& rule : rules) row(session, what, name_of(rule), permission::name(rule.origin));
}

void list_withheld(Session& session) {
  constexpr std::size_t most = 20;
  const std::vector<std::string> patterns = session.services().withheld();
  for (std::size_t i = 0; i < patterns.size() && i < most; ++i)
    row(session, "withheld", patterns[i]);
  if (patterns.size() > most)
    row(session, "withheld", "… " + std::to_string(patterns.size() - most) + " more");
  if (!session.services().secrets.empty())
    row(session, "secrets", "asked about: " + session.services().secrets);
}

// "commands run …\nnetwork  open …": the first line is about the sandbox, the others say it.
void list_sandbox(Session& session) {
  const std::string text = session.services().sandbox();
  std::string_view what = "sandbox";
  for (const std::string_view line : split(text, '\n')) {
    const std::size_t gap = what == "sandbox" ? std::string_view::npos : line.find("  ");
    const std::string_view name = gap == std::string_view::npos ? what : line.substr(0, gap);
    row(session, name, gap == std::string_view::npos ? line : trimmed(line.substr(gap), " "));
    what = "";
  }
}

}  // namespace

void show_permissions(Session& session, std::string_view change) {
  if (!change.empty()) {
    const auto [name, rest] = first_word(change);
    const auto* verb = std::ranges::find(verbs, name, &Verb::name);
    if (verb == std::end(verbs) || rest.empty())
      throw Error(
          "/permissions takes allow, always, deny or remove with rules, or mode with a mode");
    verb->run(session, rest);
  }
  const Rules& rules = session.settings().rules;
  row(session, "mode",
      std::string(permission::name(rules.mode)) + ": " + permission::describe(rules.mode));
  if (rules.mode == permission::Mode::normal || rules.mode == permission::Mode::accept_edits)
    row(session, "unasked", "commands that only read in the workspace, in a sandbox");
  list(session, "allowed", rules.allow);
  list(session, "asked", rules.ask);
  list(session, "denied", rules.deny);
  for (const Rule& rule : rules.not_applied)
    row(session, "recorded", to_string(rule), "from the transcript, not applied here");
  list_withheld(session);
  list_sandbox(session);
}

std::vector<std::string> permission_words(Session&, std::string_view start) {
  return names_from(verbs, start, &Verb::name);
}

}  // namespace skein::commands
