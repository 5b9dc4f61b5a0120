#include "core/checkpoints/checkpoint_log.h"

namespace skein::checkpoints {

using model::payload::Checkpoint;

std::optional<Checkpoint> checkpoint_in(const model::Entry& entry) {
  // Most entries are no checkpoints, which their text says without being parsed.
  const bool may_be = entry.type == model::type::custom &&
                      entry.payload.find("\"checkpoint\"") != std::string::npos;
  return may_be ? model::read_as<Checkpoint>(entry) : std::nullopt;
}

const KeptFile* row_of(const Checkpoint& state, const std::string& path) {
  const auto row = std::ranges::lower_bound(state.files, path, {}, &KeptFile::path);
  return row != state.files.end() && row->path == path ? &*row : nullptr;
}

bool load_files(ContentStore& contents, Checkpoint& state) {
  if (state.list.empty()) return true;
  const store::Result<std::string> rows = contents->load_blob(state.list);
  auto files = rows ? model::files_from_json(*rows) : std::nullopt;
  if (!files) return false;
  state.files = *std::move(files);
  return true;
}

store::Result<CheckpointLog> read_log(WorkspaceFiles& workspace, Id session,
                                      std::optional<Id> since) {
  CheckpointLog log;
  TRY(workspace.store.transcripts().load_back(session, [&](const store::StoredEntry& placed) {
    if (since && placed.entry.id == *since) return false;
    auto state = checkpoint_in(placed.entry);
    if (!state || state->root != workspace.root.path()) return true;
    if (load_files(workspace.contents, *state))
      log.checkpoints.push_back({placed.entry.id, placed.at, *std::move(state)});
    else
      ++log.lost;
    return true;
  }));
  std::ranges::reverse(log.checkpoints);
  return log;
}

store::Result<std::string> last_root(store::Transcripts& transcripts, Id session) {
  std::string root;
  TRY(transcripts.load_back(session, [&](const store::StoredEntry& placed) {
    if (const auto state = checkpoint_in(placed.entry)) root = state->root;
    return root.empty();
  }));
  return root;
}

}  // namespace skein::checkpoints
