#include "core/checkpoints/restore.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <span>
#include <utility>

#include "core/checkpoints/file_keeper.h"
#include "core/text/io.h"

namespace skein::checkpoints {

using model::payload::Checkpoint;
using Kind = FileAction::Kind;

namespace {

constexpr std::size_t group_size = 500;  // of files whose contents are in memory at a time

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash);
}

bool same_version(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino && a.st_size == b.st_size &&
         a.st_mtim.tv_sec == b.st_mtim.tv_sec && a.st_mtim.tv_nsec == b.st_mtim.tv_nsec &&
         a.st_ctim.tv_sec == b.st_ctim.tv_sec && a.st_ctim.tv_nsec == b.st_ctim.tv_nsec;
}

}  // namespace

std::vector<FileAction> Restorer::chosen(const Plan& plan, const RestoreRequest& request,
                                         RestoreReport& report) {
  std::vector<FileAction> actions = plan.actions;
  if (request.overwrite)
    actions.insert(actions.end(), plan.by_hand.begin(), plan.by_hand.end());
  else
    for (const FileAction& action : plan.by_hand)
      report.kept.push_back({action.path(), "changed since skein last saw it"});
  report.kept.insert(report.kept.end(), plan.impossible.begin(), plan.impossible.end());
  std::ranges::sort(actions, {}, &FileAction::path);
  return actions;
}

template <class Each>
void Restorer::with_contents(const std::vector<FileAction>& actions, const Each& each) {
  for (std::size_t from = 0; from < actions.size(); from += group_size) {
    const std::span group =
        std::span(actions).subspan(from, std::min(group_size, actions.size() - from));
    std::vector<std::string> objects;
    for (const FileAction& action : group)
      if (!action.target.object.empty() &&
          (action.kind == Kind::write || action.kind == Kind::create))
        objects.push_back(action.target.object);
    if (!objects.empty()) contents_.fetch(objects);
    for (const FileAction& action : group)
      each(action, action.kind == Kind::write || action.kind == Kind::create
                       ? contents_.of(action.target)
                       : store::Result<std::string>(std::string{}));
  }
}

// The state of the files a restore is about, as they are now.
store::Result<std::optional<Id>> Restorer::keep_present(const std::vector<FileAction>& actions,
                                                        const RestoreRequest& request,
                                                        std::string_view phase) {
  // Of what it leaves nobody asks for the contents, only whether they are still the same.
  const auto contents =
      phase == Checkpoint::before ? FileLook::Contents::kept : FileLook::Contents::hashed;
  Checkpoint state{.phase = std::string(phase),
                   .root = workspace_.root.path(),
                   .coverage = std::string(Checkpoint::by_tools)};
  for (const FileAction& action : actions) {
    const store::Result<SeenFile> seen = workspace_.files.look(action.path(), contents);
    if (!seen) return seen.error();
    state.files.push_back(seen->file);
    if (seen->kind == SeenFile::Kind::other) state.files.back().hash = "";
  }
  if (const auto flushed = workspace_.files.flush(); !flushed) return flushed.error();
  store::Result<model::Entry> entry = checkpoint_entry(workspace_.contents, std::move(state));
  if (!entry) return entry.error();
  const Id id = entry->id;
  const std::vector<store::NewEntry> batch{{*std::move(entry)}};
  const auto appended = workspace_.store.append_session_entries(request.session, batch);
  if (!appended) return appended.error();
  return std::optional(id);
}

store::Result<RestoreReport> Restorer::run(const Plan& plan, const RestoreRequest& request) {
  const Stop::By nothing(workspace_.stop, {});  // a half of it is worse than all of it
  RestoreReport report;
  const std::vector<FileAction> actions =
      request.files ? chosen(plan, request, report) : std::vector<FileAction>{};
  before_step();
  if (!actions.empty()) {
    if (request.recorded) {
      const store::Result<std::optional<Id>> before =
          keep_present(actions, request, Checkpoint::before);
      if (!before) return before.error();
      report.before = *before;
    }
    with_contents(actions, [&](const FileAction& action, const store::Result<std::string>& bytes) {
      before_step();
      const std::string why = apply(action, bytes);
      if (!why.empty()) return report.failed.push_back({action.path(), why});
      (action.kind == Kind::remove ? report.removed : report.changed).push_back(action.path());
      count_lines(action, bytes, report);
    });
    if (!request.recorded) return report;
    sync_folders();
    before_step();
    if (const auto after = keep_present(actions, request, Checkpoint::after); !after)
      return after.error();
  }
  if (!request.recorded) return report;
  before_step();
  const model::payload::Restore done{
      .to = request.to,
      .before = report.before,
      .head = request.head,
      .redo = request.redo,
      .changed = static_cast<std::int64_t>(report.changed.size() + report.removed.size()),
      .kept = static_cast<std::int64_t>(report.kept.size()),
      .failed = static_cast<std::int64_t>(report.failed.size())};
  const std::vector<store::NewEntry> batch{{model::make_entry(done)}};
  const auto appended = workspace_.store.append_session_entries(request.session, batch);
  if (!appended) return appended.error();
  return report;
}

