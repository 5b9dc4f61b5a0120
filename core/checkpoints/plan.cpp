#include "core/checkpoints/plan.h"

#include "core/text/checksum.h"
#include "core/text/encoding.h"
#include "core/text/text.h"
#include "core/tools/diff.h"
#include "core/workspace/autorun_files.h"
#include "core/workspace/staged_file.h"

namespace skein::checkpoints {

namespace {

using model::payload::Checkpoint;
using Kind = FileAction::Kind;

constexpr std::size_t most_compared_bytes = 4u << 20;

constexpr std::uint32_t program_bits = 0111;

// What git runs, or an editor, or a shell, by itself: no restore writes there.
bool is_protected(std::string_view path) {
  const auto parts = split(path, '/');
  return std::ranges::any_of(parts, [](std::string_view part) {
    const workspace::Autorun what = workspace::autorun(part);
    return what == workspace::Autorun::git || what == workspace::Autorun::in_projects;
  });
}

bool is_ignore_file(std::string_view path) {
  return path == ".gitignore" || path.ends_with("/.gitignore");
}

// The umask can only be asked for by setting it, while other threads may make files.
std::uint32_t file_mask() {
  const std::string status = file_beginning("/proc/self/status");
  const std::size_t at = status.find("\nUmask:");
  if (at == std::string::npos) return 077;
  return static_cast<std::uint32_t>(std::strtoul(status.c_str() + at + 7, nullptr, 8));
}

// git knows only whether a file can be run.
std::uint32_t mode_like(bool program, const SeenFile& now) {
  if (now.kind != SeenFile::Kind::file) return (program ? 0777u : 0666u) & ~file_mask();
  const bool runs = (now.file.mode & 0100) != 0;
  if (runs == program) return now.file.mode;
  // Those who may read may run.
  return program ? now.file.mode | ((now.file.mode & 0444) >> 2) : now.file.mode & ~program_bits;
}

// Contents that were not kept, and that are not known to have changed.
bool is_still_unkept(const FileState& target, const SeenFile& now) {
  if (target.file.hash != "" || !target.object.empty()) return false;
  if (const std::int64_t then = target.file.changed_ns; then != 0)
    return sandbox::stamp_of(now.info).changed_ns == then;
  return now.kind == SeenFile::Kind::file && now.file.size == target.file.size;
}

class Planner {
 public:
  Planner(WorkspaceFiles& workspace, std::span<const CheckpointRecord> since)
      : workspace_(workspace), since_(since), contents_(workspace) {
    for (const CheckpointRecord& record : since) {
      auto& into = whole_ == nullptr ? files_ : later_;
      for (const KeptFile& file : record.state.files)
        if (whole_ == nullptr || !file.committed) into.try_emplace(file.path, file);
      if (whole_ == nullptr && record.state.is_whole()) whole_ = &record.state;
    }
  }

  store::Result<RestorePlan> plan() {
    plan_.remarks = workspace::Unfinished::clear(workspace_.root.unfinished());
    TRY(look_around());
    ask_git();
    std::vector<FileAction> all = TRY(compared());
    for (FileAction& each : all) settle(std::move(each));
    guard_ignored();
    return std::move(plan_);
  }

 private:
  // Which files may differ at all.
  store::Result<void> look_around() {
    for (const auto* files : {&files_, &later_})
      for (const auto& [path, file] : *files) paths_.insert(path);
    if (whole_ == nullptr) return {};
    const TreeScan now = TRY(scan(workspace_, FileLook::Contents::hashed, whole_->modes));
    for (const KeptFile& file : now.state.files) {
      seen_now_.insert(file.path);
      if (file.committed && now.state.git == whole_->git) unchanged_.insert(file.path);
    }
    if (!now.passed_over.empty())
      plan_.remarks.push_back("repositories inside this one are not covered: " +
                              listed(now.passed_over));
    if (whole_->coverage == now.state.coverage) paths_.insert(seen_now_.begin(), seen_now_.end());
    if (whole_->coverage != Checkpoint::by_git) return {};
    git_answers_ = now.state.coverage == Checkpoint::by_git;
    if (!git_answers_)
      plan_.remarks.push_back("git does not answer any more: only saved files are restored");
    else if (whole_->git != now.state.git)
      add_paths_between(whole_->git, now.state.git);
    return {};
  }

  // The commit that is checked out is another: what differs between the two differs in the folder.
  void add_paths_between(const std::string& from, const std::string& to) {
    plan_.remarks.push_back(
        "another commit was checked out then; only files are restored, git stays at its present "
        "commit");
    const auto between = workspace_.repository.changed_between(from, to);
    if (!between) return lose_commit();
    const std::set<std::string> sparse = workspace_.repository.sparse();
    for (const std::string& path : *between) {
      if (sparse.contains(path)) continue;
      paths_.insert(path);
      seen_now_.insert(path);
    }
  }

  void lose_commit() {
    git_answers_ = false;
    plan_.remarks.push_back(
        "git no longer has the commit of that time: only saved files are restored");
  }

