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
int empty_trash(const app::Invocation& invocation);
int prune_sessions(const app::Invocation& invocation);
int prune_blobs(const app::Invocation& invocation);
int redact_entry(const app::Invocation& invocation);
int rename_session(const app::Invocation& invocation);
int append_entries(const app::Invocation& invocation);
int branch_session(const app::Invocation& invocation);
int doctor(const app::Invocation& invocation);
int trust(const app::Invocation& invocation);
int list_models(const app::Invocation& invocation);
int import_sessions(const app::Invocation& invocation);
int search_sessions(const app::Invocation& invocation);
int watch_sessions(const app::Invocation& invocation);
int migrate_session(const app::Invocation& invocation);

}  // namespace skein::verbs
