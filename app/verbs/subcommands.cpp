// The table of subcommands. Each calls the same core functions the REPL's commands call.
#include "app/verbs/subcommands.h"

#include "app/application.h"
#include "core/search/options.h"

namespace skein::verbs {

namespace {

constexpr auto may_be_broken = app::Subcommand::Config::may_be_broken;
using Flags = std::vector<app::OptionRow>;
const Flags none{};
const app::OptionRow json{"--json", "print JSON"};
const Flags json_only{json};
const Flags list_flags{
    json,
    {"--trash", "list the sessions in the trash, newest first"},
    {"--origin FORMAT", "list only sessions imported from FORMAT; own: only skein's"},
    {"--limit N", "list at most N (default: 50, with --json all; 0: all)"}};
const Flags show_flags{json,
                       {"--tree", "show all branches"},
                       {"--ascii", "draw the tree in ASCII"},
                       {"--entry ID", "show one entry"}};
const Flags prune_flags{{"--older-than AGE", "the sessions unused for at least AGE: 30d, 12h, 8w"},
                        {"--dry-run", "only show what would be done"},
                        json};
const Flags prune_blobs_flags{{"--dry-run", "only show what would be done"}, json};
const Flags append_flags{
    {"--expect-tail ID", "append only if ID is the last entry (exit 5 if not)"},
    {"--json", "print JSON (always on)"}};
const Flags branch_flags{{"--from ENTRY", "branch off at ENTRY (default: the current one)"},
                         {"--new-key KEY", "key of the new session"},
                         {"--summary TEXT", "tell the model what happened after ENTRY"},
                         json};
const Flags redact_flags{{"--reason TEXT", "record why it is masked"},
                         {"--scrub", "delete its text from every file, permanently"},
                         {"--text TEXT", "with --scrub: delete TEXT from every file as well"},
                         json};
const app::OptionRow all_branches{"--all-branches", "include all branches"};
const app::OptionRow one_branch{"--branch ENTRY", "use the branch that ends at ENTRY"};
const app::OptionRow no_tools{"--no-tools", "leave out tool calls and their results"};
const app::OptionRow no_thinking{"--no-thinking", "leave out the models' thinking"};
const Flags export_flags{
    {"--format FORMAT",
     "one of markdown, html, jsonl, json, text, pi, openai, anthropic or google"},
    {"-o,--output FILE", "write to FILE; its extension selects the format"},
    one_branch,
    all_branches,
    {"--redact-secrets", "mask keys, tokens and passwords, and report how many"},
    no_tools,
    no_thinking};
const Flags share_flags{
    {"-o,--output FILE", "write the page to FILE"},
    one_branch,
    all_branches,
    no_tools,
    no_thinking,
    {"--serve", "serve the page to one browser on this machine and update it live, until Ctrl+C"},
    {"--port N", "with --serve: listen on port N"}};
const Flags doctor_flags{
    json,
    {"--verbose", "list every session, and show more about every check"},
    {"--requests", "compare the requests of sessions with what their logs say was sent"},
    {"--repair", "rebuild damaged sessions, migrate older formats, remove leftovers"},
    {"--restore-quarantine", "restore entries that repairs set aside"},
    {"--rebuild-index", "rebuild sessions.json, without sessions that are gone"}};
const Flags models_flags{json, {"--refresh", "ask every provider that has a key for its models"}};
const Flags migrate_flags{{"--to MODEL", "the model to migrate to"},
                          {"--check", "only show what would be lost"},
                          {"--new-key KEY", "key of the copy"},
                          json};
const Flags import_flags{
    {"--from FORMAT", "claude-code, codex, …; auto (the default) detects it"},
    {"--key KEY", "key of the imported session, if it is only one"},
    {"--since TIME", "only sessions changed since TIME: 7d, 2026-11-01"},
    {"--all", "everything in the usual places of other programs, without asking"},
    {"--undo", "move the sessions imported from there to the trash"},
    {"--dry-run", "only show what would be done"},
    json};
// As at the prompt; the names are put together here.
Flags flags_of_search() {
  Flags out;
  for (const search::Option& option : search::options())
    out.emplace_back(std::string(option.flag).append(" ").append(option.value), option.meaning);
  out.emplace_back("--json", "print JSON, best matches first");
  return out;
}
const Flags search_flags = flags_of_search();
const Flags watch_flags{{"--once", "import what is new, then exit"}, json};
const Flags insights_flags{
    {"--since TIME", "count only what was said since TIME: 30d, 2026-11-01"},
    {"--by day|week|model|project|tool", "group the table by this"},
    json,
    {"--html", "print an HTML page"},
    {"--otlp URL", "send spans of all sessions to a service that takes OpenTelemetry traces"}};
const Flags follow_flags{{"--json", "print entries as they are stored, one per line"}};
const Flags replay_flags{{"--step", "pause after every step"},
                         {"--speed N", "play N times as fast as recorded"},
                         {"--until-error", "play without pauses up to the first failed call"},
                         {"--from ENTRY", "start at ENTRY"}};
const Flags mcp_add_flags{
    {"--env NAME=VALUE", "set variables of the server, separated by commas"},
    {"--url URL", "the address of the server, instead of a command"},
    {"--header NAME:VALUE", "send this header; !COMMAND: send what COMMAND prints"}};
const Flags mcp_server_flags{
    {"--allow-notes", "let clients add notes to sessions; no model sees them"},
    {"--allow-ask", "let clients send prompts to models, at your cost"}};
const Flags rewind_flags{{"--to ENTRY", "go back to before this message, or undo this restore"},
                         {"--both", "rewind conversation and files (the default)"},
                         {"--files", "rewind only the files"},
                         {"--conversation", "rewind only the conversation"},
                         {"--overwrite", "also overwrite files that were changed by hand"},
                         {"--dry-run", "only show what would be done"},
                         json};
const Flags trust_flags{{"--list", "list what is trusted, in all projects"},
                        {"--remove", "stop trusting this project"},
                        {"--dry-run", "only show what would be trusted"},
                        {"--yes", "do not ask"},
                        {"--json", "with --list: print JSON"}};
const Flags keys_flags{json, {"--test", "show the name of each key you press; q ends"}};
const Flags help_flags{
    {"--man", "print a manual page for `man -l -`: skein, skein.toml or skein-format"}};
const app::OptionRow all_sessions{"--all", "copy all sessions"};
const Flags push_flags{
    {"--to HOME", "copy to a folder, or to postgresql://USER@HOST/DATABASE"}, all_sessions, json};
const Flags pull_flags{
    {"--from HOME", "copy from a folder, or from postgresql://USER@HOST/DATABASE"},
    all_sessions,
    json};
const Flags init_flags{{"--yes", "do not ask"}, json};

const app::Subcommand table[] = {
    {"sessions", "", "list and manage sessions", list_flags, list_sessions},
    {"sessions list", "", "list sessions, newest first", list_flags, list_sessions},
    {"sessions show", "KEY", "print the current branch of a session", show_flags, show_session},
    {"sessions delete", "KEY…", "move sessions to the trash", json_only, delete_sessions},
    {"sessions restore", "KEY", "restore a session from the trash", json_only, restore_session},
    {"sessions empty-trash", "", "delete the sessions in the trash permanently", json_only,
     empty_trash},
    {"sessions archive", "[KEY]",
     "compress a session, or those unused for long; they stay readable", prune_flags,
     archive_session},
    {"sessions unarchive", "KEY", "unpack an archived session", json_only, unarchive_session},
    {"sessions prune", "", "move sessions unused for long to the trash", prune_flags,
     prune_sessions},
    {"sessions prune-blobs", "", "delete large outputs and images that no session refers to",
     prune_blobs_flags, prune_blobs},
    {"sessions pin", "KEY", "never archive or delete a session automatically", json_only,
     pin_session},
    {"sessions unpin", "KEY", "undo pin", json_only, unpin_session},
    {"sessions ttl", "KEY AGE",
     "move a session to the trash when unused for AGE (30d; none: the general setting)", json_only,
     set_session_ttl},
    {"sessions rename", "KEY TITLE", "give a session a title", json_only, rename_session},
    {"sessions push", "[KEY…]", "copy sessions, or only their new entries, to another home",
     push_flags, push_sessions},
    {"sessions pull", "[KEY…]", "copy sessions, or only their new entries, from another home",
     pull_flags, pull_sessions},
    {"sync", "HOME",
     "sync sessions with another home, both ways; changes on both sides become branches", json_only,
     sync_homes},
    {"append", "KEY", "append raw entries from standard input, all or none", append_flags,
     append_entries},
    {"branch", "KEY", "create a session that branches off at an entry of another", branch_flags,
     branch_session},
    {"snapshots", "KEY [delete] [NAME]", "list the snapshots of a session, or delete one",
     json_only, session_snapshots},
    {"redact", "KEY ENTRY", "mask an entry in every view, export and request", redact_flags,
     redact_entry},
    {"export", "KEY", "write a session as a document, a web page, or messages for other programs",
     export_flags, export_session},
    {"share", "KEY", "write a session as a web page, with secrets masked", share_flags,
     share_session},
    {"doctor", "[KEY…]", "check sessions and setup for problems; changes nothing without --repair",
     doctor_flags, doctor, may_be_broken},
    {"models", "[PROVIDER]",
     "list known models: context windows, prices, end dates, and which you can use now",
     models_flags, list_models},
    {"login", "[PROVIDER]",
     "store a provider's API key, typed or from standard input; alone: list the providers", none,
     login},
    {"auth", "", "show whether a model can be used", json_only, auth_status},
    {"auth status", "", "the same", json_only, auth_status},
    {"logout", "PROVIDER", "remove a provider's stored API key", none, logout},
    {"migrate", "KEY", "copy a session for another model, and report what is lost", migrate_flags,
     migrate_session},
    {"import", "[FILE|DIR…]", "import sessions of other programs; alone: those about this folder",
     import_flags, import_sessions},
    {"search", "[WORDS…]",
     "search all sessions: words, '\"a phrase\"', -- -without, path:src/x, re:pattern; newest "
     "first",
     search_flags, search_sessions},
    {"watch", "", "keep importing sessions while other programs write them", watch_flags,
     watch_sessions},
    {"insights", "", "show statistics of all sessions: prompts, tokens, cost, speed, tools",
     insights_flags, show_insights},
    {"usage", "KEY", "show tokens, cached and missed, and the cost of each answer of a session",
     json_only, show_usage},
    {"follow", "KEY", "watch a session that another process works in; t takes over", follow_flags,
     follow_session},
    {"replay", "KEY", "play a session back step by step; pauses where a call failed", replay_flags,
     replay_session},
    {"mcp", "", "list the MCP servers, and whether they work", json_only, list_servers},
    {"mcp list", "", "the same; exit 1 if an enabled server does not work", json_only,
     list_servers},
    {"mcp get", "NAME", "show a server, its tools, and its error output", json_only, show_server},
    {"mcp add", "NAME [COMMAND…]", "add a server to your configuration: add NAME -- COMMAND ARG…",
     mcp_add_flags, add_server},
    {"mcp remove", "NAME", "remove a server from your configuration", none, remove_server},
    {"mcp-server", "", "let other agents search and read your sessions, over MCP", mcp_server_flags,
     serve_sessions},
    {"acp", "", "let an editor work with skein, over the Agent Client Protocol", none,
     app::acp_mode},
    {"blame", "FILE:LINE",
     "show which message and model wrote a line (exit 0: found, 1: not found)", json_only,
     blame_line},
    {"bisect", "KEY COMMAND…",
     "find the message that broke a command: skein bisect KEY -- make test (exit 0: found, 1: not)",
     none, bisect_session},
    {"rewind", "KEY",
     "go back to before a message, files included (exit 1: some failed, 5: session in use)",
     rewind_flags, rewind_session},
    {"skills", "", "list the skills that the model can use here", json_only, list_skills},
    {"skills list", "", "the same", json_only, list_skills},
    {"skills check", "DIR",
     "check a skill, or all skills in a folder, for mistakes; exit 1 if there are any", none,
     check_skills},
    {"trust", "", "review and trust this project's configuration, skills, commands and MCP servers",
     trust_flags, trust},
    {"config", "", "list or check the configuration files, or show a setting", json_only,
     config_path, may_be_broken},
    {"config path", "", "list the configuration files in reading order, and which exist", json_only,
     config_path, may_be_broken},
    {"config check", "",
     "list mistakes in the configuration, with their lines; exit 2 if there are any", json_only,
     check_config, may_be_broken},
    {"config get", "KEY",
     "show a setting and where it comes from; KEY is max-turns, providers.work.url, …", json_only,
     get_setting, may_be_broken},
    {"keys", "", "list the key bindings, including your [keys] settings", keys_flags, show_keys},
    {"completion", "bash|zsh|fish", "print a script for tab completion in your shell", none,
     print_completion, may_be_broken},
    {"help", "[COMMAND…]",
     "show help for skein, a command or a topic; help config: every configuration key", help_flags,
     show_help, may_be_broken},
    {"__complete", "[WORDS…]", "", none, complete_words, may_be_broken},
    {"admin", "", "manage a home in a database", none, explain_admin},
    {"admin init-db", "", "create or upgrade skein's tables in the database that --home names",
     init_flags, init_database},
};

}  // namespace

}  // namespace skein::verbs

// The command line asks for the table by its own name, so that it knows no verb.
namespace skein::app {
std::span<const Subcommand> subcommands() { return verbs::table; }
}  // namespace skein::app
