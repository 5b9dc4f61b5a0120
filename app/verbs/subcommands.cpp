// The table of subcommands. Each calls the same core functions the REPL's commands call.
#include "app/verbs/subcommands.h"

namespace skein::verbs {

namespace {

const std::vector<app::Subcommand::Flag> json_only = {{"--json", "print JSON"}};

const app::Subcommand table[] = {
    {"sessions", "", "list sessions, or do something with one", json_only, list_sessions},
    {"sessions list", "", "key, title, messages, tokens, last used; newest first", json_only,
     list_sessions},
    {"sessions show",
     "KEY",
     "the active path",
     {{"--json", "print JSON"},
      {"--tree", "the whole tree"},
      {"--ascii", "draw it with ASCII"},
      {"--entry ID", "one entry"}},
     show_session},
    {"sessions delete", "KEY…", "move sessions to the trash", json_only, delete_sessions},
    {"sessions restore", "KEY", "bring a session back from the trash", json_only, restore_session},
    {"sessions empty-trash", "", "remove what is in the trash, for good", json_only, empty_trash},
    {"sessions archive", "KEY", "pack a session; it is read as before", json_only, archive_session},
    {"sessions unarchive", "KEY", "unpack a session", json_only, unarchive_session},
    {"sessions prune",
     "",
     "move sessions nobody has used for long to the trash",
     {{"--older-than AGE", "30d, 12h, 8w"},
      {"--dry-run", "only say which"},
      {"--json", "print JSON"}},
     prune_sessions},
    {"sessions prune-blobs",
     "",
     "remove large outputs and images that nothing refers to any more",
     {{"--dry-run", "only say which"}, {"--json", "print JSON"}},
     prune_blobs},
    {"sessions rename", "KEY TITLE", "give a session a title", json_only, rename_session},
    {"append",
     "KEY",
     "append raw entries from standard input, all or none",
     {{"--expect-tail ID", "only if this is the last entry (exit 5 if not)"},
      {"--json", "the default"}},
     append_entries},
    {"branch",
     "KEY",
     "a new session that starts at an entry",
     {{"--from ENTRY", "where it branches off"},
      {"--new-key KEY", "its key"},
      {"--summary TEXT", "what the model shall know there of what came after"},
      {"--json", "print JSON"}},
     branch_session},
    {"redact",
     "KEY ENTRY",
     "mask an entry in every view, export and request",
     {{"--reason TEXT", "why"},
      {"--scrub", "take what it says out of every file, for good"},
      {"--text TEXT", "with --scrub: this must stand nowhere either"},
      {"--json", "print JSON"}},
     redact_entry},
    {"doctor",
     "[KEY…]",
     "what is damaged, and where; changes nothing without --repair",
     {{"--json", "print JSON"},
      {"--repair", "rebuild what opens read-only, migrate older forms, remove leftovers"},
      {"--restore-quarantine", "bring back entries that repairs set aside"},
      {"--rebuild-index", "make sessions.json anew, and forget sessions that are gone"}},
     doctor,
     app::Subcommand::Config::may_be_broken},
    {"models",
     "[PROVIDER]",
     "known models, windows, prices, ends, and which can be used now",
     {{"--json", "print JSON"}, {"--refresh", "ask every service there is a key for"}},
     list_models},
    {"migrate",
     "KEY",
     "a copy of a session for another model, and what that costs",
     {{"--to MODEL", "PROVIDER/MODEL"},
      {"--check", "only say what would be lost"},
      {"--new-key KEY", "the copy's key"},
      {"--json", "print JSON"}},
     migrate_session},
    {"trust",
     "",
     "let this workspace's configuration set models, addresses and key commands",
     {{"--remove", "no longer"}},
     trust},
};

}  // namespace

}  // namespace skein::verbs

// The command line asks for the table by its own name, so that it knows no verb.
namespace skein::app {
std::span<const Subcommand> subcommands() { return verbs::table; }
}  // namespace skein::app
