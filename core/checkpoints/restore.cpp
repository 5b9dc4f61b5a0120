#include "core/checkpoints/restore.h"

#include <fcntl.h>

#include "core/checkpoints/checkpointer.h"
#include "core/text/checksum.h"
#include "core/workspace/staged_file.h"

namespace skein::checkpoints {

namespace {

using model::payload::Checkpoint;
using workspace::Expected, workspace::StagedFile, workspace::Unfinished;
using workspace::remove_expected, workspace::same_version;
using Kind = FileAction::Kind;

constexpr std::size_t group_size = 500;  // files that are staged, and open folders, at a time
constexpr std::size_t few_files = 16;

workspace::Holds holding_hash(const std::optional<std::string>& hash) {
  if (!hash || hash->empty()) return {};
  return [hash](int fd) {
    const std::optional<std::string> bytes = read_all(fd, most_kept_bytes);
    return bytes && sha256_hex(*bytes) == hash;
  };
}

Expected expected_of(const SeenFile& seen) { return {seen.info, holding_hash(seen.file.hash)}; }

bool has_contents(const FileAction& action) {
  return action.kind == Kind::write || action.kind == Kind::create;
}

std::vector<std::span<const FileAction>> groups_of(std::span<const FileAction> actions) {
  std::vector<std::span<const FileAction>> out;
  for (; !actions.empty(); actions = actions.subspan(out.back().size()))
    out.push_back(actions.first(std::min(group_size, actions.size())));
  return out;
}

// False: it holds something else, or is not a folder.
bool holds_only_folders(int folder, const std::string& name) {
  const Fd inner = sandbox::open_below(folder, name);
  bool out = static_cast<bool>(inner);
  if (out)
    sandbox::each_name(sandbox::open_below(inner.get(), "."),
                       [&](const std::string& child, bool is_folder) {
                         out = out && is_folder && holds_only_folders(inner.get(), child);
                       });
  return out;
}

void remove_folders(int folder, const std::string& name) {
  const Fd inner = sandbox::open_below(folder, name);
  if (inner)
    sandbox::each_name(sandbox::open_below(inner.get(), "."),
                       [&](const std::string& child, bool) { remove_folders(inner.get(), child); });
  unlinkat(folder, name.c_str(), AT_REMOVEDIR);
}

// What a restore changed, brought to the disk: few files one by one, many together with everything
// else in their file system, which takes one wait instead of one for each.
class DiskSync {
 public:
  enum class Extent { nothing, each_file, file_systems };
  explicit DiskSync(Extent extent) : extent_(extent) {}

  Extent extent() const { return extent_; }

  // How a file is to be written that is in one of the folders.
  StagedFile::Sync of_files() const {
    return extent_ == Extent::each_file ? StagedFile::Sync::now : StagedFile::Sync::later;
  }

  // in which a name changed
  void add(int folder) {
    struct stat info {};
    if (extent_ == Extent::nothing || fstat(folder, &info) != 0) return;
    const ino_t inode = extent_ == Extent::each_file ? info.st_ino : 0;
    const auto [at, is_new] = folders_.try_emplace({info.st_dev, inode});
    if (is_new) at->second = Fd(openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  }

  // Those added since the beginning. Empty: they are on the disk; else what went wrong.
  std::string sync() const {
    for (const auto& [id, folder] : folders_)
      if (folder && (extent_ == Extent::each_file ? fsync : syncfs)(folder.get()) != 0)
        return std::strerror(errno);
    return {};
  }

 private:
  Extent extent_;
  // Open. Of each file system the first, if all of it is synced.
  std::map<workspace::FileId, Fd> folders_{};
};

// A file that is complete next to its place.
struct Staged {
  Staged(const FileAction& for_action, FilePlace in_place, Unfinished& notes)
      : action(for_action),
        place(std::move(in_place)),
        file(place,
             action.kind == Kind::write ? std::optional(expected_of(action.now)) : std::nullopt,
             notes) {}

  const FileAction& action;
  FilePlace place;
  StagedFile file;
  LineCount lines{};
};

// One restore, or what one would do.
class RestoreRun {
 public:
  RestoreRun(WorkspaceFiles& workspace, const RestoreRequest& request,
             const std::function<void()>& before_step)
      : workspace_(workspace), request_(request), before_step_(before_step), contents_(workspace) {}

