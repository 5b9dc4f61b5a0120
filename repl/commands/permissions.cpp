// /permissions: shows what may run without asking and who allowed it, and edits the rules of this
// session. /add-dir: additional directories for the tools.

#include "core/model/payloads.h"
#include "core/text/text.h"
#include "repl/commands/handlers.h"
#include "repl/layout/sanitize.h"
#include "repl/session/session.h"

namespace skein::commands {

using permission::parse_allow_rules, permission::parse_rules, permission::Rule, permission::Rules;
using workspace::AdditionalDirectory;

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
  auto* const grants = session.services().grants;
  const std::vector<Rule> rules = parse_allow_rules(text, *session.services().tools);
  for (const Rule& rule : rules)
    tell(session, to_string(rule),
         grants != nullptr ? grants->give(session.id(), to_string(rule)) : "");
  add(session, rules, "");
}
void allow_here(Session& session, std::string_view text) {
  auto* const here = session.services().rules_here;
  for (const Rule& rule : parse_allow_rules(text, *session.services().tools))
    tell(session, to_string(rule), here != nullptr ? here->give(to_string(rule)) : "");
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
      throw Error("this session and this project have no rule " + to_string(rule) +
                  "; rules from flags and configuration files must be changed there");
    gone.push_back(to_string(rule));
  }
  const session::Services& services = session.services();
  for (const std::string& rule : gone) {
    if (services.grants != nullptr) services.grants->take_back(session.id(), rule);
    if (services.rules_here != nullptr)
      tell(session, "the removal of " + rule, services.rules_here->take_back(rule));
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
  const std::string words =
      layout::sanitized(text) + (remark.empty() ? "" : "  (" + std::string(remark) + ")");
  session.screen().show_fact(what, words, 9);
}

void list(Session& session, std::string_view what, const std::vector<Rule>& rules) {
  for (const Rule& rule : rules) row(session, what, name_of(rule), permission::name(rule.origin));
}

void list_withheld(Session& session) {
  constexpr std::size_t most = 20;
  const auto& ignored = session.services().ignored;
  if (ignored == nullptr) return;
  const std::vector<std::string> patterns = ignored->described();
  for (std::size_t i = 0; i < patterns.size() && i < most; ++i)
    row(session, "withheld", patterns[i]);
  if (patterns.size() > most)
    row(session, "withheld", "… " + std::to_string(patterns.size() - most) + " more");
  row(session, "secrets", "asked about: " + std::string(ignored->secrets()));
}

// "commands run …\nnetwork  open …": the first line is about the sandbox, the others say it.
void list_sandbox(Session& session) {
  const std::string text = session.services().program->facts().sandbox;
  std::string_view what = "sandbox";
  for (const std::string_view line : split(text, '\n')) {
    const std::size_t gap = what == "sandbox" ? std::string_view::npos : line.find("  ");
    const std::string_view name = gap == std::string_view::npos ? what : line.substr(0, gap);
    row(session, name, gap == std::string_view::npos ? line : trimmed(line.substr(gap), " "));
    what = "";
  }
}

void list_folders(Session& session) {
  const std::vector<AdditionalDirectory> folders = session.services().open_folders();
  if (folders.empty())
    return session.screen().print(
        "Tools can use only the workspace; /add-dir DIR adds a folder, /add-dir DIR ro a read-only "
        "one.\n");
  for (const AdditionalDirectory& each : folders) {
    const bool by_flag = session.services().folders->is_by_flag(each.path);
    session.screen().print_untrusted(each.path + (each.read_only ? "  (read-only)" : "") +
                                     (by_flag ? "  (--add-dir)" : "") + "\n");
  }
}

std::string_view without_quotes(std::string_view text) {
  const bool quoted = text.size() > 1 && (text.front() == '"' || text.front() == '\'') &&
                      text.back() == text.front();
  return quoted ? text.substr(1, text.size() - 2) : text;
}

// "DIR ro" and "DIR:ro".
bool take_read_only(std::string_view& argument) {
  for (const std::string_view end : {" ro", ":ro"})
    if (argument.ends_with(end)) {
      argument = trimmed(argument.substr(0, argument.size() - end.size()), " ");
      return true;
    }
  return false;
}

void close_folder(Session& session, std::string_view name) {
  const std::vector<AdditionalDirectory> folders = session.services().open_folders();
  const std::string wanted(without_quotes(trimmed(name, " ")));
  const auto found = std::ranges::find_if(folders, [&](const AdditionalDirectory& each) {
    return each.path == wanted || each.path + "/" == wanted ||
           (!wanted.empty() && wanted.find('/') == std::string::npos &&
            each.path.ends_with("/" + wanted));
  });
  if (found == folders.end()) throw Error(wanted + " is not an added folder; /add-dir lists them");
  const std::string news = session.services().folders->close(session.id(), found->path);
  session.tell(agent::news(news, "folder"));
  session.screen().print_untrusted("tools can no longer use " + found->path + "\n");
}

}  // namespace

void show_permissions(Session& session, std::string_view change) {
  if (!change.empty()) {
    const auto [name, rest] = first_word(change);
    const auto* verb = std::ranges::find(verbs, name, &Verb::name);
    if (verb == std::end(verbs) || rest.empty())
      throw Error("usage: /permissions allow|always|deny|remove RULES, or /permissions mode MODE");
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

Choices permission_words(Session&, std::string_view start) {
  return names_from(verbs, start, &Verb::name);
}

void add_folder(Session& session, std::string_view argument) {
  if (argument.empty()) return list_folders(session);
  if (const auto [verb, rest] = first_word(argument); verb == "remove")
    return close_folder(session, rest);
  const bool read_only = take_read_only(argument);
  session::SessionFolders* const folders = session.services().folders;
  if (folders == nullptr) throw Error("no folder can be added here");
  const AdditionalDirectory folder = folders->find(without_quotes(argument), read_only);
  const bool wide = workspace::AdditionalDirectories::is_wide(folder);
  if (wide &&
      !(session.keyboard() != nullptr &&
        session.confirm(folder.path +
                        " contains your home folder. Let the model's tools use all of it?")))
    throw Error(folder.path + " was not added");
  session.tell(agent::news(folders->open(session.id(), folder), "folder"));
  session.screen().print_untrusted(
      folder.path + (read_only
                         ? " is open to tools, read-only.\n"
                         : " is open to tools. /rewind and /undo do not restore files there.\n"));
}

Choices folder_words(Session& session, std::string_view) {
  return names_from(session.services().open_folders(), "",
                    [](const AdditionalDirectory& each) { return "remove " + each.path; });
}

}  // namespace skein::commands