  void ask_git() {
    if (whole_ == nullptr || !git_answers_) return;
    const std::vector<std::string> paths(paths_.begin(), paths_.end());
    std::set<std::string> commits;
    for (const CheckpointRecord& record : since_)
      if (record.state.coverage == Checkpoint::by_git) commits.insert(record.state.git);
    for (const std::string& commit : commits)
      if (auto objects = workspace_.repository.objects_in(commit, paths))
        objects_[commit] = *std::move(objects);
    if (!objects_.contains(whole_->git)) return lose_commit();
    std::vector<std::string> from_git;
    for (const auto& [path, object] : objects_[whole_->git])
      if (object.kind != GitRepository::Object::Kind::link && !listed_outright(path))
        from_git.push_back(path);
    converted_ = workspace_.repository.converted(from_git);
    std::vector<std::string> unspoken;
    for (const auto& [path, file] : later_)
      if (!files_.contains(path) && !seen_now_.contains(path)) unspoken.push_back(path);
    ignored_ = workspace_.repository.ignored(unspoken);
  }

  // None: nothing is known of it.
  std::optional<FileState> target_of(const std::string& path) const {
    if (listed_outright(path)) return FileState{.file = files_.at(path)};
    if (whole_ == nullptr) return std::nullopt;
    if (whole_->coverage == Checkpoint::by_git) {
      if (!git_answers_) return std::nullopt;
      const auto& objects = objects_.at(whole_->git);
      if (const auto found = objects.find(path); found != objects.end()) {
        FileState state{.file = {.path = path, .hash = ""}, .object = found->second.id};
        using enum GitRepository::Object::Kind;
        if (found->second.kind == link) state.file.kind = FileKind::link;
        if (found->second.kind == other) state.problem = "it was a separate repository then";
        return state;
      }
    }
    if (files_.contains(path)) return std::nullopt;  // it should be in the commit
    // Of what is ignored only the tools that wrote it speak; everything else was not there then.
    if (!ignored_.contains(path)) return FileState{.file = {.path = path}};
    const auto later = later_.find(path);
    return later == later_.end() ? std::nullopt : std::optional(FileState{.file = later->second});
  }

  // Each file that may differ; what is to be done about it is settled later.
  store::Result<std::vector<FileAction>> compared() {
    std::vector<FileAction> all;
    std::set<std::string> wanted;
    for (const std::string& path : paths_) {
      std::optional<FileState> target = target_of(path);
      if (!target) continue;
      SeenFile now = TRY(workspace_.files.look(path, FileLook::Contents::hashed));
      if (!target->object.empty() && now.kind == SeenFile::Kind::file)
        wanted.insert(target->object);
      all.push_back({.target = *std::move(target), .now = std::move(now)});
    }
    // Also what checkpoints since then had from commits: to tell who changed it.
    for (const auto& [commit, objects] : objects_)
      for (const FileAction& each : all)
        if (const auto found = objects.find(each.path()); found != objects.end())
          wanted.insert(found->second.id);
    workspace_.repository.contents(
        {wanted.begin(), wanted.end()},
        [&](const std::string& id, std::string_view bytes) { hashes_[id] = sha256_hex(bytes); });
    return all;
  }

  // What is taken from a commit gets its hash and its mode; a copy that was kept when a tool first
  // wrote to it is used instead where git would not give it back as it was.
  void complete(FileState& target, const SeenFile& now) {
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
    const auto later = later_.find(path);
    if (later != later_.end() && known != hashes_.end())
      if (const store::Result<std::string> copy = contents_.of({.file = later->second});
          copy && sha256_hex(unix_lines(*copy)) == known->second) {
        target = {.file = later->second};
        return;
      }
    if (now.kind != SeenFile::Kind::file || now.file.hash != target.file.hash)
      target.problem = "git converts it, and its earlier contents were not saved";
  }

  // Why a file that differs must stay as it is; empty: it need not.
  static std::string objection(const FileState& target, const SeenFile& now) {
    if (!target.problem.empty()) return target.problem;
    if (now.kind == SeenFile::Kind::other) return "left alone: " + now.why;
    if (is_protected(target.file.path)) return "left alone: other programs run it automatically";
    if (target.file.exists() && !target.file.contents_kept() && target.object.empty())
      return "its earlier contents were not saved";
    if (now.kind == SeenFile::Kind::file && !now.file.contents_kept())
      return "left alone: it is too large to be saved and could not be restored";
    if (now.kind == SeenFile::Kind::file && now.file.kind == FileKind::file &&
        now.info.st_nlink > 1)
      return "left alone: it has other hard links, which may be elsewhere";
    return {};
  }

  void settle(FileAction action) {
    FileState& target = action.target;
    const SeenFile& now = action.now;
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
    action.kind = !target.file.exists()              ? Kind::remove
                  : now.kind == SeenFile::Kind::none ? Kind::create
                  : same_contents                    ? Kind::mode
                                                     : Kind::write;
    (changed_by_hand(action) ? plan_.by_hand : plan_.actions).push_back(std::move(action));
  }

