// What the subcommands do. Each throws Error if it fails.
#pragma once

#include "app/invocation/cli.h"

namespace skein::verbs {

using app::Invocation, app::tell_user, app::UsageError;

app::Subcommand::Verb add_server, append_entries, archive_session, auth_status, branch_session,
    complete_words, config_path, delete_sessions, empty_trash, explain_admin, export_session,
    get_setting, list_models, list_sessions, list_skills, list_trash, login, logout,
    migrate_session, pin_session, print_completion, prune_blobs, prune_sessions, remove_server,
    rename_session, replay_session, restore_session, serve_sessions, session_snapshots,
    set_session_ttl, share_session, show_help, show_insights, show_keys, show_session, show_usage,
    unarchive_session, unpin_session;
app::Subcommand::StatusVerb bisect_session, blame_line, check_config, check_skills, doctor,
    follow_session, import_sessions, init_database, list_servers, pull_sessions, push_sessions,
    redact_entry, rewind_session, search_sessions, show_server, sync_homes, trust, watch_sessions;

}  // namespace skein::verbs
