#include "core/checkpoints/checkpoint_log.h"

#include <algorithm>
#include <utility>

namespace skein::checkpoints {

using model::payload::Checkpoint, model::payload::Restore;

namespace {

// Told from the text: most entries are no checkpoints, and are not parsed to find that out.
bool may_be(const model::Entry& entry, std::string_view kind) {
  return entry.type == model::type::custom &&
         entry.payload.find("\"" + std::string(kind) + "\"") != std::string::npos;
}

}  // namespace

std::optional<Checkpoint> checkpoint_in(const model::Entry& entry) {
  return may_be(entry, "checkpoint") ? model::read_as<Checkpoint>(entry) : std::nullopt;
}

bool load_files(ContentStore& contents, Checkpoint& state) {
  if (state.list.empty()) return true;
  const store::Result<std::string> rows = contents.load(state.list);
  auto files = rows ? model::files_from_json(*rows) : std::nullopt;
  if (!files) return false;
  state.files = *std::move(files);
  return true;
}

const CheckpointRecord* CheckpointLog::find(Id entry) const {
  const auto found = std::ranges::find(checkpoints, entry, &CheckpointRecord::entry);
  return found == checkpoints.end() ? nullptr : &*found;
}

store::Result<CheckpointLog> read_log(WorkspaceFiles& workspace, Id session,
                                      std::optional<Id> since) {
  CheckpointLog log;
  const auto read = workspace.store.load_back(session, [&](const store::StoredEntry& placed) {
    const model::Entry& entry = placed.entry;
    if (since && entry.id == *since) return false;
    if (auto state = checkpoint_in(entry)) {
      if (state->root != workspace.root.path()) return true;
      if (load_files(workspace.contents, *state))
        log.checkpoints.push_back({entry.id, placed.at, *std::move(state)});
      else
        ++log.lost;
    } else if (may_be(entry, "restore")) {
      if (auto restore = model::read_as<Restore>(entry))
        log.restores.push_back({entry.id, placed.at, *std::move(restore)});
    }
    return true;
  });
  if (!read) return read.error();
  std::ranges::reverse(log.checkpoints);
  std::ranges::reverse(log.restores);
  return log;
}

store::Result<std::string> last_root(store::SessionStore& store, Id session) {
  std::string root;
  const auto read = store.load_back(session, [&](const store::StoredEntry& placed) {
    if (const auto state = checkpoint_in(placed.entry)) root = state->root;
    return root.empty();
  });
  if (!read) return read.error();
  return root;
}

}  // namespace skein::checkpoints
