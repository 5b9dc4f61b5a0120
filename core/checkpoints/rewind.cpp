#include "core/checkpoints/rewind.h"

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "core/checkpoints/target_state.h"
#include "core/text/amounts.h"
#include "core/tools/diff.h"
#include "core/tools/workspace/reading.h"

namespace skein::checkpoints {

using model::payload::Checkpoint, model::payload::Restore;

namespace {

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

// One side of a change: by what was said of the file, else by the checkpoint of everything, which
// may be null.
void tell_side(const std::string& path, const SaidFiles& said, const Checkpoint* whole,
               FileState& state, FileChange::InCommit& in) {
  state.file = {.path = path};
  const auto known = said.find(path);
  if (known != said.end()) state.file = known->second.file;
  if (known == said.end() && whole != nullptr) in = {whole->git, whole->modes};
  if (known != said.end() && state.file.committed) in.commit = known->second.by->git;
}

}  // namespace

store::Result<Plan> plan_to(WorkspaceFiles& workspace, Id session, std::optional<Id> entry) {
  const store::Result<CheckpointLog> log = read_log(workspace, session, entry);
  if (!log) return log.error();
  if (log->checkpoints.empty()) {
    Plan none;
    if (log->lost > 0) none.remarks.push_back("what was kept of the files then is gone");
    return none;
  }
  return Planner(workspace, log->checkpoints).plan();
}

store::Result<Plan> plan_before(WorkspaceFiles& workspace, Id session, const Restore& restore) {
  if (!restore.before) return Plan{};
  const store::Result<CheckpointLog> log = read_log(workspace, session, std::nullopt);
  if (!log) return log.error();
  const auto from = std::ranges::find(log->checkpoints, *restore.before, &CheckpointRecord::entry);
  if (from == log->checkpoints.end()) return Plan{};
  return Planner(workspace, std::span(from, log->checkpoints.end())).plan();
}

std::string note_on_files(store::SessionStore& store, Id session) {
  std::set<Id> wanted;
  std::set<std::string> paths;
  store::value_or_throw(store.load_back(session, [&](const store::StoredEntry& placed) {
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
      "I put files back as they were earlier; read them again before you rely on "
      "what you know of them:";
  std::size_t shown = 0;
  for (const std::string& path : paths)
    if (shown++ < most) out += "\n- " + valid_utf8(path);
  return paths.size() > most ? out + "\n- and " + std::to_string(paths.size() - most) + " more"
                             : out;
}

store::Result<std::optional<Restore>> last_step_back(store::SessionStore& store, Id session) {
  std::optional<Restore> found;
  int forward = 0;
  const auto read = store.load_back(session, [&](const store::StoredEntry& placed) {
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
  });
  if (!read) return read.error();
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
    FileChange change{.path = path};
    tell_side(path, before, whole_before, change.before, change.before_in);
    tell_side(path, after, whole_after, change.after, change.after_in);
    if (change.before.file != change.after.file || change.before_in != change.after_in)
      out.push_back(std::move(change));
  }
  return out;
}

void resolve(WorkspaceFiles& workspace, std::vector<FileChange>& changes) {
  std::map<std::string, std::vector<std::string>> wanted;  // by commit
  for (const FileChange& change : changes)
    for (const FileChange::InCommit* in : {&change.before_in, &change.after_in})
      if (!in->commit.empty()) wanted[in->commit].push_back(change.path);
  std::map<std::string, std::optional<std::map<std::string, GitRepository::Object>>> found;
  for (const auto& [commit, paths] : wanted)
    found[commit] = workspace.repository.objects_in(commit, paths);
  const auto settle = [&](FileState& state, FileChange::InCommit& unresolved) {
    const FileChange::InCommit in = std::exchange(unresolved, {});
    if (in.commit.empty()) return;
    const auto& objects = found[in.commit];
    if (!objects) state.problem = "git cannot tell what it was";
    if (!objects || !objects->contains(state.file.path)) return;
    const auto& [id, kind] = objects->at(state.file.path);
    using enum GitRepository::Object::Kind;
    state.object = id;
    state.file.hash = "";
    if (kind == link) state.file.kind = FileKind::link;
    if (in.modes && kind != link) state.file.mode = in.modes->of(kind == program);
  };
  for (FileChange& change : changes) {
    settle(change.before, change.before_in);
    settle(change.after, change.after_in);
  }
}

std::vector<FileChange> changes_of(const Plan& plan) {
  std::vector<FileChange> out;
  for (const std::vector<FileAction>* actions : {&plan.actions, &plan.by_hand})
    for (const FileAction& action : *actions)
      out.push_back({action.path(), action.target, {.file = action.now.file}});
  std::ranges::sort(out, {}, &FileChange::path);
  return out;
}

void with_contents(WorkspaceFiles& workspace, const std::vector<FileChange>& changes,
                   const std::function<void(const FileChange&, const store::Result<std::string>&,
                                            const store::Result<std::string>&)>& visit) {
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
    if (!objects.empty()) contents.fetch(objects);
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
                [&](const FileChange& change, const store::Result<std::string>& before,
                    const store::Result<std::string>& after) {
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
      workspace, changes,
      [&](const FileChange& change, const store::Result<std::string>& before,
          const store::Result<std::string>& after) {
        const auto cannot = [&](const std::string& why) { out += change.path + ": " + why + "\n"; };
        if (!before) return cannot(before.error().text);
        if (!after) return cannot(after.error().text);
        const bool text = !tools::workspace::looks_binary(*before) &&
                          !tools::workspace::looks_binary(*after) &&
                          before->size() <= most_diff_bytes && after->size() <= most_diff_bytes;
        if (!text) return *before == *after ? void() : cannot("not text, or too long; it differs");
        const std::string diff = tools::unified_diff(*before, *after, change.path);
        out += diff;
        if (!diff.empty() || !differs_besides(change)) return;
        cannot(!change.before.file.exists()  ? "new, and empty"
               : !change.after.file.exists() ? "gone; it was empty"
                                             : "its mode is another");
      });
  return out;
}

}  // namespace skein::checkpoints