  store::Result<RestoreReport> run(const RestorePlan& plan) {
    const StopRequest::By nothing(workspace_.stop, {});  // a half of it is worse than all of it
    const std::vector<FileAction> actions = chosen(plan);
    before_step_();
    if (!actions.empty()) {
      if (request_.recorded) report_.before = TRY(keep_present(actions, Checkpoint::before));
      disk_ = DiskSync(!request_.recorded           ? DiskSync::Extent::nothing
                       : actions.size() > few_files ? DiskSync::Extent::file_systems
                                                    : DiskSync::Extent::each_file);
      apply(actions);
      if (!request_.recorded) return std::move(report_);
      if (std::string why = disk_.sync(); !why.empty())
        report_.failed.push_back({workspace_.root.path(), "cannot be synced to the disk: " + why});
      before_step_();
      TRY(keep_present(actions, Checkpoint::after));
    }
    if (!request_.recorded) return std::move(report_);
    before_step_();
    const model::payload::Restore done{
        .to = request_.to,
        .before = report_.before,
        .head = request_.head,
        .redo = request_.redo,
        .changed = static_cast<std::int64_t>(report_.changed.size() + report_.removed.size()),
        .kept = static_cast<std::int64_t>(report_.kept.size()),
        .failed = static_cast<std::int64_t>(report_.failed.size())};
    TRY(append(model::make_entry(done)));
    return std::move(report_);
  }

  RestoreReport foresee(const RestorePlan& plan) {
    const std::vector<FileAction> actions = chosen(plan);
    for (const std::span group : groups_of(actions)) {
      fetch(group);
      for (const FileAction& action : group) {
        const store::Result<std::string> bytes = contents_of(action);
        if (bytes)
          note(action, "", lines_of(action, *bytes));
        else
          note(action, bytes.error().text);
      }
    }
    return std::move(report_);
  }

 private:
  std::vector<FileAction> chosen(const RestorePlan& plan) {
    if (!request_.files) return {};
    std::vector<FileAction> actions = plan.actions;
    if (request_.overwrite)
      actions.insert(actions.end(), plan.by_hand.begin(), plan.by_hand.end());
    else
      for (const FileAction& action : plan.by_hand)
        report_.kept.push_back({action.path(), "changed since skein last saw it"});
    report_.kept.insert(report_.kept.end(), plan.impossible.begin(), plan.impossible.end());
    std::ranges::sort(actions, {}, &FileAction::path);
    return actions;
  }

  void fetch(std::span<const FileAction> actions) {
    std::vector<std::string> objects;
    for (const FileAction& action : actions)
      if (!action.target.object.empty() && has_contents(action))
        objects.push_back(action.target.object);
    contents_.fetch(objects);
  }

  // The current state of the files a restore is about.
  store::Result<Id> keep_present(const std::vector<FileAction>& actions, std::string_view phase) {
    // Of what it leaves the contents are never needed, only whether they are still the same.
    const auto contents =
        phase == Checkpoint::before ? FileLook::Contents::kept : FileLook::Contents::hashed;
    Checkpoint state{.phase = std::string(phase),
                     .root = workspace_.root.path(),
                     .coverage = std::string(Checkpoint::by_tools)};
    for (const FileAction& action : actions) {
      const SeenFile seen = TRY(workspace_.files.look(action.path(), contents));
      state.files.push_back(seen.file);
      KeptFile& row = state.files.back();
      if (seen.kind == SeenFile::Kind::other) row.hash = "";
      const KeptFile& target = action.target.file;
      if (phase == Checkpoint::before && target.hash != "")
        row.becomes = {target.mode, target.hash, target.kind};
    }
    TRY(workspace_.files.flush());
    model::Entry entry = TRY(checkpoint_entry(workspace_.contents, std::move(state)));
    const Id id = entry.id;
    TRY(append(std::move(entry)));
    return id;
  }

  store::Result<store::AppendResult> append(model::Entry entry) {
    const std::vector<store::NewEntry> batch{{std::move(entry)}};
    return workspace_.store.append_session_entries(request_.session, batch);
  }

  // What came of an action; `why` it was not done, if it was not.
  void note(const FileAction& action, std::string why, LineCount lines = {}) {
    if (!why.empty()) return report_.failed.push_back({action.path(), std::move(why)});
    (action.kind == Kind::remove ? report_.removed : report_.changed).push_back(action.path());
    report_.lines += lines;
  }

  store::Result<std::string> contents_of(const FileAction& action) const {
    return has_contents(action) ? contents_.of(action.target) : std::string{};
  }

  // Removes first: a file may replace a folder. Folders go last, so that refilled ones keep modes.
  void apply(const std::vector<FileAction>& actions) {
    std::vector<FileAction> writes;
    for (const FileAction& action : actions) {
      if (action.kind != Kind::remove) {
        writes.push_back(action);
        continue;
      }
      before_step_();
      const LineCount lines = lines_of(action, "");
      note(action, remove(action), lines);
    }
    for (const std::span group : groups_of(writes)) write_group(group);
    remove_empty_folders(report_.removed);
    std::ranges::sort(report_.changed);
    std::ranges::sort(report_.failed, {}, &LeftAlone::path);
  }