  // What git ignored then is in no checkpoint, and looks as if it had not been there. Where the
  // rules have changed since, a file is removed only if it is known not to have been there.
  void guard_ignored() {
    const auto rules_changed = [](const FileAction& action) {
      return is_ignore_file(action.path());
    };
    if (std::ranges::none_of(plan_.actions, rules_changed) &&
        std::ranges::none_of(plan_.by_hand, rules_changed))
      return;
    for (std::vector<FileAction>* actions : {&plan_.actions, &plan_.by_hand})
      std::erase_if(*actions, [&](const FileAction& action) {
        if (action.kind != Kind::remove || files_.contains(action.path()) ||
            is_ignore_file(action.path()))
          return false;
        plan_.impossible.push_back(
            {action.path(), "left alone: it may have existed then, ignored by git"});
        return true;
      });
  }

  // Whether the target's checkpoints have it without a look into the commit.
  bool listed_outright(const std::string& path) const {
    const auto found = files_.find(path);
    return found != files_.end() && !found->second.committed;
  }

  std::uint32_t committed_mode(const FileState& target, const SeenFile& now) const {
    const std::string& path = target.file.path;
    if (target.file.kind == FileKind::link) return 0777;
    if (const auto row = files_.find(path); row != files_.end()) return row->second.mode;
    const bool program =
        objects_.at(whole_->git).at(path).kind == GitRepository::Object::Kind::program;
    return whole_->modes ? whole_->modes->of(program) : mode_like(program, now);
  }

  // Not as skein left or last saw it. An interrupted restore leaves some files as they should be.
  bool changed_by_hand(const FileAction& action) const {
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

  // What a name held, as far as it is known.
  struct Said {
    std::string what{};  // a hash, with a word before that of a link; empty: nothing
    std::optional<std::uint32_t> mode{};
    bool fits(const Said& other) const {
      return what == other.what && (!mode || !other.mode || mode == other.mode);
    }
  };

  template <class File>
  static Said said_of(const File& file) {
    if (!file.hash) return {};
    if (file.kind == FileKind::link) return {.what = "link " + *file.hash};
    return {.what = *file.hash, .mode = file.mode};
  }

  // none: the checkpoint says nothing of it.
  std::optional<Said> said(const CheckpointRecord& record, const std::string& path) const {
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
        using enum GitRepository::Object::Kind;
        const auto kind = found->second.kind;
        Said out{.what = (kind == link ? "link " : "") + hash->second};
        if (row != nullptr)
          out.mode = row->mode;
        else if (state.modes && kind != link)
          out.mode = state.modes->of(kind == program);
        return out;
      }
    }
    return ignored_.contains(path) ? std::nullopt : std::optional(Said{});
  }

  WorkspaceFiles& workspace_;
  std::span<const CheckpointRecord> since_;
  // What was said first of each file: up to the first checkpoint of everything, and after that of
  // ignored files.
  std::map<std::string, KeptFile> files_{}, later_{};
  // That checkpoint: what is not in `files_` was as in its commit, or not there.
  const Checkpoint* whole_ = nullptr;
  Contents contents_;
  RestorePlan plan_{};
  std::set<std::string> paths_{};      // that may differ
  std::set<std::string> seen_now_{};   // that git, or the walk, speaks of now
  std::set<std::string> unchanged_{};  // of these, what git says to be as in the commit of then
  bool git_answers_ = false;
  std::map<std::string, std::map<std::string, GitRepository::Object>> objects_{};  // by commit
  std::map<std::string, std::string> hashes_{};                                    // of objects
  std::set<std::string> converted_{}, ignored_{};
};

}  // namespace

void Contents::fetch(const std::vector<std::string>& objects) {
  fetched_.clear();
  workspace_.repository.contents(
      objects, [&](const std::string& id, std::string_view bytes) { fetched_[id] = bytes; });
}

store::Result<std::string> Contents::of(const FileState& state) const {
  if (!state.object.empty()) {
    const auto found = fetched_.find(state.object);
    if (found != fetched_.end()) return found->second;
    return store::Failure{.kind = store::Failure::Kind::gone,
                          .text = "git no longer has its earlier contents",
                          .missing = true};
  }
  if (!state.file.contents_kept())
    return store::Failure{store::Failure::Kind::gone, "its earlier contents were not saved"};
  store::Result<std::string> bytes = workspace_.contents->load_blob(*state.file.hash);
  if (!bytes && bytes.error().missing)
    return store::Failure{.kind = store::Failure::Kind::gone,
                          .text = "its earlier contents are no longer stored here",
                          .missing = true};
  return bytes;
}

LineCount lines_changed(std::string_view before, std::string_view after) {
  LineCount out;
  if (before.size() > most_compared_bytes || after.size() > most_compared_bytes) return out;
  if (looks_binary(before) || looks_binary(after)) return out;
  for (const tools::DiffLine& line : tools::diff_lines(before, after)) {
    out.added += line.change == tools::Change::added;
    out.removed += line.change == tools::Change::removed;
  }
  return out;
}

store::Result<RestorePlan> plan_restore(WorkspaceFiles& workspace,
                                        std::span<const CheckpointRecord> since) {
  return Planner(workspace, since).plan();
}

}  // namespace skein::checkpoints
