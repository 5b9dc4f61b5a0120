// /help: the commands in groups, with their other names, and what else a line may begin with.

#include "repl/commands/table.h"

#include "core/model/attachments.h"
#include "core/text/text.h"
#include "repl/layout/width.h"
#include "repl/session/session.h"

namespace skein::commands {

namespace {

void quit(Session& session, std::string_view) { session.leave(); }

using In = HelpGroup;

constexpr Command::Listing often(HelpGroup group) { return {group, Use::often}; }
constexpr Command::Listing careful(HelpGroup group) { return {group, Use::careful}; }

constexpr Command table[] = {
    {"add-dir", "[DIR [ro] | remove DIR]",
     "let tools use another folder, list these folders, or remove one", In::permissions, add_folder,
     folder_words},
    {"agents", "[stop ID]", "list this session's sub-agents and the available agents, or stop one",
     In::running, show_agents, agent_words},
    {"archive", "[session]", "compress a session and hide it from lists; it stays readable",
     careful(In::sessions), archive_session, session_names},
    {"branch", "<entry> [prompt]", "continue from an earlier entry", In::branches, branch,
     entry_names},
    {"btw", "<question>", "ask a side question, without tools; it is not kept in the conversation",
     In::conversation, ask_aside},
    {"compact", "[focus]", "summarize older messages", In::conversation, compact},
    {"config", "", "show the settings and where they are stored", In::program, show_config},
    {"context", "[drop N]", "show what fills the model's window, or leave a result out of it",
     often(In::conversation), show_context},
    {"continue", "", "let the model continue without a new message", In::conversation,
     continue_turn},
    {"copy", "[n|code [n]|cmd]",
     "copy the last answer, the n-th last, its code, or the last command", In::conversation, copy,
     copy_words},
    {"delete", "[session]", "move a session to the trash", careful(In::sessions), delete_session,
     session_names},
    {"diff", "[turn|entry|snapshot]",
     "show how files changed since a message, an entry or a snapshot", often(In::files), show_diff,
     diff_words},
    {"doctor", "", "check this session for damage", In::program, show_health},
    {"edit", "[n]", "edit your last message, or the n-th last, and send it again as a branch",
     In::conversation, edit_prompt},
    {"expand", "", "show the last folded output in full: a result, a diff, thinking",
     In::conversation, expand_last},
    {"export", "[format] [file] [flags]",
     "save this branch as markdown, html, jsonl, json, text, pi, openai, anthropic or google",
     In::conversation, export_session, format_names},
    {"follow", "[session]", "watch a session that another process works in; t takes over",
     In::branches, follow_session, session_keys},
    {"fork", "[key]", "continue in a new session that branches off here", In::branches,
     fork_session},
    {"help", "[all|keys|command|topic]",
     "list the commands; all: describe each; or explain a command, the keys or a topic",
     often(In::program), show_help},
    {"history", "[n|all|raw]", "show the latest messages; raw: the last answer as plain text",
     In::conversation, show_history},
    {"hooks", "", "list the hooks: programs that run on events of a session", In::permissions,
     show_hooks},
    {"import", "[file or folder]", "import sessions of other programs", In::sessions,
     import_sessions},
    {"init", "[focus]", "let the model write or improve AGENTS.md", In::files, write_instructions},
    {"insights", "[30d] [by day|week|model|project|tool]",
     "show statistics of all sessions: prompts, tokens, cost, speed, tools", In::sessions,
     show_insights},
    {"instructions", "[number]",
     "list the instruction files, like AGENTS.md; with a number: edit one", In::files,
     show_instructions},
    {"jobs", "[show N|stop N|stop all]",
     "list background jobs, show the output of one, or stop one", In::running, show_jobs,
     job_words},
    {"login", "[provider]", "store a provider's API key; alone: show which keys exist", In::model,
     log_in},
    {"logout", "<provider>", "remove a provider's stored API key", In::model, log_out},
    {"mcp", "[reconnect|enable|disable NAME]",
     "list the MCP servers, or reconnect, enable or disable one", In::permissions, show_servers,
     server_words},
    {"memory", "[why N | edit [-g]]", "show what skein remembers, and where each line comes from",
     In::files, show_memory},
    {"model", "[provider/model|-|all]",
     "choose the model from a list or by name; -: the previous one", often(In::model), choose_model,
     model_names},
    {"new", "[title]", "start a new session", often(In::conversation), new_session},
    {"permissions", "[allow|always|deny|remove RULES | mode MODE]",
     "show or change what may run without asking; always: permanently, in this project",
     In::permissions, show_permissions, permission_words},
    {"plan", "[what to plan|copy|save [file]]",
     "plan a task before anything changes; alone: show the approved plan; copy and save use the "
     "plan presented last",
     often(In::files), show_plan, plan_words},
    {"queue", "[drop N|edit N|clear]", "show or change the lines queued until the turn ends",
     In::running, show_queue},
    {"quit", "", "quit skein", often(In::conversation), quit},
    {"redact", "<entry> [reason]", "mask an entry everywhere", careful(In::sessions), redact_entry,
     entry_names},
    {"redo", "", "undo the last /undo or /rewind, files included", In::conversation, redo},
    {"remember", "[-g] <text>", "save a line for later sessions of this project; -g: all projects",
     In::files, remember},
    {"rename", "<title>", "give this session a title", In::sessions, rename_session},
    {"replay", "[entry] [step|until-error|4x]", "play this session back step by step", In::branches,
     replay_session, entry_names},
    {"restore", "[session]", "restore a session from the trash; alone: list the trash",
     In::sessions, restore_session},
    {"resume", "[text]", "choose a session from a list", often(In::sessions), resume_session},
    {"retry", "", "ask the last question again; the first answer stays as a branch",
     In::conversation, retry},
    {"rewind", "[entry]", "go back to before one of your messages, with or without the files",
     In::conversation, rewind, entry_names},
    {"rollback", "<snapshot>", "go back to a snapshot", careful(In::branches), roll_back,
     snapshot_names},
    {"search", "<words> [--role user …]",
     "search all sessions and open what you find; filter with the options of `skein search`: "
     "--session, --cwd, --role, --tool, --model, --since, --until, …",
     In::sessions, search_sessions},
    {"sessions", "[all|archived|own] [filter]",
     "list the sessions of this folder; own: without imported ones", often(In::sessions),
     list_sessions, list_words},
    {"skills", "[name]", "list the skills the model can use, or show one", In::permissions,
     show_skills, skill_names},
    {"snapshot", "[name|delete NAME]",
     "name this point so that you can return to it; alone: list the snapshots", In::branches,
     snapshot},
    {"status", "", "show session, model, context, files and servers on one screen", In::program,
     show_status},
    {"steer", "<text>", "send the model a message while it works, before its next step",
     In::running, steer},
    {"switch", "<session>", "switch to another session", In::sessions, switch_session,
     session_names},
    {"system", "[text|none]", "show or set the system prompt of this session", In::model,
     set_system},
    {"thinking", "[level]",
     "set how much the model thinks: off, minimal, low, medium, high, xhigh, max", In::model,
     choose_thinking, thinking_names},
    {"todo", "[add TEXT | done N | drop N | clear]", "show or change the to-do list", In::files,
     show_todo, todo_words},
    {"tools", "", "list the tools the model can use", In::permissions, show_tools},
    {"tree", "", "show the branches of this session as a tree", In::branches, show_tree},
    {"undo", "[N]", "go back to before your last message, or the last N, with or without the files",
     In::conversation, undo},
    {"usage", "", "show tokens and cost of this session", often(In::conversation), show_usage},
    {"web", "<url> [question]", "fetch a web page for the model", In::files, fetch_page},
};
static_assert(std::ranges::is_sorted(table, {}, &Command::name));

// What people type out of habit.
constexpr std::pair<std::string_view, std::string_view> aliases[] = {
    {"?", "help"}, {"clear", "new"}, {"cost", "usage"}, {"exit", "quit"}, {"q", "quit"}};

// Names of earlier versions: they work, but no list shows them.
constexpr Command old_names[] = {
    {"branches", "", "the same as /tree", In::branches, show_tree},
    {"raw", "", "the same as /history raw", In::conversation, show_raw},
    {"snapshots", "[delete NAME]", "the same as /snapshot", In::branches, snapshot},
};

// What other agents call it. A command of the user's own of that name comes first.
struct Elsewhere {
  std::string_view name;
  std::string_view command;   // what it is called here; empty: there is none
  std::string_view advice{};  // what to do instead
};
constexpr Elsewhere names_elsewhere[] = {
    {"approvals", "permissions"},
    {"bashes", "jobs"},
    {"checkpoint", "rewind"},
    {"checkpoints", "rewind"},
    {"effort", "thinking"},
    {"keybindings", "", "keys are set under [keys] in config.toml; `skein keys` lists them"},
    {"keymap", "", "keys are set under [keys] in config.toml; `skein keys` lists them"},
    {"models", "model"},
    {"name", "rename"},
    {"ps", "jobs"},
    {"review", "", "there is no /review; ask for it, or write it as .skein/commands/review.md"},
    {"settings", "config"},
    {"stats", "insights"},
    {"statusline", "", "the status line is set under [statusline] in config.toml"},
    {"tasks", "jobs"},
    {"theme", "", "colors are set under [colors] in config.toml"},
    {"title", "rename"},
    {"todos", "todo"},
    {"vim", "", "there is no vi mode; keys are set under [keys] in config.toml"},
};

prompt::CompletionChoice named(std::string_view name, std::string_view arguments,
                               std::string_view about) {
  return {.text = "/" + std::string(name) + (arguments.empty() ? "" : " "),
          .about = std::string(about),
          .letters = std::string(name),
          // Nothing must follow a command whose arguments may be left out.
          .whole = arguments.empty() || arguments.starts_with('[')};
}

// Of a server's: a description may go on for pages.
std::string_view first_line(std::string_view text) { return text.substr(0, text.find('\n')); }

std::string hint_text(std::string_view arguments) {
  return arguments.empty() ? "" : " " + layout::sanitized_row(arguments);
}

Choices command_names(Session& session) {
  Choices out;
  for (const Command& command : commands())
    out.push_back(named(command.name, command.arguments, command.help));
  for (const project::OwnCommand& own : own_commands(session)) {
    const project::CommandWords words = project::words_of(own);
    out.push_back(named(own.name, words.hint.empty() ? "[]" : words.hint, words.description));
  }
  // What a server calls its own must not drive the terminal.
  for (const mcp::PromptCommand& prompt : session.services().server_prompts())
    if (layout::sanitized_row(prompt.name) == prompt.name)
      out.push_back(named(prompt.name, prompt.hint, first_line(prompt.description)));
  std::ranges::stable_sort(out, {}, [](const prompt::CompletionChoice& each) {
    const Command* const command = find_command(each.letters);
    return std::pair(command ? command->listing.use : Use::sometimes,
                     std::string_view(each.letters));
  });
  return out;
}

// Files by their paths, and resources of servers.
Choices file_names(Session& session) {
  const session::Services& services = session.services();
  std::vector<std::string> files;
  if (services.folders != nullptr) files = services.folders->files(services.ignored);
  if (const mcp::Hub* const servers = services.servers)
    for (const std::string& name : servers->resources())
      if (layout::sanitized_row(name) == name) files.push_back(name);
  Choices out;
  for (const std::string& name : files)
    out.push_back({.text = model::mention(name), .letters = name});
  return out;
}

// At the beginning of a prompt sub-agents can be named as well.
Choices names_to_begin_with(Session& session) {
  Choices out = file_names(session);
  for (const subagents::Definition& each : session.services().program->agents().all) {
    const std::string name = std::string(subagents::agent_prefix) + each.name;
    out.push_back({.text = "@" + name + " ",
                   .about = layout::sanitized_row(each.description),
                   .letters = name});
  }
  return out;
}

namespace style = layout::style;

constexpr const char* line_starts =
    "@path attaches a file, !command runs it and shows the model its output, !!command runs it for "
    "you alone, ? shows the keys";

constexpr std::size_t help_column = 2 + 24 + 2, narrow_column = 6;  // columns at which help begins

// "/name arguments" and what it does, on one row or below each other.
void print_row(Session& session, const std::string& usage, std::string_view help) {
  const layout::TerminalStyle& look = session.screen().look();
  const std::string name = layout::sanitized_row(usage), what = layout::sanitized_row(help);
  if (look.labels) return session.screen().print(name + ": " + what + "\n");
  const std::size_t width = session.screen().width();  // 0: unlimited
  const bool narrow = width > 0 && width < 2 * help_column;
  const bool under = narrow || layout::display_width(name) > help_column - 4;
  const std::size_t column = narrow ? narrow_column : help_column;
  const std::size_t end = name.find(' ');
  const std::string gap = under ? "\n" + std::string(column, ' ')
                                : std::string(help_column - 2 - layout::display_width(name), ' ');
  session.screen().print(
      "  " + painted(name.substr(0, end), style::code, look) +
      painted(end == std::string::npos ? "" : name.substr(end), style::dim, look) + gap +
      layout::hanging(what, column, width) + "\n");
}

void print_heading(Session& session, std::string_view text) {
  session.screen().print("\n" + painted(text, style::strong, session.screen().look()) + "\n");
}

std::string usage_of(std::string_view name, std::string_view arguments) {
  return "/" + std::string(name) + (arguments.empty() ? "" : " ") + std::string(arguments);
}

void print_command(Session& session, const Command& command) {
  std::vector<std::string> also;
  for (const auto& [alias, meaning] : aliases)
    if (meaning == command.name) also.push_back("/" + std::string(alias));
  print_row(session, usage_of(command.name, command.arguments),
            std::string(command.help) + (also.empty() ? "" : " (also " + listed(also) + ")"));
}

void print_own(Session& session) {
  const std::vector<project::OwnCommand> own = own_commands(session);
  if (!own.empty()) print_heading(session, "Commands of this project and yours");
  for (const project::OwnCommand& command : own) {
    const project::MarkdownFile file = project::read_markdown(command.path);
    const project::CommandWords words = project::words_of(file);
    print_row(session, usage_of(command.name, words.hint),
              (file.refusal.empty() ? words.description : "cannot be read: " + file.refusal) +
                  (command.of_project ? " (project)" : " (yours)"));
  }
  const std::vector<mcp::PromptCommand> prompts = session.services().server_prompts();
  if (!prompts.empty()) print_heading(session, "Prompts of MCP servers");
  for (const mcp::PromptCommand& prompt : prompts)
    print_row(session, usage_of(prompt.name, prompt.hint), first_line(prompt.description));
}

// The names of several, below each other behind a title.
void print_names(Session& session, std::string_view title, const std::string& names) {
  constexpr std::size_t names_column = 20, narrow_names = 2;
  const layout::TerminalStyle& look = session.screen().look();
  const std::string shown = layout::sanitized_row(names);
  if (look.labels) return session.screen().print(std::string(title) + ": " + shown + "\n");
  const std::size_t width = session.screen().width();
  const bool narrow = width > 0 && width < 3 * names_column;
  const std::size_t column = narrow ? narrow_names : names_column;
  const std::string gap = narrow ? "\n" + std::string(column, ' ')
                                 : std::string(column - std::min(column, title.size()), ' ');
  session.screen().print(painted(title, style::strong, look) + gap +
                         layout::hanging(shown, column, width) + "\n");
}

std::string names_in(HelpGroup group) {
  std::string out;
  for (const Command& command : commands())
    if (command.listing.group == group)
      out += (out.empty() ? "/" : " /") + std::string(command.name);
  return out;
}

void print_overview(Session& session) {
  for (std::size_t group = 0; group < std::size(group_titles); ++group)
    print_names(session, group_titles[group], names_in(HelpGroup{static_cast<int>(group)}));
  std::string own;
  for (const project::OwnCommand& command : own_commands(session)) own += "/" + command.name + " ";
  for (const mcp::PromptCommand& prompt : session.services().server_prompts())
    own += "/" + prompt.name + " ";
  if (!own.empty()) print_names(session, "Your commands", own);
  print_names(session, "Line starts", line_starts);
  const std::vector<std::string> topics = session.services().program->topics();
  if (!topics.empty()) print_names(session, "Guide", "/help TOPIC: " + listed(topics));
  session.screen().print("\n/help all describes every command, /help COMMAND one.\n");
}

void print_all(Session& session) {
  for (std::size_t group = 0; group < std::size(group_titles); ++group) {
    print_heading(session, group_titles[group]);
    for (const Command& command : commands())
      if (command.listing.group == HelpGroup{static_cast<int>(group)})
        print_command(session, command);
  }
  print_own(session);
}

const terminal::KeyMap& keys_of(Session& session) {
  return session.keyboard() != nullptr ? session.keyboard()->keys() : terminal::usual_keys();
}

}  // namespace

std::span<const Command> commands() { return table; }

const Command* find_command(std::string_view name) {
  for (const auto& [alias, meaning] : aliases)
    if (name == alias) name = meaning;
  if (const auto old = std::ranges::find(old_names, name, &Command::name);
      old != std::end(old_names))
    return &*old;
  const auto found = std::ranges::lower_bound(table, name, {}, &Command::name);
  return found != std::end(table) && found->name == name ? &*found : nullptr;
}

bool run_as_elsewhere(Session& session, std::string_view name, std::string_view arguments) {
  const auto* const found = std::ranges::find(names_elsewhere, name, &Elsewhere::name);
  if (found == std::end(names_elsewhere)) return false;
  if (found->command.empty()) {
    session.screen().print(std::string(found->advice) + "\n");
  } else {
    session.screen().print("/" + std::string(name) + " is /" + std::string(found->command) +
                           " here\n");
    find_command(found->command)->run(session, arguments);
  }
  return true;
}

std::vector<project::OwnCommand> own_commands(Session& session) {
  std::vector<project::OwnCommand> out =
      project::by_name(session.services().program->own_commands());
  std::erase_if(out, [](const auto& own) { return find_command(own.name) != nullptr; });
  return out;
}

std::string nearest_command(Session& session, std::string_view name) {
  std::vector<std::string> names;
  for (const Command& command : table) names.emplace_back(command.name);
  for (const project::OwnCommand& own : own_commands(session)) names.push_back(own.name);
  for (const mcp::PromptCommand& prompt : session.services().server_prompts())
    names.push_back(prompt.name);
  return std::string(nearest(name, std::vector<std::string_view>(names.begin(), names.end())));
}

prompt::Completion complete(Session& session, std::string_view line) {
  const std::size_t word = line.find_last_of(" \t\n") + 1;
  if (line.substr(word).starts_with('@'))
    return {.key = std::string(line.substr(0, word + 1)),
            .from = word,
            .letters = word + 1,
            .eager = true,
            .choices = [&session, word] {
              return word == 0 ? names_to_begin_with(session) : file_names(session);
            }};
  if (!line.starts_with('/')) return {};
  const std::size_t space = line.find(' ');
  if (space == std::string_view::npos)
    return {.key = "/", .letters = 1, .eager = true, .choices = [&session] {
              return command_names(session);
            }};
  const Command* command = find_command(line.substr(1, space - 1));
  if (command == nullptr || command->complete == nullptr) return {};
  // The words before the last decide what that can be; #n is a prompt by its number.
  const std::size_t before = line.substr(space + 1).starts_with('#') ? space + 2 : word;
  return {.key = std::string(line.substr(0, before)),
          .from = space + 1,
          .letters = space + 1,
          .choices = [&session, command,
                      start = std::string(line.substr(space + 1, before - space - 1))] {
            return command->complete(session, start);
          }};
}

std::string hint_for(Session& session, std::string_view line) {
  if (!line.starts_with('/') || line.find(' ') != std::string_view::npos) return {};
  if (const Command* command = find_command(line.substr(1))) return hint_text(command->arguments);
  for (const mcp::PromptCommand& prompt : session.services().server_prompts())
    if (prompt.name == line.substr(1)) return hint_text(prompt.hint);
  const auto own = project::find_own(session.services().program->own_commands(), line.substr(1));
  return own ? hint_text(project::words_of(project::read_markdown(own->path)).hint) : "";
}

void show_keys(Session& session) {
  session.screen().print(
      terminal::key_help(keys_of(session), session.screen().width(), session.screen().look()));
}

void show_help(Session& session, std::string_view name) {
  if (name.starts_with('/')) name.remove_prefix(1);
  const std::string page = session.services().program->guide(name);
  if (!page.empty()) {
    screen::markdown::Markdown markdown(session.screen().look(), session.screen().width());
    const std::string drawn = markdown.feed(page);
    session.screen().print(drawn + markdown.end());
  }
  if (const Command* command = name.empty() ? nullptr : find_command(name))
    return print_command(session, *command);
  if (name == "keys") {
    for (const terminal::KeyRow& row : terminal::key_rows())
      print_row(session, keys_of(session).shown(row), row.words);
    return;
  }
  if (!page.empty()) return;
  if (name == "all") return print_all(session);
  if (!name.empty())
    throw Error("there is no command or topic " + std::string(name) + "; /help lists them");
  print_overview(session);
}

}  // namespace skein::commands
