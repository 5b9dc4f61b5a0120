// The keys above all tables; [budget], [expiry], [statusline], [colors] and [keys].
#include "app/config/rows.h"

#include "core/text/text.h"
#include "core/tools/tools.h"
#include "repl/layout/style.h"
#include "repl/status/status_line.h"
#include "repl/terminal/key_map.h"

namespace skein::config::rows {

namespace {

using enum Key::Workspace;

// A member, or a member of one.
template <auto... members>
bool set(Target& to, const Item& item) {
  take((to.config.*....*members), item);
  return true;
}

// Not relative: every folder skein is started in would have another home.
bool set_home(Target& to, const Item& item) {
  const bool address = item.text.find("://") != std::string::npos;
  const std::string home = address ? item.text : with_user_home(item.text);
  if (!address && !home.starts_with('/'))
    throw Error("home is '" + item.text + "', which is not an absolute path");
  to.config.home = home;
  return true;
}

template <auto member>
bool set_most(Target& to, const Item& item) {
  static const Config defaults;  // which a client may raise
  const bool set_by_user = to.config.*member != defaults.*member;
  const bool only_tightens = to.by_workspace() || (to.by_client && set_by_user);
  if (only_tightens && item.number > to.config.*member) return false;
  to.config.*member = static_cast<int>(item.number);
  return true;
}

bool set_notify_command(Target& to, const Item& item) {
  if (!runs_workspace_file(to, item.text, "notify-command")) to.config.notify_command = item.text;
  return true;
}

bool set_mode(Target& to, const Item& item) {
  if (to.by_workspace() && item.text != permission::name(permission::Mode::plan)) return false;
  to.config.rules.mode = permission::parse_mode(item.text).value();
  return true;
}

bool set_sandbox(Target& to, const Item& item) {
  to.config.sandbox = sandbox::parse_sandbox(item.text);  // "auto" is none of them
  return true;
}

bool set_network(Target& to, const Item& item) {
  if (to.by_workspace() && item.truth && !to.config.sandbox_network) return false;
  to.config.sandbox_network = item.truth;
  return true;
}

template <auto member>
bool set_limit(Target& to, const Item& item) {
  return set_limit(to, to.config.*member, static_cast<int>(item.number));
}

template <auto member>
bool set_dollars(Target& to, const Item& item) {
  return set_limit(to, to.config.budget.*member, item.number);
}

bool set_turn_time(Target& to, const Item& item) {
  return set_limit(to, to.config.budget.turn_ms,
                   budget::parse_time_limit("budget.turn-time", item.text));
}

bool set_ignore_files(Target& to, const Item& item) {
  for (const std::string& name : item.list)
    if (name.empty() || name.find('/') != std::string::npos)
      throw Error("ignore-files contains '" + name + "', which is not a file name");
  to.config.ignore_files = item.list;
  return true;
}

template <auto list, auto parse>
bool add_rules(Target& to, const Item& item) {
  for (const std::string& each : item.list)
    for (permission::Rule& rule : parse(each, tools::tool_table())) {
      rule.origin = to.origin;
      (to.config.rules.*list).push_back(std::move(rule));
    }
  return true;
}

constexpr Key general_table[] = {
    {"model", text, "the best model that you have a key for", trusted,
     "the model to use: PROVIDER/MODEL, or an alias", set<&Config::model>},
    {"thinking", one_of("off|minimal|low|medium|high|xhigh|max"), "off", trusted,
     "how much the model thinks", set<&Config::thinking>},
    {"fallback", models, "none", trusted,
     "models to use for the rest of a turn when the model fails: [\"PROVIDER/MODEL\", …]",
     set_fallback},
    {"plan-model", text, "the same model", trusted,
     "the model to use in plan mode: PROVIDER/MODEL, or an alias", set<&Config::plan_model>},
    {"home", text, "$XDG_DATA_HOME/skein", never,
     "where sessions are stored: a folder, or postgresql://USER@HOST/DATABASE", set_home},
    {"home-outbox", truth, "false", never,
     "queue writes on this machine while the database is unreachable", set<&Config::home_outbox>},
    {"permission-mode", one_of("default|plan|acceptEdits|bypassPermissions"), "default", tightens,
     "what tools may do without asking", set_mode},
    {"allowed-tools", rules, "none", never,
     "calls that run without asking: 'read,bash(git status)'",
     add_rules<&permission::Rules::allow, permission::parse_allow_rules>},
    {"disallowed-tools", rules, "none", tightens,
     "calls that never run; overrides everything that allows them",
     add_rules<&permission::Rules::deny, permission::parse_rules>},
    {"sandbox", one_of("auto|bubblewrap|landlock|none"), "auto, the best this machine has", never,
     "the sandbox that the model's commands run in", set_sandbox},
    {"sandbox-network", truth, "true", tightens, "give commands network access", set_network},
    {"sandbox-processes", whole(0, 1e6), "4096", tightens,
     "about how many processes a command may start; 0: no limit (always for root)",
     set_limit<&Config::sandbox_processes>},
    {"sandbox-memory", whole(0, 1e9), "0", tightens,
     "memory limit for each process of a command, in MiB; 0: no limit",
     set_limit<&Config::sandbox_memory>},
    {"max-turns", whole(1, 1e6), "100", tightens, "the most model calls for one prompt",
     set_most<&Config::max_turns>},
    {"compact-at", number(0, 1), "0.85", never,
     "summarize older messages when this part of the model's window is full; 0: never",
     set<&Config::compact_at>},
    {"system-prompt", text, "the built-in one", trusted, "the beginning of the system prompt",
     set<&Config::system_prompt>},
    {"append-system-prompt", text, "nothing", trusted, "text to add to the system prompt",
     set<&Config::append_system_prompt>},
    {"ignore-files", file_names,
     ".skeinignore .aiignore .geminiignore .crushignore .gooseignore .aiderignore .cursorignore",
     never, "files with patterns, in any folder, of paths that the model cannot access",
     set_ignore_files},
    {"session-search", truth, "false", never,
     "let the model search earlier sessions of the workspace, with the tool recall",
     set<&Config::session_search>},
    {"planning-tools", truth, "true", never, "give the model the tools todo, ask and present_plan",
     set<&Config::planning_tools>},
    {"background", truth, "true", never, "let commands and sub-agents run in the background",
     set<&Config::background>},
    {"wake", truth, "false", never,
     "ask the model to continue when a background job or sub-agent ends while the prompt is empty",
     set<&Config::wake>},
    {"web-fetch", truth, "true", never,
     "give the model the tool web_fetch; /web and @https://… work either way",
     set<&Config::web_fetch>},
    {"max-agents", whole(0, 64), "4", tightens,
     "how many sub-agents may run at once; 0: none, and no tool agent",
     set_most<&Config::max_agents>},
    {"agent-models", models, "none", never,
     "models that the model may choose for sub-agents: [\"PROVIDER/MODEL\", …]; you can choose any",
     set<&Config::agent_models>},
    {"files-follow", one_of("ask|always|never"), "ask", never,
     "restore files when /undo, /branch or /rollback moves the conversation",
     set<&Config::files_follow>},
    {"claude-hooks", truth, "false", never,
     "also run hooks from Claude Code's settings: yours, and those of a trusted workspace",
     set<&Config::claude_hooks>},
    {"notify", one_of("auto|bell|osc9|osc777|osc99|command|off"), "auto", never,
     "notify you of questions and long turns while the terminal is not focused; auto: "
     "notify-command if set, else what the terminal supports",
     set<&Config::notify>},
    {"notify-command", text, "none", trusted,
     "a program and its arguments, run without a shell; it gets the notification as JSON on "
     "standard input, and as text in place of {text}",
     set_notify_command},
    {"color", one_of("auto|always|never"), "auto", never, "when to use colors",
     set<&Config::color>},
    {"theme", one_of("auto|light|dark"), "auto", never,
     "colors for a light or a dark background; auto: ask the terminal", set<&Config::theme>},
    {"screen-reader", truth, "false", never, "print plain lines, without animation",
     set<&Config::screen_reader>},
    {"quiet", truth, "false", never, "print no notices", set<&Config::quiet>},
};

constexpr Key budget_table[] = {
    {"turn-usd", number(0, 1e6), "no limit", tightens,
     "the most that one turn may cost, with its sub-agents, in dollars; 0: no limit",
     set_dollars<&budget::SpendingLimits::turn>},
    {"session-usd", number(0, 1e6), "no limit", tightens,
     "the most that a session may cost, with all branches and sub-agents; 0: no limit",
     set_dollars<&budget::SpendingLimits::session>},
    {"day-usd", number(0, 1e6), "no limit", tightens,
     "the most that all sessions of a day may cost; 0: no limit",
     set_dollars<&budget::SpendingLimits::day>},
    {"turn-time", text, "no limit", tightens,
     "the longest that one turn may take, as in \"90s\", \"10m\" or \"2h\", without the time in "
     "which it waits for you",
     set_turn_time},
};

constexpr Key expiry_table[] = {
    {"archive-after", age, "never", never,
     "archive sessions unused for this long, after a notice, except pinned and labelled ones",
     set<&Config::archive_after>},
    {"trash-after", age, "never", never,
     "move sessions unused for this long to the trash, in the same way", set<&Config::trash_after>},
};

bool set_status_items(Target& to, const Item& item) {
  const std::vector<std::string_view> known = status::item_names();
  for (const std::string& name : item.list) {
    if (std::ranges::find(known, name) != known.end()) continue;
    throw Error("statusline.items contains '" + name + "', which is not an item; " +
                guess_or_all(name, known));
  }
  to.config.statusline.items = item.list;
  return true;
}

bool set_color(Target& to, const Item& item) {
  std::vector<std::string_view> known;
  for (const layout::NamedStyle& each : layout::named_styles()) known.push_back(each.name);
  if (std::ranges::find(known, item.owner) == known.end())
    throw Error("there is no key colors." + item.owner + "; " +
                guess(item.owner, known, "`skein help config` lists the names"));
  to.config.colors[item.owner] = layout::parse_style(item.text);
  return true;
}

constexpr Key color_table[] = {
    {"", text, "the colors of the theme", never,
     "\"red\", \"bright-blue bold\", \"#ff8800\": one of the sixteen colors or #rrggbb, and bold, "
     "dim, italic, underline. NAME is prompt, own (what you typed), dim, error, warning, success, "
     "accent, heading, title, code, link, keyword, string, number, comment, added or removed",
     set_color},
};

constexpr Key statusline_table[] = {
    {"items", words, "context, branch, git, cwd", never,
     "what to show above the prompt, most important first; also model, cache, cost, mode, "
     "thinking, "
     "title, session, tokens; []: nothing",
     set_status_items},
    {"command", text, "none", never,
     "a shell command whose output, up to three lines, replaces the items; it gets the session as "
     "JSON on standard input, as in Claude Code",
     set<&Config::statusline, &StatusLineSettings::command>},
    {"refresh", number(0, 86400), "0, only after changes", never,
     "run the command again every so many seconds",
     set<&Config::statusline, &StatusLineSettings::refresh>},
    {"timeout", whole(1, 60), "2", never, "how many seconds the command may take",
     set<&Config::statusline, &StatusLineSettings::timeout>},
};

// Each by itself; that no key is given twice is checked when all have been read.
bool set_chords(Target& to, const Item& item) {
  const terminal::KeyRow& row = terminal::row_of_action(item.owner);
  for (const std::string& text : item.list)
    if (const std::string trouble = terminal::trouble_with(terminal::parse_chord(text));
        !trouble.empty())
      throw Error("keys." + item.owner + ": " + trouble);
  to.config.keys[std::string(row.name)] = item.list;
  return true;
}

constexpr Key chord_table[] = {
    {"", chords, "see `skein keys`", never,
     "keys for an action: send = \"ctrl+enter\", newline = \"enter\", editor = [\"f4\", "
     "\"ctrl+x ctrl+e\"]; []: no key",
     set_chords},
};

}  // namespace

std::span<const Key> general_rows() { return general_table; }
std::span<const Key> budget_rows() { return budget_table; }
std::span<const Key> expiry_rows() { return expiry_table; }

std::span<const Key> color_rows() { return color_table; }
std::span<const Key> statusline_rows() { return statusline_table; }

std::span<const Key> chord_rows() { return chord_table; }

}  // namespace skein::config::rows
