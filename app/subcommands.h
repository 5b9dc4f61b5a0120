// What the subcommands do. Each returns the exit status or throws Error.
#pragma once

#include "app/cli.h"

namespace skein {

int list_sessions(const Invocation& invocation);
int show_session(const Invocation& invocation);
int delete_sessions(const Invocation& invocation);
int restore_session(const Invocation& invocation);
int archive_session(const Invocation& invocation);
int unarchive_session(const Invocation& invocation);
int empty_trash(const Invocation& invocation);
int prune_sessions(const Invocation& invocation);
int prune_blobs(const Invocation& invocation);
int redact_entry(const Invocation& invocation);
int rename_session(const Invocation& invocation);
int append_entries(const Invocation& invocation);
int branch_session(const Invocation& invocation);
int doctor(const Invocation& invocation);
int trust(const Invocation& invocation);
int list_models(const Invocation& invocation);
int migrate_session(const Invocation& invocation);

}  // namespace skein
