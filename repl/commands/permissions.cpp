// /permissions: shows what may run without asking and who allowed it; edits a session's own rules.
#include <algorithm>

#include "core/model/payloads.h"
#include "core/text/text.h"
#include "repl/commands/entry_names.h"
#include "repl/commands/handlers.h"
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
void deny(Session& session, std::string_view text) {
  add(session, parse_rules(text, *session.services().tools), "!");
}

// Older versions may have recorded the same rule in another spelling.
bool is_same(std::string_view kept, const Rule& rule, const model::Tools& tools) {
  if (kept.starts_with('!')) kept.remove_prefix(1);
  if (kept == to_string(rule)) return true;
  Rules read;
  permission::add_session_rules(read, tools, {std::string(kept)}, {});
  return !read.not_applied.empty() && to_string(read.not_applied.front()) == to_string(rule);
}

void remove(Session& session, std::string_view text) {
  std::vector<std::string> kept = session.conversation().state().permissions;
  for (const Rule& rule : parse_rules(text, *session.services().tools))
    if (std::erase_if(kept, [&](const std::string& each) {
          return is_same(each, rule, *session.services().tools);
        }) == 0)
      throw Error("this session has no rule " + to_string(rule) +
                  " of its own; rules from flags and configuration files must be changed there");
  for (const Rule& rule : parse_rules(text, *session.services().tools))
    session.services().take_back(session.id(), to_string(rule));
  keep(session, kept);
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
constexpr Verb verbs[] = {{"allow", allow}, {"deny", deny}, {"mode", set_mode}, {"remove", remove}};

void list(Session& session, std::string_view what, const std::vector<Rule>& rules) {
  for (const Rule& rule : rules)
    session.screen().print_untrusted(std::string(what) + to_string(rule) + "  (" +
                                     std::string(permission::name(rule.origin)) + ")\n");
}

void list_withheld(Session& session) {
  constexpr std::size_t most = 20;
  const std::vector<std::string> patterns = session.services().withheld();
  for (std::size_t i = 0; i < patterns.size() && i < most; ++i)
    session.screen().print_untrusted("withheld " + patterns[i] + "\n");
  if (patterns.size() > most)
    session.screen().print("withheld … " + std::to_string(patterns.size() - most) + " more\n");
  if (!session.services().secrets.empty())
    session.screen().print("secrets  asked about: " + session.services().secrets + "\n");
}

}  // namespace

void show_permissions(Session& session, std::string_view change) {
  if (!change.empty()) {
    const auto [name, rest] = first_word(change);
    const auto* verb = std::ranges::find(verbs, name, &Verb::name);
    if (verb == std::end(verbs) || rest.empty())
      throw Error("/permissions takes allow, deny or remove with rules, or mode with a mode");
    verb->run(session, rest);
  }
  const Rules& rules = session.settings().rules;
  session.screen().print("mode     " + std::string(permission::name(rules.mode)) + ": " +
                         permission::describe(rules.mode) + "\n");
  list(session, "allowed  ", rules.allow);
  list(session, "denied   ", rules.deny);
  for (const Rule& rule : rules.not_applied)
    session.screen().print_untrusted("recorded " + to_string(rule) +
                                     "  (from the transcript, not applied here)\n");
  list_withheld(session);
  session.screen().print("sandbox  " + session.services().sandbox() + "\n");
}

std::vector<std::string> permission_words(Session&, std::string_view start) {
  return names_from(verbs, start, &Verb::name);
}

}  // namespace skein::commands
