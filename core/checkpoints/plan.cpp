#include "core/checkpoints/plan.h"

#include <sys/stat.h>

#include <algorithm>
#include <utility>

#include "core/model/self_running_names.h"
#include "core/text/sha256.h"
#include "core/text/text.h"
#include "core/tools/workspace/unfinished.h"

namespace skein::checkpoints {

using model::payload::Checkpoint;
using Kind = FileAction::Kind;

namespace {

constexpr std::uint32_t program_bits = 0111;

// What git runs, or an editor, or a shell, by itself: no restore writes there.
bool is_protected(std::string_view path) {
  const auto parts = split(path, '/');
  return std::ranges::any_of(parts, [](std::string_view part) {
    const model::SelfRunning what = model::self_running(part);
    return what == model::SelfRunning::git || what == model::SelfRunning::in_projects;
  });
}

bool is_ignore_file(std::string_view path) {
  return path == ".gitignore" || path.ends_with("/.gitignore");
}

// git knows only whether a file can be run.
std::uint32_t mode_like(GitRepository::Object::Kind kind, const SeenFile& now) {
  const bool program = kind == GitRepository::Object::Kind::program;
  if (now.kind != SeenFile::Kind::file) {
    const mode_t mask = umask(022);
    umask(mask);
    return (program ? 0777u : 0666u) & ~static_cast<std::uint32_t>(mask);
  }
  const bool runs = (now.file.mode & 0100) != 0;
  if (runs == program) return now.file.mode;
  // Whoever may read may run.
  return program ? now.file.mode | ((now.file.mode & 0444) >> 2) : now.file.mode & ~program_bits;
}

// Contents that were not kept, and that nobody is known to have changed.
bool is_still_unkept(const FileState& target, const SeenFile& now) {
  if (target.file.hash != "" || !target.object.empty()) return false;
  if (const std::int64_t then = target.file.changed_ns; then != 0)
    return tools::sandbox::stamp_of(now.info).changed_ns == then;
  return now.kind == SeenFile::Kind::file && now.file.size == target.file.size;
}

// May be null.
const KeptFile* row_of(const Checkpoint& state, const std::string& path) {
  const auto row = std::ranges::lower_bound(state.files, path, {}, &KeptFile::path);
  return row != state.files.end() && row->path == path ? &*row : nullptr;
}

std::string without_return(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (text[i] != '\r' || i + 1 == text.size() || text[i + 1] != '\n') out += text[i];
  return out;
}

}  // namespace

// Which files may differ at all.
store::Result<void> Planner::look_around() {
  for (const auto& [path, file] : target_.files) paths_.insert(path);
  for (const auto& [path, file] : target_.later) paths_.insert(path);
  if (target_.whole == nullptr) return {};
  const Checkpoint& then = target_.whole->state;
  store::Result<TreeScan> now = workspace_.scanner.scan(FileLook::Contents::hashed, then.modes);
  if (!now) return now.error();
  for (const KeptFile& file : now->state.files) {
    seen_now_.insert(file.path);
    if (file.committed && now->state.git == then.git) unchanged_.insert(file.path);
  }
  if (!now->passed_over.empty())
    plan_.remarks.push_back("repositories inside this one are not covered: " +
                            listed(now->passed_over));
  if (then.coverage == Checkpoint::by_walk) {
    if (now->state.coverage == Checkpoint::by_walk)
      paths_.insert(seen_now_.begin(), seen_now_.end());
    return {};
  }
  git_answers_ = now->state.coverage == Checkpoint::by_git;
  if (!git_answers_) {
    plan_.remarks.push_back("git cannot be asked any more: only files that were kept are put back");
    return {};
  }
  paths_.insert(seen_now_.begin(), seen_now_.end());
  if (then.git != now->state.git) add_paths_between(then.git, now->state.git);
  return {};
}

// The commit that is checked out is another: what differs between the two differs in the folder.
void Planner::add_paths_between(const std::string& from, const std::string& to) {
  plan_.remarks.push_back(
      "another commit is checked out than then; only files are put back, git stays where it is");
  const auto between = workspace_.repository.changed_between(from, to);
  if (!between) return lose_commit();
  const std::set<std::string> sparse = workspace_.repository.sparse();
  for (const std::string& path : *between) {
    if (sparse.contains(path)) continue;
    paths_.insert(path);
    seen_now_.insert(path);
  }
}

void Planner::lose_commit() {
  git_answers_ = false;
  plan_.remarks.push_back(
      "git no longer has the commit of that time: only files that were kept are put back");
}

void Planner::ask_git() {
  if (target_.whole == nullptr || !git_answers_) return;
  const std::vector<std::string> paths(paths_.begin(), paths_.end());
  std::set<std::string> commits;
  for (const CheckpointRecord& record : since_)
    if (record.state.coverage == Checkpoint::by_git) commits.insert(record.state.git);
  for (const std::string& commit : commits)
    if (auto objects = workspace_.repository.objects_in(commit, paths))
      objects_[commit] = *std::move(objects);
  if (!objects_.contains(target_.whole->state.git)) return lose_commit();
  std::vector<std::string> from_git;
  for (const auto& [path, object] : objects_[target_.whole->state.git])
    if (object.kind != GitRepository::Object::Kind::link && !listed_outright(path))
      from_git.push_back(path);
  converted_ = workspace_.repository.converted(from_git);
  std::vector<std::string> unspoken;
  for (const auto& [path, file] : target_.later)
    if (!target_.files.contains(path) && !seen_now_.contains(path)) unspoken.push_back(path);
  ignored_ = workspace_.repository.ignored(unspoken);
}

// None: nothing is known of it.
std::optional<FileState> Planner::target_of(const std::string& path) const {
  if (listed_outright(path)) return FileState{.file = target_.files.at(path)};
  const auto later = [&]() -> std::optional<FileState> {
    const auto found = target_.later.find(path);
    if (found == target_.later.end()) return std::nullopt;
    return FileState{.file = found->second};
  };
  if (target_.whole == nullptr) return std::nullopt;
  const Checkpoint& then = target_.whole->state;
  if (then.coverage == Checkpoint::by_git) {
    if (!git_answers_) return std::nullopt;
    const auto& objects = objects_.at(then.git);
    if (const auto found = objects.find(path); found != objects.end()) {
      FileState state{.file = {.path = path, .hash = ""}, .object = found->second.id};
      using enum GitRepository::Object::Kind;
      if (found->second.kind == link) state.file.kind = FileKind::link;
      if (found->second.kind == other) state.problem = "it was a repository of its own then";
      return state;
    }
  }
  if (target_.files.contains(path)) return std::nullopt;  // it should be in the commit
  // Of what is ignored only the tools that wrote it speak; everything else was not there then.
  if (ignored_.contains(path)) return later();
  return FileState{.file = {.path = path}};
}

store::Result<std::vector<Planner::Compared>> Planner::differing() {
  std::vector<Compared> all;
  std::vector<std::string> wanted;
  for (const std::string& path : paths_) {
    std::optional<FileState> target = target_of(path);
    if (!target) continue;
    store::Result<SeenFile> now = workspace_.files.look(path, FileLook::Contents::hashed);
    if (!now) return now.error();
    if (!target->object.empty() && now->kind == SeenFile::Kind::file)
      wanted.push_back(target->object);
    all.push_back({*std::move(target), *std::move(now)});
  }
  // Also what checkpoints since then had from commits: to tell who changed it.
  for (const auto& [commit, objects] : objects_)
    for (const Compared& each : all)
      if (const auto found = objects.find(each.target.file.path); found != objects.end())
        wanted.push_back(found->second.id);
  std::ranges::sort(wanted);
  wanted.erase(std::ranges::unique(wanted).begin(), wanted.end());
  hashes_ = contents_.hashes(wanted);
  return all;
}

std::uint32_t Planner::committed_mode(const FileState& target, const SeenFile& now) const {
  const std::string& path = target.file.path;
  const Checkpoint& then = target_.whole->state;
  if (target.file.kind == FileKind::link) return 0777;
  if (const auto row = target_.files.find(path); row != target_.files.end())
    return row->second.mode;
  const GitRepository::Object::Kind kind = objects_.at(then.git).at(path).kind;
  return then.modes ? then.modes->of(kind == GitRepository::Object::Kind::program)
                    : mode_like(kind, now);
}

// What is taken from a commit gets its hash and its mode; a copy that was kept when a tool first
// wrote to it is used instead where git would not give it back as it was.
void Planner::complete(FileState& target, const SeenFile& now) {
  if (target.object.empty()) return;
  const std::string& path = target.file.path;
  target.file.mode = committed_mode(target, now);
  if (unchanged_.contains(path) && now.kind == SeenFile::Kind::file) {
    target.file.hash = now.file.hash;
    return;
  }
  const auto known = hashes_.find(target.object);
  if (known != hashes_.end()) target.file.hash = known->second;
  if (!converted_.contains(path) || !target.problem.empty()) return;
  const auto later = target_.later.find(path);
  if (later != target_.later.end() && known != hashes_.end())
    if (const store::Result<std::string> copy = contents_.of({.file = later->second});
        copy && sha256_hex(without_return(*copy)) == known->second) {
      target = {.file = later->second};
      return;
    }
  if (now.kind != SeenFile::Kind::file || now.file.hash != target.file.hash)
    target.problem = "git converts it, and what was in it was not kept";
}

// Why a file that differs must stay as it is; empty: it need not.
std::string Planner::objection(const FileState& target, const SeenFile& now) {
  if (!target.problem.empty()) return target.problem;
  if (now.kind == SeenFile::Kind::other) return "left alone: " + now.why;
  if (is_protected(target.file.path))
    return "left alone: other programs run what is in it by themselves";
  if (target.file.exists() && !target.file.contents_kept() && target.object.empty())
    return "what was in it was not kept";
  if (now.kind == SeenFile::Kind::file && !now.file.contents_kept())
    return "left alone: it is too large to be kept, and could not be brought back";
  if (now.kind == SeenFile::Kind::file && now.file.kind == FileKind::file && now.info.st_nlink > 1)
    return "left alone: it has further names (hard links), which may lie elsewhere";
  return {};
}

void Planner::settle(const Compared& each) {
  FileState target = each.target;
  const SeenFile& now = each.now;
  if (now.kind == SeenFile::Kind::own) return;
  complete(target, now);
  if (!target.file.exists() && now.kind == SeenFile::Kind::none) return;
  const bool both = now.kind == SeenFile::Kind::file && target.file.exists();
  const bool same_contents = both && now.file.kind == target.file.kind &&
                             now.file.contents_kept() && now.file.hash == target.file.hash;
  if (same_contents && now.file.mode == target.file.mode) return;
  if (is_still_unkept(target, now)) return;
  if (std::string why = objection(target, now); !why.empty())
    return plan_.impossible.push_back({target.file.path, std::move(why)});
  const Kind kind = !target.file.exists()              ? Kind::remove
                    : now.kind == SeenFile::Kind::none ? Kind::create
                    : same_contents                    ? Kind::mode
                                                       : Kind::write;
  plan_.actions.push_back({kind, std::move(target), now});
}

template <class File>
Planner::Said Planner::said_of(const File& file) {
  if (!file.hash) return {};
  if (file.kind == FileKind::link) return {.what = "link " + *file.hash};
  return {.what = *file.hash, .mode = file.mode};
}

std::optional<Planner::Said> Planner::said(const CheckpointRecord& record,
                                           const std::string& path) const {
  const Checkpoint& state = record.state;
  const KeptFile* const row = row_of(state, path);
  if (row != nullptr && !row->committed)
    return row->hash == "" ? std::nullopt : std::optional(said_of(*row));
  if (!state.is_whole()) return std::nullopt;
  if (state.coverage == Checkpoint::by_git) {
    const auto objects = objects_.find(state.git);
    if (objects == objects_.end()) return std::nullopt;
    if (const auto found = objects->second.find(path); found != objects->second.end()) {
      // What git converts is not in the folder as it is there.
      const auto hash = hashes_.find(found->second.id);
      if (hash == hashes_.end() || converted_.contains(path)) return std::nullopt;
      const auto kind = found->second.kind;
      Said out = said_of(model::Becomes{
          .hash = hash->second,
          .kind = kind == GitRepository::Object::Kind::link ? FileKind::link : FileKind::file});
      out.mode.reset();
      if (row != nullptr)
        out.mode = row->mode;
      else if (state.modes && kind != GitRepository::Object::Kind::link)
        out.mode = state.modes->of(kind == GitRepository::Object::Kind::program);
      return out;
    }
  }
  return ignored_.contains(path) ? std::nullopt : std::optional(Said{});
}

// Something else than the last time skein looked, when it next did or now. A restore that was cut
// short has brought some files where it would have brought all.
bool Planner::changed_by_hand(const FileAction& action) const {
  std::optional<Said> last, aim;
  std::optional<Id> turn;  // whose commands and tools may have changed it since it was last seen
  const auto fits = [&](const Said& next) {
    return !last || last->fits(next) || (aim && aim->fits(next));
  };
  for (const CheckpointRecord& record : since_) {
    std::optional<Said> next = said(record, action.path());
    if (!next) continue;
    const Checkpoint& state = record.state;
    const bool before = state.phase == Checkpoint::before;
    const bool expected = !before || (turn && turn == state.prompt);
    if (!expected && !fits(*next)) return true;
    if (before) turn = state.prompt;
    last = std::move(next);
    aim.reset();
    if (const KeptFile* const row = row_of(state, action.path()); row != nullptr && row->becomes)
      aim = said_of(*row->becomes);
  }
  return !fits(said_of(action.now.file));
}

void Planner::separate_by_hand() {
  std::vector<FileAction> ours;
  for (FileAction& action : plan_.actions)
    (changed_by_hand(action) ? plan_.by_hand : ours).push_back(std::move(action));
  plan_.actions = std::move(ours);
}

// What git ignored then is in no checkpoint, and looks as if it had not been there. Where the rules
// have changed since, a file is removed only if it is known not to have been there.
void Planner::guard_ignored() {
  const auto rules_changed = [](const FileAction& action) { return is_ignore_file(action.path()); };
  if (std::ranges::none_of(plan_.actions, rules_changed) &&
      std::ranges::none_of(plan_.by_hand, rules_changed))
    return;
  for (std::vector<FileAction>* actions : {&plan_.actions, &plan_.by_hand})
    std::erase_if(*actions, [&](const FileAction& action) {
      if (action.kind != Kind::remove || target_.files.contains(action.path()) ||
          is_ignore_file(action.path()))
        return false;
      plan_.impossible.push_back(
          {action.path(), "left alone: it may have been there, ignored by git"});
      return true;
    });
}

store::Result<Plan> Planner::plan() {
  plan_.remarks = tools::workspace::Unfinished::clear(workspace_.root.unfinished());
  if (const auto done = look_around(); !done) return done.error();
  ask_git();
  const store::Result<std::vector<Compared>> compared = differing();
  if (!compared) return compared.error();
  for (const Compared& each : *compared) settle(each);
  separate_by_hand();
  guard_ignored();
  return std::move(plan_);
}

}  // namespace skein::checkpoints
