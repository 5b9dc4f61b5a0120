// The table of subcommands. Each calls the same core functions the REPL's commands call.
#include "app/verbs/subcommands.h"

#include <deque>
#include <string>

#include "core/search/options.h"

namespace skein::verbs {

namespace {

using Flags = std::vector<app::Subcommand::Flag>;
const app::Subcommand::Flag json{"--json", "print JSON"};
const Flags json_only{json};
const Flags list_flags{json,
                       {"--trash", "those in the trash, the last one first"},
                       {"--origin FORMAT", "only those imported from there; own: only ours"},
                       {"--limit N", "how many to show (50; with --json all); 0: all"}};
const Flags show_flags{json,
                       {"--tree", "the whole tree"},
                       {"--ascii", "draw it with ASCII"},
                       {"--entry ID", "one entry"}};
const Flags prune_flags{{"--older-than AGE", "those unused for so long: 30d, 12h, 8w"},
                        {"--dry-run", "only say which"},
                        json};
const Flags prune_blobs_flags{{"--dry-run", "only say which"}, json};
const Flags append_flags{{"--expect-tail ID", "only if this is the last entry (exit 5 if not)"},
                         {"--json", "the default"}};
const Flags branch_flags{{"--from ENTRY", "where it branches off"},
                         {"--new-key KEY", "the key of the new session"},
                         {"--summary TEXT", "what the model should know of what came after"},
                         json};
const Flags redact_flags{{"--reason TEXT", "why it is masked"},
                         {"--scrub", "take what it says out of every file, for good"},
                         {"--text TEXT", "with --scrub: this must not be in any file either"},
                         json};
const app::Subcommand::Flag all_branches{"--all-branches", "the whole tree"};
const app::Subcommand::Flag one_branch{"--branch ENTRY", "the path to this entry, not to the head"};
const app::Subcommand::Flag no_tools{"--no-tools", "without calls and their results"};
const app::Subcommand::Flag no_thinking{"--no-thinking", "without what models thought"};
const Flags export_flags{
    {"--format FORMAT",
     "one of markdown, html, jsonl, json, text, pi, openai, anthropic or google"},
    {"-o,--output FILE", "write it there; its ending tells the format as well"},
    one_branch,
    all_branches,
    {"--redact-secrets", "mask keys, tokens and passwords, and say how many"},
    no_tools,
    no_thinking};
const Flags share_flags{
    {"-o,--output FILE", "the page's name"},
    one_branch,
    all_branches,
    no_tools,
    no_thinking,
    {"--serve", "show it to one browser of this machine, and follow the session, until ^C"},
    {"--port N", "with --serve: this port"}};
const Flags doctor_flags{
    json,
    {"--verbose", "every session, and more about every check"},
    {"--repair", "rebuild what opens read-only, migrate older forms, remove leftovers"},
    {"--restore-quarantine", "bring back entries that repairs set aside"},
    {"--rebuild-index", "make sessions.json again, and forget sessions that are gone"}};
const Flags bench_flags{{"--quick", "a small home, and under five seconds"}, json};
const Flags models_flags{json, {"--refresh", "ask every service there is a key for"}};
const Flags migrate_flags{{"--to MODEL", "the model it is for"},
                          {"--check", "only say what would be lost"},
                          {"--new-key KEY", "the key of the copy"},
                          json};
const Flags import_flags{
    {"--from FORMAT", "claude-code, codex, …; auto (the default) looks into the files"},
    {"--key KEY", "the key it gets, if there is only one session"},
    {"--since TIME", "only what changed since: 7d, 2026-11-01"},
    {"--all", "all that the usual places of other programs hold, unasked"},
    {"--undo", "move what came from there to the trash"},
    {"--dry-run", "only say what would be done"},
    json};
// As at the prompt; the names are put together here.
Flags flags_of_search() {
  static std::deque<std::string> names;
  Flags out;
  for (const search::Option& option : search::options()) {
    const std::string_view gap = option.value.empty() ? "" : " ";
    names.push_back(std::string(option.flag).append(gap).append(option.value));
    out.push_back({names.back(), option.meaning});
  }
  out.push_back({"--json", "print JSON, the best of all sessions first"});
  return out;
}
const Flags search_flags = flags_of_search();
const Flags watch_flags{{"--once", "bring in what is new, then end"}, json};
const Flags insights_flags{{"--since TIME", "only what was said since: 30d, 2026-11-01"},
                           {"--by day|week|model|project|tool", "what the table has a row for"},
                           json,
                           {"--html", "print a page for a browser"}};
const Flags follow_flags{{"--json", "print entries as they are kept, one a line"}};
const Flags replay_flags{{"--step", "wait after every step"},
                         {"--speed N", "times as fast as it was"},
                         {"--until-error", "without a pause to the first call that failed"},
                         {"--from ENTRY", "where to begin"}};
const Flags mcp_add_flags{
    {"--env NAME=VALUE", "variables it gets; several with commas between"},
    {"--url URL", "where it is, instead of a command"},
    {"--header NAME:VALUE", "what is sent to it; !COMMAND: what that prints"}};
const Flags mcp_server_flags{
    {"--allow-notes", "others may put notes beside sessions; no model is sent them"},
    {"--allow-ask", "others may give prompts to models, at your cost"}};
const Flags rewind_flags{
    {"--to ENTRY", "the message to go back to before; a restore: to before that"},
    {"--both", "conversation and files, the default"},
    {"--files", "only the files"},
    {"--conversation", "only the conversation"},
    {"--overwrite", "also files that were changed by hand"},
    {"--dry-run", "only say what would be done"},
    json};
const Flags trust_flags{{"--list", "what is trusted, here and elsewhere"},
                        {"--remove", "trust it no longer"},
                        {"--json", "with --list: print JSON"}};
const Flags keys_flags{json, {"--test", "show how each key you press is written, until q"}};
const Flags help_flags{
    {"--man", "print a manual page instead: skein, skein.toml or skein-format, for `man -l -`"}};
const app::Subcommand::Flag all_sessions{"--all", "every session there is"};
const Flags push_flags{
    {"--to HOME", "a folder, or postgresql://USER@HOST/DATABASE"}, all_sessions, json};
const Flags pull_flags{
    {"--from HOME", "a folder, or postgresql://USER@HOST/DATABASE"}, all_sessions, json};
const Flags init_flags{{"--yes", "do not ask"}, json};

const app::Subcommand table[] = {
    {"sessions", "", "list sessions, or do something with one", list_flags, list_sessions},
    {"sessions list", "", "key, title, messages, tokens, last used; newest first", list_flags,
     list_sessions},
    {"sessions show", "KEY", "the active path", show_flags, show_session},
    {"sessions delete", "KEY…", "move sessions to the trash", json_only, delete_sessions},
    {"sessions restore", "KEY", "bring a session back from the trash", json_only, restore_session},
    {"sessions empty-trash", "", "remove what is in the trash, for good", json_only, empty_trash},
    {"sessions archive", "[KEY]",
     "pack a session, or those unused for long; they are read as before", prune_flags,
     archive_session},
    {"sessions unarchive", "KEY", "unpack a session", json_only, unarchive_session},
    {"sessions prune", "", "move sessions that have not been used for long to the trash",
     prune_flags, prune_sessions},
    {"sessions prune-blobs", "", "remove large outputs and images that nothing refers to any more",
     prune_blobs_flags, prune_blobs},
    {"sessions pin", "KEY", "never archive or throw it away unasked", json_only, pin_session},
    {"sessions unpin", "KEY", "treat it like the others again", json_only, unpin_session},
    {"sessions ttl", "KEY AGE",
     "unused for so long (30d; none: as the others) it goes to the trash", json_only,
     set_session_ttl},
    {"sessions rename", "KEY TITLE", "give a session a title", json_only, rename_session},
    {"sessions push", "[KEY…]", "copy sessions to another home, or what they lack there",
     push_flags, push_sessions},
    {"sessions pull", "[KEY…]", "copy sessions from another home, or what they lack here",
     pull_flags, pull_sessions},
    {"sync", "HOME",
     "bring this home and another to the same sessions; what went on in both becomes branches",
     json_only, sync_homes},
    {"append", "KEY", "append raw entries from standard input, all or none", append_flags,
     append_entries},
    {"branch", "KEY", "a new session that starts at an entry", branch_flags, branch_session},
    {"snapshots", "KEY [delete] [NAME]", "list the snapshots of a session, or delete one",
     json_only, session_snapshots},
    {"redact", "KEY ENTRY", "mask an entry in every view, export and request", redact_flags,
     redact_entry},
    {"export", "KEY", "a session as a document, a page, or other programs' messages", export_flags,
     export_session},
    {"share", "KEY", "a page of a session with its secrets masked", share_flags, share_session},
    {"doctor", "[KEY…]",
     "what is damaged, where, and what else is amiss; changes nothing without --repair",
     doctor_flags, doctor, app::Subcommand::Config::may_be_broken},
    {"bench", "", "how fast skein is on this disk, against bare reads and writes", bench_flags,
     bench},
    {"models", "[PROVIDER]", "known models, windows, prices, ends, and which can be used now",
     models_flags, list_models},
    {"migrate", "KEY", "a copy of a session for another model, and what that costs", migrate_flags,
     migrate_session},
    {"import", "[FILE|DIR…]",
     "bring in sessions of other programs; without a name those found here", import_flags,
     import_sessions},
    {"search", "[WORDS…]",
     "find what was said: words, '\"a phrase\"', -- -without, path:src/x, re:pattern; newest first",
     search_flags, search_sessions},
    {"watch", "", "bring in what other programs write, as they write it", watch_flags,
     watch_sessions},
    {"insights", "", "what all sessions came to: prompts, tokens, cost, speed, tools",
     insights_flags, show_insights},
    {"follow", "KEY", "what another process says in a session, as it is saved; t takes over",
     follow_flags, follow_session},
    {"replay", "KEY", "a transcript as it happened, step by step; pauses where a call failed",
     replay_flags, replay_session},
    {"mcp", "", "the MCP servers that bring tools, and whether they work", json_only, list_servers},
    {"mcp list", "", "the same; exit 1 if one that is enabled does not work", json_only,
     list_servers},
    {"mcp get", "NAME", "one server, its tools, and what it says when it fails", json_only,
     show_server},
    {"mcp add", "NAME [COMMAND…]", "put a server into your configuration: add NAME -- COMMAND ARG…",
     mcp_add_flags, add_server},
    {"mcp remove", "NAME", "take a server out of your configuration", {}, remove_server},
    {"mcp-server", "", "let other agents look into the sessions kept here, over MCP",
     mcp_server_flags, serve_sessions},
    {"blame", "FILE:LINE",
     "which message and model wrote a line, by what all sessions saw (0 found, 1 not)", json_only,
     blame_line},
    {"bisect",
     "KEY COMMAND…",
     "which message broke a command: skein bisect KEY -- make test (0 found, 1 not; 125 skips)",
     {},
     bisect_session},
    {"rewind", "KEY",
     "go back to before a message, with the files (exit 1: some failed, 5: it is at work)",
     rewind_flags, rewind_session},
    {"skills", "", "list the skills that a model gets here", json_only, list_skills},
    {"skills list", "", "the same", json_only, list_skills},
    {"skills check",
     "DIR",
     "whether a skill, or those in a folder, are as they should be; exit 1 if not",
     {},
     check_skills},
    {"trust", "",
     "let this project's configuration, skills, commands and servers count, as they are now; shows "
     "them",
     trust_flags, trust},
    {"config", "", "which files are read, or what they come to", json_only, config_path,
     app::Subcommand::Config::may_be_broken},
    {"config path", "", "the files in the order they are read, and which are there", json_only,
     config_path, app::Subcommand::Config::may_be_broken},
    {"config check", "", "every mistake in these files, with its line; exit 2 if there is one",
     json_only, check_config, app::Subcommand::Config::may_be_broken},
    {"config get", "KEY",
     "the value in force, and who gave it; KEY is max-turns, providers.work.url, …", json_only,
     get_setting, app::Subcommand::Config::may_be_broken},
    {"keys", "", "which key does what, as [keys] in the configuration has it", keys_flags,
     show_keys},
    {"completion",
     "bash|zsh|fish",
     "print a script by which a shell completes skein's words",
     {},
     print_completion,
     app::Subcommand::Config::may_be_broken},
    {"help", "[COMMAND…]",
     "this, or about one of them; help config: every key of the configuration", help_flags,
     show_help, app::Subcommand::Config::may_be_broken},
    {"__complete", "[WORDS…]", "", {}, complete_words, app::Subcommand::Config::may_be_broken},
    {"admin", "", "look after a home in a database", {}, explain_admin},
    {"admin init-db", "",
     "make or upgrade the tables for sessions in the database that --home names", init_flags,
     init_database},
};

}  // namespace

}  // namespace skein::verbs

// The command line asks for the table by its own name, so that it knows no verb.
namespace skein::app {
std::span<const Subcommand> subcommands() { return verbs::table; }
}  // namespace skein::app
