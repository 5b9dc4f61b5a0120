// The checkpoints of a session in order: one line, since all branches share one workspace.
#pragma once

#include "core/checkpoints/workspace_files.h"
#include "core/model/payloads.h"
#include "core/store/session_store.h"

namespace skein::checkpoints {

struct CheckpointRecord {
  Id entry{};
  store::Position at = 0;
  model::payload::Checkpoint state{};  // its files are loaded
};

struct CheckpointLog {
  std::vector<CheckpointRecord> checkpoints{};  // the oldest first
  std::size_t lost = 0;                         // whose list of files is gone
};

// What was noted after this entry was written, in this workspace; none: everything.
store::Result<CheckpointLog> read_log(WorkspaceFiles& workspace, Id session,
                                      std::optional<Id> since);
// none: it is no checkpoint. Its files may be in a list.
std::optional<model::payload::Checkpoint> checkpoint_in(const model::Entry& entry);
// What it lists of a file; null: nothing.
const KeptFile* row_of(const model::payload::Checkpoint& state, const std::string& path);
// Brings in the list that it names, if any; false: that is gone.
bool load_files(ContentStore& contents, model::payload::Checkpoint& state);
// The workspace of the session's last checkpoint; empty: there is none.
store::Result<std::string> last_root(store::Transcripts& transcripts, Id session);

}  // namespace skein::checkpoints