RestoreReport Restorer::foresee(const Plan& plan, const RestoreRequest& request) {
  RestoreReport report;
  const std::vector<FileAction> actions =
      request.files ? chosen(plan, request, report) : std::vector<FileAction>{};
  with_contents(actions, [&](const FileAction& action, const store::Result<std::string>& bytes) {
    if (!bytes) return report.failed.push_back({action.path(), bytes.error().text});
    (action.kind == Kind::remove ? report.removed : report.changed).push_back(action.path());
    count_lines(action, bytes, report);
  });
  return report;
}

std::string Restorer::apply(const FileAction& action, const store::Result<std::string>& bytes) {
  if (!bytes) return bytes.error().text;
  switch (action.kind) {
    case Kind::remove: return remove(action);
    case Kind::mode: return change_mode(action);
    case Kind::write:
    case Kind::create: return write(action, *bytes);
  }
  return {};
}

std::string Restorer::write(const FileAction& action, const std::string& bytes) {
  const Place place = workspace_.root.locate(action.path(), Root::Missing::make_folders);
  if (!place) return place.refusal;
  if (place.below != action.path()) return "a link is on the way to it now";
  std::optional<struct stat> expected;
  if (action.kind == Kind::write) expected = action.now.info;
  struct stat info {};
  if (!expected && fstatat(place.folder.get(), place.name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0)
    return "it has appeared meanwhile";
  std::string why =
      workspace_.root.replace(place, bytes, expected, static_cast<mode_t>(action.target.file.mode));
  if (why.empty())
    touched_.try_emplace(folder_of(action.path()),
                         Fd(openat(place.folder.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)));
  return why;
}

std::string Restorer::remove(const FileAction& action) {
  const Place place = workspace_.root.locate(action.path());
  if (!place) return place.missing ? std::string{} : place.refusal;
  if (place.below != action.path()) return "a link is on the way to it now";
  struct stat info {};
  const int folder = place.folder.get();
  if (fstatat(folder, place.name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0)
    return errno == ENOENT ? std::string{} : std::strerror(errno);
  if (!S_ISREG(info.st_mode)) return "it is not a regular file any more";
  if (!same_version(info, action.now.info)) return "it has changed meanwhile";
  if (unlinkat(folder, place.name.c_str(), 0) != 0) return std::strerror(errno);
  // Folders it leaves empty held only what was not there then.
  for (std::string up = folder_of(action.path()); !up.empty(); up = folder_of(up)) {
    const Place above = workspace_.root.locate(up);
    touched_.erase(up);
    if (!above || above.below != up ||
        unlinkat(above.folder.get(), above.name.c_str(), AT_REMOVEDIR) != 0)
      break;
  }
  return {};
}

std::string Restorer::change_mode(const FileAction& action) {
  const Place place = workspace_.root.locate(action.path());
  if (!place) return place.refusal;
  if (place.below != action.path()) return "a link is on the way to it now";
  const tools::workspace::Opened file = workspace_.root.open_file(place);
  if (!file) return file.refusal;
  if (!same_version(file.info, action.now.info)) return "it has changed meanwhile";
  return fchmod(file.fd.get(), static_cast<mode_t>(action.target.file.mode)) == 0
             ? std::string{}
             : std::strerror(errno);
}

void Restorer::count_lines(const FileAction& action, const store::Result<std::string>& bytes,
                           RestoreReport& report) {
  if (action.kind == Kind::mode || !bytes) return;
  std::string now;
  if (action.now.kind == SeenFile::Kind::file) {
    // Kept by then; before that it is still there.
    if (const store::Result<std::string> kept = contents_.of({.file = action.now.file}); kept) {
      now = *kept;
    } else if (const Place place = workspace_.root.locate(action.path())) {
      if (const auto file = workspace_.root.open_file(place))
        now = read_all(file.fd.get(), most_kept_bytes).value_or("");
    }
  }
  const LineCount lines = lines_changed(now, *bytes);
  report.lines.added += lines.added;
  report.lines.removed += lines.removed;
}

// A rename is safe once its folder is.
void Restorer::sync_folders() {
  for (const auto& [path, folder] : touched_)
    if (folder) fsync(folder.get());
  touched_.clear();
}

}  // namespace skein::checkpoints