  void write_group(std::span<const FileAction> actions) {
    fetch(actions);
    Unfinished notes(workspace_.root.path(), workspace_.root.unfinished());
    std::vector<std::unique_ptr<Staged>> staged;
    for (const FileAction& action : actions) {
      before_step_();
      if (action.kind == Kind::mode)
        note(action, change_mode(action));
      else if (std::string why = stage(action, notes, staged); !why.empty())
        note(action, std::move(why));
    }
    std::string unsafe;
    if (disk_.extent() == DiskSync::Extent::file_systems) unsafe = disk_.sync();
    for (const std::unique_ptr<Staged>& each : staged) {
      before_step_();
      note(each->action,
           unsafe.empty() ? each->file.take_place(holding_hash(each->action.target.file.hash))
                          : unsafe,
           each->lines);
    }
  }

  std::string stage(const FileAction& action, Unfinished& notes,
                    std::vector<std::unique_ptr<Staged>>& staged) {
    const store::Result<std::string> bytes = contents_of(action);
    if (!bytes) return bytes.error().text;
    FilePlace place = exact_place(workspace_.root, action.path(), Root::Missing::make_folders);
    if (!place)
      return place.missing ? "a link or a file is in the way of its folder" : place.refusal;
    const int folder = place.folder.get();
    if (action.kind == Kind::create && holds_only_folders(folder, place.name))
      remove_folders(folder, place.name);
    disk_.add(folder);
    auto next = std::make_unique<Staged>(action, std::move(place), notes);
    next->lines = lines_of(action, *bytes);
    const KeptFile& target = action.target.file;
    std::string why = next->file.fill({.bytes = *bytes,
                                       .mode = static_cast<mode_t>(target.mode),
                                       .is_link = target.kind == FileKind::link},
                                      disk_.of_files());
    if (why.empty()) staged.push_back(std::move(next));
    return why;
  }

  std::string remove(const FileAction& action) {
    const FilePlace place = exact_place(workspace_.root, action.path());
    if (!place) return place.missing ? "" : place.refusal;
    disk_.add(place.folder.get());
    Unfinished notes(workspace_.root.path(), workspace_.root.unfinished());
    return remove_expected(place, expected_of(action.now), notes);
  }

  // They held only what was not there then.
  void remove_empty_folders(const std::vector<std::string>& removed) {
    for (const std::string& path : removed)
      for (std::string up = workspace::parent_of(path); !up.empty();
           up = workspace::parent_of(up)) {
        const FilePlace above =
            workspace_.root.locate(up, Root::Missing::refuse, Root::Links::refuse);
        if (above.missing) continue;
        if (!above || unlinkat(above.folder.get(), above.name.c_str(), AT_REMOVEDIR) != 0) break;
      }
  }

  std::string change_mode(const FileAction& action) {
    const FilePlace place = exact_place(workspace_.root, action.path());
    if (!place) return place.refusal;
    const workspace::OpenedFile file = workspace_.root.open_file(place);
    if (!file) return file.refusal;
    if (!same_version(file.info, action.now.info)) return "another program has changed it";
    disk_.add(place.folder.get());
    const bool changed = fchmod(file.fd.get(), static_cast<mode_t>(action.target.file.mode)) == 0;
    if (!changed || (disk_.of_files() == StagedFile::Sync::now && fsync(file.fd.get()) != 0))
      return std::strerror(errno);
    return {};
  }

  LineCount lines_of(const FileAction& action, std::string_view target) {
    if (action.kind == Kind::mode) return {};
    if (action.now.kind != SeenFile::Kind::file) return lines_changed("", target);
    // Kept by now, unless it is only foreseen; then it is still there.
    if (const store::Result<std::string> kept = contents_.of({.file = action.now.file}); kept)
      return lines_changed(*kept, target);
    const auto there = workspace_.files.read(action.path(), action.now.file.hash.value_or(""));
    return there ? lines_changed(*there, target) : LineCount{};
  }

  WorkspaceFiles& workspace_;
  const RestoreRequest& request_;
  const std::function<void()> before_step_;
  Contents contents_;
  DiskSync disk_{DiskSync::Extent::nothing};
  RestoreReport report_{};
};

}  // namespace

store::Result<RestoreReport> restore(WorkspaceFiles& workspace, const RestorePlan& plan,
                                     const RestoreRequest& request,
                                     const std::function<void()>& before_step) {
  return RestoreRun(workspace, request, before_step).run(plan);
}

RestoreReport foresee(WorkspaceFiles& workspace, const RestorePlan& plan,
                      const RestoreRequest& request) {
  return RestoreRun(workspace, request, [] {}).foresee(plan);
}

}  // namespace skein::checkpoints
