// The table of subcommands. Each calls the same core functions the REPL's commands call.
#include "app/verbs/subcommands.h"

namespace skein::verbs {

namespace {

using Flags = std::vector<app::Subcommand::Flag>;
const app::Subcommand::Flag json{"--json", "print JSON"};
const Flags json_only{json};
const Flags list_flags{json,
                       {"--trash", "those in the trash, the last one first"},
                       {"--origin FORMAT", "only those imported from there; own: only ours"}};
const Flags show_flags{json,
                       {"--tree", "the whole tree"},
                       {"--ascii", "draw it with ASCII"},
                       {"--entry ID", "one entry"}};
const Flags prune_flags{
    {"--older-than AGE", "30d, 12h, 8w"}, {"--dry-run", "only say which"}, json};
const Flags prune_blobs_flags{{"--dry-run", "only say which"}, json};
const Flags append_flags{{"--expect-tail ID", "only if this is the last entry (exit 5 if not)"},
                         {"--json", "the default"}};
const Flags branch_flags{{"--from ENTRY", "where it branches off"},
                         {"--new-key KEY", "its key"},
                         {"--summary TEXT", "what the model should know of what came after"},
                         json};
const Flags redact_flags{{"--reason TEXT", "why"},
                         {"--scrub", "take what it says out of every file, for good"},
                         {"--text TEXT", "with --scrub: this must not be in any file either"},
                         json};
const app::Subcommand::Flag all_branches{"--all-branches", "the whole tree"};
const app::Subcommand::Flag one_branch{"--branch ENTRY", "the path to this entry, not to the head"};
const app::Subcommand::Flag no_tools{"--no-tools", "without calls and their results"};
const app::Subcommand::Flag no_thinking{"--no-thinking", "without what models thought"};
const Flags export_flags{
    {"--format FORMAT", "markdown, html, jsonl, json, text, pi, openai, anthropic or google"},
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
    {"--repair", "rebuild what opens read-only, migrate older forms, remove leftovers"},
    {"--restore-quarantine", "bring back entries that repairs set aside"},
    {"--rebuild-index", "make sessions.json again, and forget sessions that are gone"}};
const Flags models_flags{json, {"--refresh", "ask every service there is a key for"}};
const Flags migrate_flags{{"--to MODEL", "PROVIDER/MODEL"},
                          {"--check", "only say what would be lost"},
                          {"--new-key KEY", "the copy's key"},
                          json};
const Flags import_flags{
    {"--from FORMAT", "claude-code, codex, …; auto (the default) looks into the files"},
    {"--key KEY", "of the session, if there is only one"},
    {"--since TIME", "only what changed since: 7d, 2026-11-01"},
    {"--all", "all that the usual places of other programs hold, unasked"},
    {"--undo", "move what came from there to the trash"},
    {"--dry-run", "only say what would be done"},
    json};
const Flags search_flags{
    {"--session KEY", "only in this session"},
    {"--cwd DIR", "only sessions made in this folder or below; . is the current one"},
    {"--role ROLE", "only what user, assistant, tool or thinking says"},
    {"--tool NAME", "only what this tool was given and gave"},
    {"--model NAME", "only what a model said whose name has this in it"},
    {"--since TIME", "only what was said since: 7d, 2026-11-01"},
    {"--until TIME", "only what was said before"},
    {"--errors", "only failures"},
    {"--branch WHICH", "active: only what leads to where the session goes on; all (the default)"},
    {"--blobs", "look into large outputs as well"},
    {"--fold", "é is e; slower"},
    {"--limit N", "how many to show (20)"},
    {"--json", "print JSON, the best of all sessions first"}};
const Flags watch_flags{{"--once", "bring in what is new, then end"}, json};
const Flags insights_flags{{"--since TIME", "only what was said since: 30d, 2026-11-01"},
                           {"--by WHAT", "day, week, model, project or tool"},
                           json,
                           {"--html", "print a page for a browser"}};
const Flags replay_flags{{"--step", "wait after every step"},
                         {"--speed N", "times as fast as it was"},
                         {"--until-error", "without a pause to the first call that failed"},
                         {"--from ENTRY", "where to begin"}};
const Flags trust_flags{{"--remove", "no longer"}};
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
    {"doctor", "[KEY…]", "what is damaged, and where; changes nothing without --repair",
     doctor_flags, doctor, app::Subcommand::Config::may_be_broken},
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
    {"replay", "KEY", "a transcript as it happened, step by step; pauses where a call failed",
     replay_flags, replay_session},
    {"trust", "", "let this workspace's configuration set models, addresses and key commands",
     trust_flags, trust},
    {"admin", "", "look after a home in a database", {}, explain_admin},
    {"admin init-db", "", "make the tables for sessions in the database that --home names",
     init_flags, init_database},
};

}  // namespace

}  // namespace skein::verbs

// The command line asks for the table by its own name, so that it knows no verb.
namespace skein::app {
std::span<const Subcommand> subcommands() { return verbs::table; }
}  // namespace skein::app
