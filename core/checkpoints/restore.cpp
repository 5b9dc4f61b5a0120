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
#include "core/text/sha256.h"
#include "core/tools/workspace/staged_file.h"

namespace skein::checkpoints {

using model::payload::Checkpoint;
using tools::workspace::Expected, tools::workspace::StagedFile, tools::workspace::Unfinished;
using tools::workspace::remove_expected, tools::workspace::same_version;
using Kind = FileAction::Kind;

namespace {

constexpr std::size_t group_size = 500;  // files that are staged, and open folders, at a time
constexpr std::size_t few_files = 16;

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash);
}

tools::workspace::Holds holding_hash(const std::optional<std::string>& hash) {
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

Fd opened_folder(int folder, const std::string& name) {
  return Fd(openat(folder, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

// False: it holds something else, or is not a folder.
bool holds_only_folders(int folder, const std::string& name) {
  const Fd inner = opened_folder(folder, name);
  bool out = static_cast<bool>(inner);
  if (out)
    tools::sandbox::each_name(opened_folder(inner.get(), "."),
                              [&](const std::string& child, bool is_folder) {
                                out = out && is_folder && holds_only_folders(inner.get(), child);
                              });
  return out;
}

void remove_folders(int folder, const std::string& name) {
  const Fd inner = opened_folder(folder, name);
  if (inner)
    tools::sandbox::each_name(opened_folder(inner.get(), "."), [&](const std::string& child, bool) {
      remove_folders(inner.get(), child);
    });
  unlinkat(folder, name.c_str(), AT_REMOVEDIR);
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

void Restorer::fetch(std::span<const FileAction> actions) {
  std::vector<std::string> objects;
  for (const FileAction& action : actions)
    if (!action.target.object.empty() && has_contents(action))
      objects.push_back(action.target.object);
  if (!objects.empty()) contents_.fetch(objects);
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
    KeptFile& row = state.files.back();
    if (seen->kind == SeenFile::Kind::other) row.hash = "";
    const KeptFile& target = action.target.file;
    if (phase == Checkpoint::before && target.hash != "")
      row.becomes = {target.mode, target.hash, target.kind};
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
    DiskSync disk(!request.recorded            ? DiskSync::Extent::nothing
                  : actions.size() > few_files ? DiskSync::Extent::file_systems
                                               : DiskSync::Extent::each_file);
    apply(actions, disk, report);
    if (!request.recorded) return report;
    if (std::string why = disk.sync(); !why.empty())
      report.failed.push_back({workspace_.root.path(), "not safe on the disk: " + why});
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
  for (const std::span group : groups_of(actions)) {
    fetch(group);
    for (const FileAction& action : group) {
      const store::Result<std::string> bytes = contents_of(action);
      if (!bytes) {
        report.failed.push_back({action.path(), bytes.error().text});
        continue;
      }
      (action.kind == Kind::remove ? report.removed : report.changed).push_back(action.path());
      report.lines += lines_of(action, *bytes);
    }
  }
  return report;
}

store::Result<std::string> Restorer::contents_of(const FileAction& action) const {
  return has_contents(action) ? contents_.of(action.target) : std::string{};
}

Place Restorer::place_of(const FileAction& action) const {
  Place place = workspace_.root.locate(action.path(), Root::Missing::refuse, Root::Links::refuse);
  if (place && place.below != action.path()) return {.refusal = "its name is not a path"};
  return place;
}

// What is to go makes room first: a file may be where a folder was. Folders are removed last, so
// that one that is filled again keeps its mode.
void Restorer::apply(const std::vector<FileAction>& actions, DiskSync& disk,
                     RestoreReport& report) {
  std::vector<FileAction> writes;
  for (const FileAction& action : actions) {
    if (action.kind != Kind::remove) {
      writes.push_back(action);
      continue;
    }
    before_step();
    const LineCount lines = lines_of(action, "");
    if (std::string why = remove(action, disk); !why.empty()) {
      report.failed.push_back({action.path(), std::move(why)});
      continue;
    }
    report.removed.push_back(action.path());
    report.lines += lines;
  }
  for (const std::span group : groups_of(writes)) write_group(group, disk, report);
  remove_empty_folders(report.removed);
  std::ranges::sort(report.changed);
  std::ranges::sort(report.failed, {}, &LeftAlone::path);
}

void Restorer::write_group(std::span<const FileAction> actions, DiskSync& disk,
                           RestoreReport& report) {
  fetch(actions);
  Unfinished notes(workspace_.root.path(), workspace_.root.unfinished());
  std::vector<std::unique_ptr<Staged>> staged;
  const auto done = [&](const FileAction& action, std::string why) {
    if (why.empty())
      report.changed.push_back(action.path());
    else
      report.failed.push_back({action.path(), std::move(why)});
  };
  for (const FileAction& action : actions) {
    before_step();
    if (action.kind == Kind::mode)
      done(action, change_mode(action, disk));
    else if (std::string why = stage(action, notes, disk, staged); !why.empty())
      done(action, std::move(why));
  }
  std::string unsafe;
  if (disk.extent() == DiskSync::Extent::file_systems) unsafe = disk.sync();
  for (const std::unique_ptr<Staged>& each : staged) {
    before_step();
    std::string why = unsafe.empty()
                          ? each->file.take_place(holding_hash(each->action.target.file.hash))
                          : unsafe;
    if (why.empty()) report.lines += each->lines;
    done(each->action, std::move(why));
  }
}

Restorer::Staged::Staged(const FileAction& for_action, Place in_place, Unfinished& notes)
    : action(for_action),
      place(std::move(in_place)),
      file(place,
           action.kind == Kind::write ? std::optional(expected_of(action.now)) : std::nullopt,
           notes) {}

std::string Restorer::stage(const FileAction& action, Unfinished& notes, DiskSync& disk,
                            std::vector<std::unique_ptr<Staged>>& staged) {
  const store::Result<std::string> bytes = contents_of(action);
  if (!bytes) return bytes.error().text;
  Place place =
      workspace_.root.locate(action.path(), Root::Missing::make_folders, Root::Links::refuse);
  if (!place) return place.missing ? "a link or a file is on the way to it" : place.refusal;
  if (place.below != action.path()) return "its name is not a path";
  const int folder = place.folder.get();
  if (action.kind == Kind::create && holds_only_folders(folder, place.name))
    remove_folders(folder, place.name);
  disk.add(folder);
  auto next = std::make_unique<Staged>(action, std::move(place), notes);
  next->lines = lines_of(action, *bytes);
  const KeptFile& target = action.target.file;
  std::string why = next->file.fill({.bytes = *bytes,
                                     .mode = static_cast<mode_t>(target.mode),
                                     .is_link = target.kind == FileKind::link},
                                    disk.of_files());
  if (why.empty()) staged.push_back(std::move(next));
  return why;
}

std::string Restorer::remove(const FileAction& action, DiskSync& disk) {
  const Place place = place_of(action);
  if (!place) return place.missing ? "" : place.refusal;
  disk.add(place.folder.get());
  Unfinished notes(workspace_.root.path(), workspace_.root.unfinished());
  return remove_expected(place, expected_of(action.now), notes);
}

// They held only what was not there then.
void Restorer::remove_empty_folders(const std::vector<std::string>& removed) {
  for (const std::string& path : removed)
    for (std::string up = folder_of(path); !up.empty(); up = folder_of(up)) {
      const Place above = workspace_.root.locate(up, Root::Missing::refuse, Root::Links::refuse);
      if (above.missing) continue;
      if (!above || unlinkat(above.folder.get(), above.name.c_str(), AT_REMOVEDIR) != 0) break;
    }
}

std::string Restorer::change_mode(const FileAction& action, DiskSync& disk) {
  const Place place = place_of(action);
  if (!place) return place.refusal;
  const tools::workspace::Opened file = workspace_.root.open_file(place);
  if (!file) return file.refusal;
  if (!same_version(file.info, action.now.info)) return "another program has changed it";
  disk.add(place.folder.get());
  const bool changed = fchmod(file.fd.get(), static_cast<mode_t>(action.target.file.mode)) == 0;
  if (!changed || (disk.of_files() == StagedFile::Sync::now && fsync(file.fd.get()) != 0))
    return std::strerror(errno);
  return {};
}

LineCount Restorer::lines_of(const FileAction& action, std::string_view target) {
  if (action.kind == Kind::mode) return {};
  if (action.now.kind != SeenFile::Kind::file) return lines_changed("", target);
  // Kept by now, unless it is only foreseen; then it is still there.
  if (const store::Result<std::string> kept = contents_.of({.file = action.now.file}); kept)
    return lines_changed(*kept, target);
  const auto there = workspace_.files.read(action.path(), action.now.file.hash.value_or(""));
  return there ? lines_changed(*there, target) : LineCount{};
}

}  // namespace skein::checkpoints
