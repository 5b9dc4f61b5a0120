// The tree of files in which opencode kept its sessions before it had a database:
// storage/session/<project>/<session>.json, storage/message/<session>/*.json and
// storage/part/<message>/*.json, or all parts in one folder.
#pragma once

#include "core/exchange/importers/format.h"

namespace skein::exchange::importers {

bool is_opencode_session_file(const SourceFile& file);
// The session in that file, with what belongs to it in the folders beside. Nothing that lies
// elsewhere is read: no link is followed.
void read_opencode_tree(const SourceFile& file, const ReadOptions& options, Receiver& receiver);

}  // namespace skein::exchange::importers
