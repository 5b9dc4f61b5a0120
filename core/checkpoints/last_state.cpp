#include "core/checkpoints/last_state.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace skein::checkpoints {

using model::payload::Checkpoint;

namespace {

// Looked through from the end for a checkpoint of everything; what lies further back is long ago.
constexpr std::size_t most_entries = 20'000;

bool speaks_of(const Checkpoint& state, const std::string& path) {
  return std::ranges::binary_search(state.files, path, {}, &KeptFile::path);
}

}  // namespace

store::Result<std::optional<CheckpointRecord>> last_state(WorkspaceFiles& workspace, Id session) {
  std::optional<CheckpointRecord> out;
  std::map<std::string, KeptFile> files;  // what was said last of each
  std::size_t read = 0;
  const auto done = workspace.store.load_back(session, [&](const store::StoredEntry& placed) {
    std::optional<Checkpoint> state = checkpoint_in(placed.entry);
    if (!state || state->root != workspace.root.path()) return ++read < most_entries;
    if (!load_files(workspace.contents, *state)) return false;
    if (!out) out = {placed.entry.id, placed.at, {.root = state->root}};
    for (KeptFile& file : std::exchange(state->files, {})) {
      const std::string path = file.path;
      files.try_emplace(path, std::move(file));
    }
    out->state.coverage = state->coverage;
    out->state.git = state->git;
    out->state.modes = state->modes;
    return !state->is_whole();
  });
  if (!done) return done.error();
  if (out)
    for (auto& [path, file] : files) out->state.files.push_back(std::move(file));
  return out;
}

store::Result<Plan> plan_between(WorkspaceFiles& workspace, Id from, Id to) {
  store::Result<std::optional<CheckpointRecord>> left = last_state(workspace, from);
  if (!left) return left.error();
  store::Result<std::optional<CheckpointRecord>> wanted = last_state(workspace, to);
  if (!wanted) return wanted.error();
  if (!*left || !*wanted) return Plan{};
  Checkpoint &here = (*left)->state, &there = (*wanted)->state;
  if (here.is_whole() && there.is_whole() &&
      (here.git != there.git || here.coverage != there.coverage))
    return Plan{};
  if (!there.is_whole()) {
    // Of the rest nothing is wanted.
    here.coverage = Checkpoint::by_tools;
    std::erase_if(here.files, [&](const KeptFile& file) { return !speaks_of(there, file.path); });
  }
  there.phase = Checkpoint::before;
  here.phase = Checkpoint::after;
  const std::array<CheckpointRecord, 2> both{**std::move(wanted), **std::move(left)};
  store::Result<Plan> plan = Planner(workspace, both).plan();
  if (!plan) return plan;
  plan->by_hand.clear();
  std::erase_if(plan->impossible,
                [&](const LeftAlone& each) { return !speaks_of(both[1].state, each.path); });
  return plan;
}

}  // namespace skein::checkpoints
