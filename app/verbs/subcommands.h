// What the subcommands do. Each returns the exit status or throws Error.
#pragma once

#include "app/cli.h"

namespace skein::verbs {

int list_sessions(const app::Invocation& invocation);
int show_session(const app::Invocation& invocation);
int delete_sessions(const app::Invocation& invocation);
int restore_session(const app::Invocation& invocation);
int archive_session(const app::Invocation& invocation);
int unarchive_session(const app::Invocation& invocation);
int pin_session(const app::Invocation& invocation);
int unpin_session(const app::Invocation& invocation);
int set_session_ttl(const app::Invocation& invocation);
int session_snapshots(const app::Invocation& invocation);
int list_trash(const app::Invocation& invocation);
int archive_unused(const app::Invocation& invocation);
int empty_trash(const app::Invocation& invocation);
int prune_sessions(const app::Invocation& invocation);
int prune_blobs(const app::Invocation& invocation);
int redact_entry(const app::Invocation& invocation);
int rename_session(const app::Invocation& invocation);
int append_entries(const app::Invocation& invocation);
int branch_session(const app::Invocation& invocation);
int export_session(const app::Invocation& invocation);
int share_session(const app::Invocation& invocation);
int doctor(const app::Invocation& invocation);
int bench(const app::Invocation& invocation);
int list_skills(const app::Invocation& invocation);
int check_skills(const app::Invocation& invocation);
int trust(const app::Invocation& invocation);
int list_servers(const app::Invocation& invocation);
int show_server(const app::Invocation& invocation);
int add_server(const app::Invocation& invocation);
int remove_server(const app::Invocation& invocation);
int serve_sessions(const app::Invocation& invocation);
int list_models(const app::Invocation& invocation);
int import_sessions(const app::Invocation& invocation);
int search_sessions(const app::Invocation& invocation);
int watch_sessions(const app::Invocation& invocation);
int follow_session(const app::Invocation& invocation);
int replay_session(const app::Invocation& invocation);
int show_insights(const app::Invocation& invocation);
int blame_line(const app::Invocation& invocation);
int bisect_session(const app::Invocation& invocation);
int rewind_session(const app::Invocation& invocation);
int migrate_session(const app::Invocation& invocation);
int config_path(const app::Invocation& invocation);
int check_config(const app::Invocation& invocation);
int get_setting(const app::Invocation& invocation);
int show_keys(const app::Invocation& invocation);
int show_help(const app::Invocation& invocation);
int print_completion(const app::Invocation& invocation);
int complete_words(const app::Invocation& invocation);
int push_sessions(const app::Invocation& invocation);
int sync_homes(const app::Invocation& invocation);
int pull_sessions(const app::Invocation& invocation);
int explain_admin(const app::Invocation& invocation);
int init_database(const app::Invocation& invocation);

}  // namespace skein::verbs
