#include "app/config/rows.h"

#include <charconv>

#include "app/config/key_command.h"
#include "core/text/text.h"
#include "core/tools/tools.h"

namespace skein::config::rows {

namespace {

using enum Key::Workspace;

template <auto member>
bool set(Target& to, const Item& item) {
  take(to.config.*member, item);
  return true;
}

// Not relative: every folder skein is started in would have a home of its own.
bool set_home(Target& to, const Item& item) {
  const bool address = item.text.find("://") != std::string::npos;
  const std::string home = address ? item.text : with_user_home(item.text);
  if (!address && !home.starts_with('/'))
    throw Error("home is '" + item.text + "', which is not an absolute path", ExitStatus::usage);
  to.config.home = home;
  return true;
}

bool set_max_turns(Target& to, const Item& item) {
  const int turns = static_cast<int>(item.number);
  if (to.by_workspace() && turns > to.config.max_turns) return false;
  to.config.max_turns = turns;
  return true;
}

bool set_max_agents(Target& to, const Item& item) {
  const int most = static_cast<int>(item.number);
  if (to.by_workspace() && most > to.config.max_agents) return false;
  to.config.max_agents = most;
  return true;
}

// 0 is no limit.
bool set_agent_budget(Target& to, const Item& item) {
  double& budget = to.config.agent_budget;
  if (to.by_workspace() && budget > 0 && (item.number == 0 || item.number > budget)) return false;
  budget = item.number;
  return true;
}

bool set_notify_command(Target& to, const Item& item) {
  if (const std::string used =
          to.by_workspace() ? workspace_file_in(item.text, to.workspace) : std::string{};
      !used.empty()) {
    to.config.notices.push_back("the notify-command in the workspace's configuration uses " + used +
                                " of the workspace, which trust does not cover; passed over");
    return true;
  }
  to.config.notify_command = item.text;
  return true;
}

bool set_agent_models(Target& to, const Item& item) {
  to.config.agent_models = item.list;
  return true;
}

bool set_handover_thinking(Target& to, const Item& item) {
  to.config.handover.thinking_as_text = item.text == "text";
  return true;
}

bool set_mode(Target& to, const Item& item) {
  if (to.by_workspace() && item.text != permission::name(permission::Mode::plan)) return false;
  to.config.rules.mode = permission::parse_mode(item.text).value();
  return true;
}

bool set_sandbox(Target& to, const Item& item) {
  to.config.sandbox = tools::sandbox::parse_sandbox(item.text);  // "auto" is none of them
  return true;
}

bool set_network(Target& to, const Item& item) {
  if (to.by_workspace() && item.truth && !to.config.sandbox_network) return false;
  to.config.sandbox_network = item.truth;
  return true;
}

// 0 is no limit, so it loosens every other.
template <auto member>
bool set_limit(Target& to, const Item& item) {
  int& limit = to.config.*member;
  const int given = static_cast<int>(item.number);
  if (to.by_workspace() && limit > 0 && (given == 0 || given > limit)) return false;
  limit = given;
  return true;
}

// "64k", "1m", or bytes.
bool set_max_instructions(Target& to, const Item& item) {
  std::size_t bytes = 0;
  const char* const end = item.text.data() + item.text.size();
  const auto [rest, failed] = std::from_chars(item.text.data(), end, bytes);
  const std::string unit = lower(std::string(rest, end));
  const std::size_t factor = unit.empty() ? 1 : unit == "k" ? 1u << 10 : unit == "m" ? 1u << 20 : 0;
  if (failed != std::errc{} || factor == 0 || bytes > (64u << 20) / factor)
    throw Error("max-instructions is '" + item.text + "', which is no size; say \"64k\"",
                ExitStatus::usage);
  if (to.by_workspace() && bytes * factor > to.config.max_instructions) return false;
  to.config.max_instructions = bytes * factor;
  return true;
}

bool set_ignore_files(Target& to, const Item& item) {
  for (const std::string& name : item.list)
    if (name.empty() || name.find('/') != std::string::npos)
      throw Error("ignore-files holds '" + name + "', which is no name of a file",
                  ExitStatus::usage);
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
    {"", "model", text, "the best model there is a key for", trusted, "--model",
     "PROVIDER/MODEL, or an alias", set<&Config::model>},
    {"", "thinking", one_of("off|minimal|low|medium|high|xhigh|max"), "off", trusted, "--thinking",
     "how much the model thinks", set<&Config::thinking>},
    {"", "fallback", models, "none", trusted, "",
     "[\"PROVIDER/MODEL\", …] to ask, for the rest of a turn, when the model cannot answer",
     set_fallback},
    {"", "plan-model", text, "the same one", trusted, "",
     "PROVIDER/MODEL, or an alias, that answers while plan mode is on", set<&Config::plan_model>},
    {"", "home", text, "$XDG_DATA_HOME/skein", never, "--home",
     "where sessions live: a folder, or postgresql://USER@HOST/DATABASE", set_home},
    {"", "home-outbox", truth, "false", never, "",
     "true: what a database cannot be sent is parked on this machine, and sent later",
     set<&Config::home_outbox>},
    {"", "handover-thinking", one_of("none|text"), "none", trusted, "",
     "text: a model sees what others thought as part of their answers", set_handover_thinking},
    {"", "permission-mode", one_of("default|plan|acceptEdits|bypassPermissions"), "default",
     tightens, "--permission-mode", "what tools may do unasked", set_mode},
    {"", "allowed-tools", rules, "none", never, "--allowed-tools",
     "calls that run unasked: 'read,bash(git status)'",
     add_rules<&permission::Rules::allow, permission::parse_allow_rules>},
    {"", "disallowed-tools", rules, "none", tightens, "--disallowed-tools",
     "calls that never run; stronger than everything else",
     add_rules<&permission::Rules::deny, permission::parse_rules>},
    {"", "sandbox", one_of("auto|bubblewrap|landlock|none"), "auto, the best this machine has",
     never, "", "the sandbox that the model's commands run in", set_sandbox},
    {"", "sandbox-network", truth, "true", tightens, "", "false: commands get no network",
     set_network},
    {"", "sandbox-processes", whole(0, 1e6), "4096", tightens, "",
     "how many processes a command may start, about; 0: no limit (root has none)",
     set_limit<&Config::sandbox_processes>},
    {"", "sandbox-memory", whole(0, 1e9), "0", tightens, "",
     "MiB of data each process of a command may have; 0: no limit",
     set_limit<&Config::sandbox_memory>},
    {"", "max-turns", whole(1, 1e6), "100", tightens, "--max-turns", "model calls per prompt",
     set_max_turns},
    {"", "compact-at", number(0, 1), "0.85", never, "",
     "the part of the model's window that may be full before older messages are summarized; 0: "
     "never",
     set<&Config::compact_at>},
    {"", "system-prompt", text, "the built-in one", trusted, "--system-prompt",
     "what the model is told first", set<&Config::system_prompt>},
    {"", "append-system-prompt", text, "nothing", trusted, "--append-system-prompt",
     "what it is told after that", set<&Config::append_system_prompt>},
    {"", "ignore-files", file_names,
     ".skeinignore .aiignore .geminiignore .crushignore .gooseignore .aiderignore .cursorignore",
     never, "", "files whose patterns say what the model is kept from, in every folder",
     set_ignore_files},
    {"", "max-instructions", text, "\"64k\"", tightens, "",
     "how much of AGENTS.md and its kin is read in all, half of it of one file; \"0\": nothing",
     set_max_instructions},
    {"", "keep-deltas", truth, "true", never, "",
     "false: do not write an answer to the session while it comes (a crash then loses it)",
     set<&Config::keep_deltas>},
    {"", "session-search", truth, "false", never, "",
     "true: the model gets the tool recall, and can look into earlier sessions of the workspace",
     set<&Config::session_search>},
    {"", "planning-tools", truth, "true", never, "",
     "false: the model does not get the tools todo, ask and present_plan",
     set<&Config::planning_tools>},
    {"", "background", truth, "true", never, "",
     "false: nothing runs beside the conversation: no commands as jobs, no sub-agents that are not "
     "waited for",
     set<&Config::background>},
    {"", "background-on-timeout", truth, "true", never, "",
     "false: a command of the model's that is out of time is ended, and does not go on as a job",
     set<&Config::background_on_timeout>},
    {"", "jobs-wake", truth, "false", never, "",
     "true: when a job ends while you are at an empty prompt, the model is asked to go on",
     set<&Config::jobs_wake>},
    {"", "agents-wake", truth, "false", never, "",
     "true: the same when a sub-agent ends that works in the background",
     set<&Config::agents_wake>},
    {"", "web-fetch", truth, "true", never, "",
     "false: the model does not get the tool web_fetch; /web and @https://… work all the same",
     set<&Config::web_fetch>},
    {"", "web-fetch-typed", truth, "true", never, "",
     "false: you are asked also when the model fetches a URL that you typed yourself",
     set<&Config::web_fetch_typed>},
    {"", "max-agents", whole(0, 64), "4", tightens, "",
     "how many sub-agents may work at once; 0: the model does not get the tool agent",
     set_max_agents},
    {"", "agent-budget", number(0, 1e6), "no limit", tightens, "",
     "dollars that the sub-agents of one turn may cost together; 0: no limit", set_agent_budget},
    {"", "agent-models", models, "none", never, "",
     "[\"PROVIDER/MODEL\", …] that the model may choose for a sub-agent; others only you can",
     set_agent_models},
    {"", "files-follow", one_of("ask|always|never"), "ask", never, "",
     "whether files are put back when /undo, /branch and /rollback move the conversation",
     set<&Config::files_follow>},
    {"", "keep-checkpoints", whole(1, 1e6), "200", never, "",
     "how many checkpoints of a session `sessions prune-blobs` leaves whole; of older ones one a "
     "day",
     set<&Config::keep_checkpoints>},
    {"", "claude-hooks", truth, "false", never, "",
     "true: hooks in Claude Code's settings run too: yours, and those of a workspace you trust",
     set<&Config::claude_hooks>},
    {"", "enter-while-busy", one_of("queue|steer"), "queue", never, "",
     "what Enter does with a line while a turn runs: it waits for the end, or is told at once; "
     "Alt+Enter does the other",
     set<&Config::enter_while_busy>},
    {"", "terminal-marks", truth, "true", never, "",
     "window title, marks to jump from prompt to prompt", set<&Config::terminal_marks>},
    {"", "notify", one_of("auto|bell|osc9|osc777|osc99|command|off"), "auto", never, "",
     "how you are called while you look elsewhere: a turn took ten seconds, or a question waits; "
     "auto is notify-command if there is one, else what the terminal is known to take",
     set<&Config::notify>},
    {"", "notify-command", text, "none", trusted, "",
     "a program and its arguments, not for a shell; it gets what there is to say as JSON on "
     "standard input, and in the place of {text}",
     set_notify_command},
    {"", "color", one_of("auto|always|never"), "auto", never, "--color", "when to use colours",
     set<&Config::color>},
    {"", "screen-reader", truth, "false", never, "--screen-reader",
     "plain lines, nothing that moves", set<&Config::screen_reader>},
    {"", "banner", truth, "true", never, "", "false: a new session begins without a greeting",
     set<&Config::banner>},
    {"", "quiet", truth, "false", never, "--quiet", "no notices", set<&Config::quiet>},
};

constexpr Key expiry_table[] = {
    {"expiry", "archive-after", age, "never", never, "",
     "sessions unused for so long are packed, once you were told; pinned and labelled "
     "ones are not",
     set<&Config::archive_after>},
    {"expiry", "trash-after", age, "never", never, "",
     "sessions unused for so long go to the trash in the same way", set<&Config::trash_after>},
};

}  // namespace

std::span<const Key> general_rows() { return general_table; }
std::span<const Key> expiry_rows() { return expiry_table; }

}  // namespace skein::config::rows
