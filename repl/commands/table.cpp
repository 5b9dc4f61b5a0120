#include "repl/commands/table.h"

#include <algorithm>

#include "core/text/spelling.h"
#include "repl/commands/entry_names.h"
#include "repl/commands/handlers.h"
#include "repl/layout/sanitize.h"
#include "repl/session/session.h"

namespace skein::commands {

namespace {

void quit(Session& session, std::string_view) { session.leave(); }

constexpr Command table[] = {
    {"add-dir", "[DIR [ro] | remove DIR]",
     "open a further folder to the tools, list them, or close one", folder_words, add_folder},
    {"agents", "[stop ID]", "list the sub-agents of this session, and those that can be asked",
     agent_words, show_agents},
    {"archive", "[session]", "pack a session away; lists leave it out, it stays readable",
     session_names, archive_session, describe_sessions},
    {"branch", "<entry> [prompt]", "continue from an earlier entry", entry_names, branch,
     describe_entries},
    {"branches", "", "list the branches of this session", nullptr, show_branches},
    {"btw", "<question>",
     "ask something beside the conversation: without tools, and not kept in it", nullptr,
     ask_aside},
    {"compact", "[focus]", "summarize older messages", nullptr, compact},
    {"config", "", "show the settings and where they are stored", nullptr, show_config},
    {"context", "", "show what fills the model's window", nullptr, show_context},
    {"continue", "", "let the model continue without a new message", nullptr, continue_turn},
    {"copy", "[n|code [n]|cmd]",
     "put the last answer on the clipboard, or the n-th last, its code, the last command",
     copy_words, copy},
    {"delete", "[session]", "move a session to the trash", session_names, delete_session,
     describe_sessions},
    {"diff", "[turn|entry|snapshot]", "show what has changed in the files since then", diff_words,
     show_diff},
    {"doctor", "", "check this session for damage", nullptr, show_health},
    {"edit", "[n]", "change your last message, or the n-th last, and send it again as a branch",
     nullptr, edit_prompt},
    {"expand", "", "show in full what was last folded: a result, a diff, thinking", nullptr,
     expand_last},
    {"export", "[format] [file] [flags]",
     "save this branch as markdown, html, jsonl, json, text, pi, openai, anthropic or google",
     format_names, export_session},
    {"follow", "[session]", "show what another process says in a session; t takes over",
     session_names, follow_session},
    {"fork", "[key]", "continue in a new session that branches off here", nullptr, fork_session},
    {"help", "[command|keys]", "list the commands, or say what one does, or the keys", nullptr,
     show_help},
    {"history", "[n|all]", "show the latest messages", nullptr, show_history},
    {"hooks", "", "list the programs that are run at fixed points of a session", nullptr,
     show_hooks},
    {"import", "[file or folder]", "bring in sessions of other programs", nullptr, import_sessions},
    {"init", "[focus]", "have the model write AGENTS.md, or improve it", nullptr,
     write_instructions},
    {"insights", "[30d] [by day|week|model|project|tool]",
     "show what all sessions came to: prompts, tokens, cost, speed, tools", nullptr, show_insights},
    {"instructions", "[number]",
     "show which files tell the model how to work here; with a number: edit one", nullptr,
     show_instructions},
    {"jobs", "[show N|stop N|stop all]", "list the commands that run in the background, or end one",
     job_words, show_jobs},
    {"login", "[provider]", "show how to provide a key and whether it works", nullptr, show_login},
    {"mcp", "[reconnect|enable|disable NAME]", "list the MCP servers, or do something with one",
     server_words, show_servers},
    {"memory", "[why N | edit [-g]]", "show what is remembered, and where it was said", nullptr,
     show_memory},
    {"model", "[provider/model|-|all]",
     "choose the model from a list or by name; - is the last one", model_names, choose_model,
     describe_models},
    {"new", "[title]", "start a fresh session", nullptr, new_session},
    {"permissions", "[allow|always|deny|remove RULES | mode MODE]",
     "show or change what may run without asking; always: in this project, for good",
     permission_words, show_permissions},
    {"plan", "[what to plan|copy|save [file]]",
     "have something planned before anything is changed; alone: the plan approved last; copy and "
     "save take the one presented last",
     plan_words, show_plan},
    {"queue", "[drop N|edit N|clear]", "show or change the lines that wait for the turn to end",
     nullptr, show_queue},
    {"quit", "", "leave", nullptr, quit},
    {"raw", "", "show the last answer as it came, for selecting with the mouse", nullptr, show_raw},
    {"redact", "<entry> [reason]", "mask an entry everywhere", entry_names, redact_entry,
     describe_entries},
    {"redo", "", "take the last /undo or /rewind back, files included", nullptr, redo},
    {"remember", "[-g] <text>", "keep a line for later sessions here; -g: in every project",
     nullptr, remember},
    {"rename", "<title>", "give this session a title", nullptr, rename_session},
    {"replay", "[entry] [step|until-error|4x]", "show this session as it happened, step by step",
     entry_names, replay_session, describe_entries},
    {"restore", "[session]", "bring a session back from the trash, or list what is there", nullptr,
     restore_session},
    {"resume", "[text]", "choose a session from a list", nullptr, resume_session},
    {"retry", "", "ask the last question again; the first answer is kept", nullptr, retry},
    {"rewind", "[entry]", "go back to before one of your messages, with the files or without",
     entry_names, rewind, describe_entries},
    {"rollback", "<snapshot>", "go back to a snapshot", snapshot_names, roll_back},
    {"search", "<words> [--role user …]",
     "find what was said, in any session, and open it there; --session, --cwd, --role, --tool, "
     "--model, --since, --until and the others of `skein search` narrow it down",
     nullptr, search_sessions},
    {"sessions", "[all|archived|own] [filter]",
     "list the sessions of this folder; own leaves imported ones out", list_words, list_sessions},
    {"skills", "[name]", "list the skills the model can use, or show one", skill_names,
     show_skills},
    {"snapshot", "[name]", "name this point so that you can return to it", nullptr, take_snapshot},
    {"snapshots", "[delete NAME]", "list the snapshots of this session, or delete one", nullptr,
     show_snapshots},
    {"status", "", "show on one screen where you are: session, model, context, files, servers",
     nullptr, show_status},
    {"steer", "<text>", "tell the model something while it works, before its next step", nullptr,
     steer},
    {"switch", "<session>", "switch to another session", session_names, switch_session,
     describe_sessions},
    {"system", "[text|none]", "show or set the system prompt of this session", nullptr, set_system},
    {"thinking", "[level]",
     "how much the model thinks: off, minimal, low, medium, high, xhigh, max", thinking_names,
     choose_thinking},
    {"todo", "[add TEXT | done N | drop N | clear]", "show or change what is to be done",
     todo_words, show_todo},
    {"tools", "", "list the tools the model can use", nullptr, show_tools},
    {"tree", "", "draw the branches of this session", nullptr, show_tree},
    {"undo", "[N]", "go back to before your last message, or N of them; files too, if you want",
     nullptr, undo},
    {"usage", "", "show tokens and cost of this session", nullptr, show_usage},
    {"web", "<url> [question]", "give the model a page of the web", nullptr, fetch_page},
};
static_assert(std::ranges::is_sorted(table, {}, &Command::name));

// What people type out of habit.
constexpr std::pair<std::string_view, std::string_view> aliases[] = {
    {"?", "help"}, {"clear", "new"}, {"cost", "usage"}, {"exit", "quit"}, {"q", "quit"}};

constexpr std::string_view used_often[] = {"context", "diff", "help",   "model",    "new",
                                           "plan",    "quit", "resume", "sessions", "usage"};
constexpr std::string_view used_carefully[] = {"archive", "delete", "redact", "rollback"};

}  // namespace

std::span<const Command> commands() { return table; }

Use use_of(std::string_view name) {
  if (std::ranges::find(used_often, name) != std::end(used_often)) return Use::often;
  return std::ranges::find(used_carefully, name) != std::end(used_carefully) ? Use::careful
                                                                             : Use::sometimes;
}

std::vector<std::string_view> aliases_of(std::string_view name) {
  std::vector<std::string_view> out;
  for (const auto& [alias, meaning] : aliases)
    if (meaning == name) out.push_back(alias);
  return out;
}

const Command* find_command(std::string_view name) {
  for (const auto& [alias, meaning] : aliases)
    if (name == alias) name = meaning;
  const auto found = std::ranges::lower_bound(table, name, {}, &Command::name);
  return found != std::end(table) && found->name == name ? &*found : nullptr;
}

std::vector<project::OwnCommand> own_commands(Session& session) {
  std::vector<project::OwnCommand> out = project::by_name(session.services().own_commands());
  std::erase_if(out, [](const auto& own) { return find_command(own.name) != nullptr; });
  return out;
}

std::string nearest_command(Session& session, std::string_view name) {
  std::vector<std::string> names;
  for (const Command& command : table) names.emplace_back(command.name);
  for (const project::OwnCommand& own : own_commands(session)) names.push_back(own.name);
  for (const session::ServerPrompt& prompt : session.services().server_prompts())
    names.push_back(prompt.name);
  return std::string(nearest(name, std::vector<std::string_view>(names.begin(), names.end())));
}

}  // namespace skein::commands
