#include "core/checkpoints/rewind.h"

#include "core/text/encoding.h"
#include "core/text/text.h"
#include "core/tools/diff.h"

namespace skein::checkpoints {

namespace {

using model::payload::Checkpoint, model::payload::Restore;

// Looked through from the end for a checkpoint of everything; what is further back is long ago.
constexpr std::size_t most_entries = 20'000;

constexpr std::size_t most_diff_bytes = 4u << 20;  // of one file
constexpr std::size_t changes_at_once = 200;       // whose contents are in memory

// A commit alone does not know the whole mode.
bool mode_known(const FileState& state) { return state.object.empty() || state.file.mode != 0; }

// In more than what is in it.
bool differs_besides(const FileChange& change) {
  const KeptFile &was = change.before.file, &is = change.after.file;
  const bool modes = mode_known(change.before) && mode_known(change.after);
  return was.exists() != is.exists() || was.kind != is.kind ||
         (modes && was.exists() && was.mode != is.mode);
}

struct SaidFile {
  KeptFile file{};
  const Checkpoint* by = nullptr;
};
using SaidFiles = std::map<std::string, SaidFile>;

// One side of a change: as the file's row says, else from the checkpoint of everything, if any.
FileState side_of(const std::string& path, const SaidFiles& said, const Checkpoint* whole) {
  const auto known = said.find(path);
  if (known != said.end()) {
    const auto& [file, by] = known->second;
    return {.file = file, .commit = file.committed ? by->git : ""};
  }
  if (whole == nullptr) return {.file = {.path = path}};
  return {.file = {.path = path}, .commit = whole->git, .modes = whole->modes};
}

}  // namespace

store::Result<RestorePlan> plan_to(WorkspaceFiles& workspace, Id session, std::optional<Id> entry) {
  const CheckpointLog log = TRY(read_log(workspace, session, entry));
  if (!log.checkpoints.empty()) return plan_restore(workspace, log.checkpoints);
  RestorePlan none;
  if (log.lost > 0) none.remarks.push_back("the files saved then are gone");
  return none;
}

store::Result<RestorePlan> plan_before(WorkspaceFiles& workspace, Id session,
                                       const Restore& restore) {
  if (!restore.before) return RestorePlan{};
  const CheckpointLog log = TRY(read_log(workspace, session, std::nullopt));
  const auto from = std::ranges::find(log.checkpoints, *restore.before, &CheckpointRecord::entry);
  if (from == log.checkpoints.end()) return RestorePlan{};
  return plan_restore(workspace, std::span(from, log.checkpoints.end()));
}

std::string note_on_files(store::Transcripts& transcripts, Id session) {
  std::set<Id> wanted;
  std::set<std::string> paths;
  store::value_or_throw(transcripts.load_back(session, [&](const store::StoredEntry& placed) {
    if (!model::is_marginal(placed.entry.type)) return false;
    if (const auto restore = model::read_as<Restore>(placed.entry);
        restore && !restore->head && restore->before)
      wanted.insert(*restore->before);
    if (!wanted.contains(placed.entry.id)) return true;
    if (const auto state = model::read_as<Checkpoint>(placed.entry))
      for (const KeptFile& file : state->files) paths.insert(file.path);
    return true;
  }));
  if (paths.empty()) return {};
  constexpr std::size_t most = 50;
  std::string out =
      "I restored earlier versions of these files; read them again before you rely on what you "
      "know about them:";
  std::size_t shown = 0;
  for (const std::string& path : paths)
    if (shown++ < most) out += "\n- " + valid_utf8(path);
  return paths.size() > most ? out + "\n- and " + std::to_string(paths.size() - most) + " more"
                             : out;
}

store::Result<std::optional<Restore>> last_step_back(store::Transcripts& transcripts, Id session) {
  std::optional<Restore> found;
  int forward = 0;
  TRY(transcripts.load_back(session, [&](const store::StoredEntry& placed) {
    if (!model::is_marginal(placed.entry.type)) return false;
    const auto restore = model::read_as<Restore>(placed.entry);
    if (!restore) return true;
    if (restore->redo)
      ++forward;
    else if (forward > 0)
      --forward;
    else
      found = restore;
    return !found;
  }));
  return found;
}

// What is said first was before; what is said last is what the turn left.
std::vector<FileChange> changes_of(const CheckpointLog& log, Id prompt) {
  const Checkpoint *whole_before = nullptr, *whole_after = nullptr;
  SaidFiles before, after;
  std::set<std::string> paths;
  for (const CheckpointRecord& record : log.checkpoints) {
    const Checkpoint& state = record.state;
    if (state.prompt != prompt) continue;
    const bool is_before = state.phase == Checkpoint::before;
    if (is_before && whole_before == nullptr && state.is_whole()) whole_before = &state;
    if (!is_before && state.is_whole()) whole_after = &state;
    for (const KeptFile& file : state.files) {
      if (is_before) before.try_emplace(file.path, SaidFile{file, &state});
      if (!is_before) after.insert_or_assign(file.path, SaidFile{file, &state});
      paths.insert(file.path);
    }
  }
  std::vector<FileChange> out;
  for (const std::string& path : paths) {
    if (!after.contains(path) && whole_after == nullptr) continue;
    FileChange change{path, side_of(path, before, whole_before), side_of(path, after, whole_after)};
    if (change.before != change.after) out.push_back(std::move(change));
  }
  return out;
}

void resolve(WorkspaceFiles& workspace, std::vector<FileChange>& changes) {
  std::map<std::string, std::vector<FileState*>> unresolved;  // by commit
  for (FileChange& change : changes)
    for (FileState* state : {&change.before, &change.after})
      if (!state->commit.empty()) unresolved[std::exchange(state->commit, {})].push_back(state);
  for (const auto& [commit, states] : unresolved) {
    std::vector<std::string> paths;
    for (const FileState* state : states) paths.push_back(state->file.path);
    const auto objects = workspace.repository.objects_in(commit, paths);
    for (FileState* state : states) {
      if (!objects) state->problem = "git cannot tell what it was";
      if (!objects || !objects->contains(state->file.path)) continue;
      const auto& [id, kind] = objects->at(state->file.path);
      using enum GitRepository::Object::Kind;
      state->object = id;
      state->file.hash = "";
      if (kind == link) state->file.kind = FileKind::link;
      if (state->modes && kind != link) state->file.mode = state->modes->of(kind == program);
    }
  }
}

std::vector<FileChange> changes_of(const RestorePlan& plan) {
  std::vector<FileChange> out;
  for (const std::vector<FileAction>* actions : {&plan.actions, &plan.by_hand})
    for (const FileAction& action : *actions)
      out.push_back({action.path(), action.target, {.file = action.now.file}});
  std::ranges::sort(out, {}, &FileChange::path);
  return out;
}

// Visits the contents of both sides; a failure is passed instead.
template <class Visit>
static void with_contents(WorkspaceFiles& workspace, const std::vector<FileChange>& changes,
                          const Visit& visit) {
  Contents contents(workspace);
  // What was only looked at for a plan is in no blob, but still there.
  const auto bytes_of = [&](const FileState& state) -> store::Result<std::string> {
    if (!state.file.exists()) return std::string{};
    store::Result<std::string> kept = contents.of(state);
    if (kept || !state.object.empty()) return kept;
    return workspace.files.read(state.file.path, state.file.hash.value_or(""));
  };
  for (std::size_t from = 0; from < changes.size(); from += changes_at_once) {
    const auto group =
        std::span(changes).subspan(from, std::min(changes_at_once, changes.size() - from));
    std::vector<std::string> objects;
    for (const FileChange& change : group)
      for (const FileState* state : {&change.before, &change.after})
        if (!state->object.empty()) objects.push_back(state->object);
    contents.fetch(objects);
    for (const FileChange& change : group)
      visit(change, bytes_of(change.before), bytes_of(change.after));
  }
}

ChangeCount count_of(WorkspaceFiles& workspace, const std::vector<FileChange>& changes) {
  return count_each(workspace, changes, std::vector<std::size_t>(changes.size()), 1).front();
}

std::vector<ChangeCount> count_each(WorkspaceFiles& workspace, std::vector<FileChange> changes,
                                    const std::vector<std::size_t>& whose, std::size_t owners) {
  std::vector<ChangeCount> out(owners);
  resolve(workspace, changes);
  std::size_t at = 0;
  with_contents(workspace, changes,
                [&](const FileChange& change, const auto& before, const auto& after) {
                  ChangeCount& count = out[whose[at++]];
                  if (before && after && *before == *after && !differs_besides(change)) return;
                  ++count.files;
                  if (!before || !after) return;
                  count.lines += lines_changed(*before, *after);
                });
  return out;
}

std::string count_text(const ChangeCount& count) {
  if (count.files == 0) return {};
  return "+" + std::to_string(count.lines.added) + " −" + std::to_string(count.lines.removed) +
         " in " + counted(count.files, "file");
}

std::string diff_of(WorkspaceFiles& workspace, const std::vector<FileChange>& changes) {
  std::string out;
  with_contents(
      workspace, changes, [&](const FileChange& change, const auto& before, const auto& after) {
        const auto cannot = [&](const std::string& why) { out += change.path + ": " + why + "\n"; };
        if (!before) return cannot(before.error().text);
        if (!after) return cannot(after.error().text);
        const bool text = !looks_binary(*before) && !looks_binary(*after) &&
                          before->size() <= most_diff_bytes && after->size() <= most_diff_bytes;
        if (!text) return *before == *after ? void() : cannot("not text, or too long; it differs");
        const std::string diff = tools::unified_diff(*before, *after, change.path);
        out += diff;
        if (!diff.empty() || !differs_besides(change)) return;
        cannot(!change.before.file.exists()  ? "new, and empty"
               : !change.after.file.exists() ? "gone; it was empty"
                                             : "its mode has changed");
      });
  return out;
}

// How a session left the files of the workspace: its last checkpoints put together as one; none: it
// kept nothing of it.
static store::Result<std::optional<CheckpointRecord>> last_state(WorkspaceFiles& workspace,
                                                                 Id session) {
  std::optional<CheckpointRecord> out;
  std::map<std::string, KeptFile> files;  // what was said last of each
  std::size_t read = 0;
  TRY(workspace.store.transcripts().load_back(session, [&](const store::StoredEntry& placed) {
    std::optional<Checkpoint> state = checkpoint_in(placed.entry);
    if (!state || state->root != workspace.root.path()) return ++read < most_entries;
    if (!load_files(workspace.contents, *state)) return false;
    if (!out) out = {placed.entry.id, placed.at, {.root = state->root}};
    for (KeptFile& file : state->files) {
      const std::string path = file.path;
      files.try_emplace(path, std::move(file));
    }
    out->state.coverage = state->coverage;
    out->state.git = state->git;
    out->state.modes = state->modes;
    return !state->is_whole();
  }));
  if (out)
    for (auto& [path, file] : files) out->state.files.push_back(std::move(file));
  return out;
}

store::Result<RestorePlan> plan_between(WorkspaceFiles& workspace, Id from, Id to) {
  std::optional<CheckpointRecord> left = TRY(last_state(workspace, from));
  std::optional<CheckpointRecord> wanted = TRY(last_state(workspace, to));
  if (!left || !wanted) return RestorePlan{};
  Checkpoint &here = left->state, &there = wanted->state;
  if (here.is_whole() && there.is_whole() &&
      (here.git != there.git || here.coverage != there.coverage))
    return RestorePlan{};
  if (!there.is_whole()) {
    // Of the rest nothing is wanted.
    here.coverage = Checkpoint::by_tools;
    std::erase_if(here.files,
                  [&](const KeptFile& file) { return row_of(there, file.path) == nullptr; });
  }
  there.phase = Checkpoint::before;
  here.phase = Checkpoint::after;
  const std::array<CheckpointRecord, 2> both{*std::move(wanted), *std::move(left)};
  RestorePlan plan = TRY(plan_restore(workspace, both));
  plan.by_hand.clear();
  std::erase_if(plan.impossible,
                [&](const LeftAlone& each) { return row_of(both[1].state, each.path) == nullptr; });
  return plan;
}

}  // namespace skein::checkpoints
