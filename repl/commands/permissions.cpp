// /permissions: shows what may run without asking and who allowed it; edits a session's own rules.
#include <algorithm>

#include "core/model/payloads.h"
#include "repl/commands/handlers.h"
#include "repl/session/session.h"

namespace skein::commands {

namespace {

void keep(session::Session& session, const std::vector<std::string>& rules) {
  store::value_or_throw(
      session.conversation().append({model::make_entry(model::payload::Permissions{rules})}));
  session.refresh_settings();
}

void tell(session::Session& session, const std::string& rule, const std::string& why) {
  if (!why.empty())
    session.screen().print_untrusted(rule + " applies until skein exits: " + why + "\n");
}

void add(session::Session& session, const std::vector<permission::Rule>& rules,
         const std::string& sign) {
  std::vector<std::string> kept = session.conversation().state().permissions;
  for (const permission::Rule& rule : rules)
    if (const std::string one = sign + permission::to_string(rule);
        std::ranges::count(kept, one) == 0)
      kept.push_back(one);
  keep(session, kept);
}

void allow(session::Session& session, std::string_view text) {
  const std::vector<permission::Rule> rules =
      permission::parse_allow_rules(text, *session.services().tools);
  for (const permission::Rule& rule : rules)
    tell(session, permission::to_string(rule),
         session.services().grant(session.conversation().session(), permission::to_string(rule)));
  add(session, rules, "");
}
void deny(session::Session& session, std::string_view text) {
  add(session, permission::parse_rules(text, *session.services().tools), "!");
}

// Older versions may have recorded the same rule in another spelling.
bool is_same(std::string_view kept, const permission::Rule& rule, const model::Tools& tools) {
  if (kept.starts_with('!')) kept.remove_prefix(1);
  if (kept == permission::to_string(rule)) return true;
  permission::Rules read;
  permission::add_session_rules(read, tools, {std::string(kept)}, {});
  return !read.not_applied.empty() &&
         permission::to_string(read.not_applied.front()) == permission::to_string(rule);
}

void remove(session::Session& session, std::string_view text) {
  std::vector<std::string> kept = session.conversation().state().permissions;
  for (const permission::Rule& rule : permission::parse_rules(text, *session.services().tools))
    if (std::erase_if(kept, [&](const std::string& each) {
          return is_same(each, rule, *session.services().tools);
        }) == 0)
      throw Error("this session has no rule " + permission::to_string(rule) +
                  " of its own; rules from flags and configuration files must be changed there");
  for (const permission::Rule& rule : permission::parse_rules(text, *session.services().tools))
    session.services().take_back(session.conversation().session(), permission::to_string(rule));
  keep(session, kept);
}

void set_mode(session::Session& session, std::string_view name) {
  const std::optional<permission::Mode> mode = permission::parse_mode(name);
  if (!mode) throw Error("the modes are default, plan, acceptEdits and bypassPermissions");
  session.settings().rules.mode = *mode;
}

struct Verb {
  std::string_view name;
  void (*run)(session::Session&, std::string_view);
};
constexpr Verb verbs[] = {{"allow", allow}, {"deny", deny}, {"mode", set_mode}, {"remove", remove}};

void list(session::Session& session, std::string_view what,
          const std::vector<permission::Rule>& rules) {
  for (const permission::Rule& rule : rules)
    session.screen().print_untrusted(std::string(what) + permission::to_string(rule) + "  (" +
                                     std::string(permission::name(rule.origin)) + ")\n");
}

}  // namespace

void show_permissions(session::Session& session, std::string_view change) {
  if (!change.empty()) {
    const std::size_t space = std::min(change.find(' '), change.size());
    const auto* verb = std::ranges::find(verbs, change.substr(0, space), &Verb::name);
    if (verb == std::end(verbs) || space == change.size())
      throw Error("/permissions takes allow, deny or remove with rules, or mode with a mode");
    verb->run(session, change.substr(space + 1));
  }
  const permission::Rules& rules = session.settings().rules;
  session.screen().print("mode     " + std::string(permission::name(rules.mode)) + ": " +
                         permission::describe(rules.mode) + "\n");
  list(session, "allowed  ", rules.allow);
  list(session, "denied   ", rules.deny);
  for (const permission::Rule& rule : rules.not_applied)
    session.screen().print_untrusted("recorded " + permission::to_string(rule) +
                                     "  (from the transcript, not applied here)\n");
  session.screen().print("sandbox  " + session.services().sandbox() + "\n");
}

std::vector<std::string> permission_words(session::Session&, std::string_view start) {
  std::vector<std::string> out;
  for (const Verb& verb : verbs)
    if (verb.name.starts_with(start)) out.emplace_back(verb.name);
  return out;
}

}  // namespace skein::commands
