#include "core/sandbox/guard.h"

#include <fcntl.h>
#include <sys/file.h>

#include "core/text/base.h"
#include "core/text/text.h"
#include "core/text/wait.h"

namespace skein::sandbox {

namespace {

namespace fs = std::filesystem;
using Rule = GuardedPlace::Rule;
using Author = AutorunFiles::Author;
using Extent = AutorunFiles::Extent;

// Every mount makes the next one slower; what is further down is compared only.
constexpr std::size_t most_walls = 100;
constexpr std::size_t most_named = 10;  // in a message
constexpr std::size_t most_config_bytes = 1024 * 1024;
constexpr std::size_t most_record_bytes = std::size_t{64} << 20;
constexpr std::chrono::milliseconds lock_step{5};

bool is_file(const TreeRecord& tree) {
  return !tree.empty() && tree.at("").kind == Recorded::Kind::file && tree.at("").whole;
}
const std::string& text_in(const TreeRecord& tree) {
  static const std::string none;
  return is_file(tree) ? tree.at("").bytes : none;
}

// A rebase runs these lines when it continues.
std::vector<std::string> commands_in(const std::string& plan) {
  std::vector<std::string> found;
  for (const std::string_view raw : split(plan, '\n'))
    if (const auto line = trimmed(raw); line.starts_with("x") || line.starts_with("exec"))
      found.emplace_back(line);
  return found;
}

// What a .git file ("gitdir: PATH"), a link or a commondir file leads to.
std::string pointed_at(const std::string& path, const TreeRecord& tree) {
  if (tree.empty()) return "";
  std::string target = tree.at("").bytes;
  constexpr std::string_view word = "gitdir:";
  if (target.starts_with(word)) target.erase(0, word.size());
  target.erase(0, target.find_first_not_of(" \t"));
  while (target.ends_with('\n') || target.ends_with('\r')) target.pop_back();
  return target.empty() ? "" : (fs::path(path).parent_path() / target).string();
}

bool overlap(const std::vector<std::string>& some, const std::vector<std::string>& others) {
  return std::ranges::any_of(some, [&](const std::string& one) {
    return std::ranges::any_of(others, [&](const std::string& other) {
      return workspace::is_below(one, other) || workspace::is_below(other, one);
    });
  });
}

// Where something of a tree is; "" is the tree itself.
std::string inside_of(const std::string& path, const std::string& inner) {
  return inner.empty() ? path : path + "/" + inner;
}

// Files that say what the model is kept from are guarded like those that run by themselves.
std::string described(const std::vector<std::string>& files) {
  const auto closes = [](const std::string& file) { return file.ends_with("ignore"); };
  const bool any = std::ranges::any_of(files, closes);
  if (std::ranges::all_of(files, closes)) return "files that hide files from the model";
  return std::string("files that other programs run automatically") +
         (any ? " or that hide files from the model" : "");
}

}  // namespace

Guard::Guard(Settings settings)
    : settings_(std::move(settings)),
      places_(settings_.areas, settings_.home),
      quarantine_(settings_.quarantine) {}

Guard::~Guard() {
  if (record_ && record_.state() == GuardRecord::State::idle) record_.remove();
}

std::unique_ptr<Guard> Guard::of(GuardRecord&& record) {
  const std::vector<std::string> batches = record.batches();
  if (batches.empty()) return nullptr;
  auto guard = std::make_unique<Guard>(settings_in(batches.front()));
  for (const std::string& batch : std::span(batches).subspan(1)) guard->load(batch);
  guard->record_ = std::move(record);
  return guard;
}

void Guard::read_global_hook_folders() {
  std::vector<std::string>& folders = global_hook_folders_.emplace();
  const std::string& home = settings_.home;
  std::string config = env_path("XDG_CONFIG_HOME");
  if (config.empty()) config = home + "/.config";
  for (const std::string& file :
       {std::string("/etc/gitconfig"), config + "/git/config", home + "/.gitconfig"}) {
    const std::string text = file_text(file, most_config_bytes).value_or("");
    for (std::string& folder : files_named_in(text).hook_folders)
      folders.push_back(std::move(folder));
  }
}

// The first batch says which folders the rest is about.
Guard::Settings Guard::settings_in(const std::string& batch) {
  Unpacker in(batch);
  Settings settings;
  settings.quarantine = in.text();
  while (in.ok() && !in.at_end()) settings.areas.push_back(in.text());
  return settings;
}

// A new one if there is none, if another process has removed it, or if it has grown too long.
void Guard::open_record() {
  if (record_ && !record_.is_removed() && record_.size() < most_record_bytes) return;
  if (record_ && !record_.is_removed()) record_.remove();
  record_ = GuardRecord::create(settings_.records);
  unsaved_ = Extent::everything;
  Packer head;
  head.text(settings_.quarantine);
  for (const std::string& area : settings_.areas) head.text(area);
  if (!record_ || !record_.add(head.bytes()))
    throw Error("cannot write to " + settings_.records + ": " + std::strerror(errno));
}

// What others are about to undo must not become ours: we would put it back when they have.
void Guard::adopt_running_commands() {
  const GuardRecord::Others others = GuardRecord::others(settings_.records, &record_);
  std::map<std::string, Running> running;
  std::vector<std::string> busy;
  for (const GuardRecord& other : others.running) {
    const auto known = running_.find(other.path());
    const bool changed = known == running_.end() || known->second.size != other.size();
    const auto batches = changed ? other.batches() : std::vector<std::string>{};
    const Running& now = running[other.path()] =
        changed ? Running{other.size(), settings_in(batches.empty() ? "" : batches.front()).areas}
                : known->second;
    if (!overlap(now.areas, settings_.areas)) continue;
    std::ranges::copy(now.areas, std::back_inserter(busy));
    for (std::size_t i = 1; i < batches.size(); ++i) load(batches[i]);
    if (changed) unsaved_ = Extent::everything;
  }
  running_ = std::move(running);
  places_.set_busy(std::move(busy));
}

// What is known of the places themselves, and then of what is in them.
void Guard::load(const std::string& batch) {
  Unpacker in(batch);
  wall_ = static_cast<Wall>(in.number());
  walled_.clear();
  for (std::uint64_t count = in.number(); count > 0 && in.ok(); --count) walled_[in.text()];
  places_.load(in);
  while (in.ok() && !in.at_end()) {
    const std::string path = in.text();
    const auto rule = static_cast<Rule>(in.number());
    const bool first_seen_after_command = in.number() != 0, is_whole = in.number() != 0;
    TreeRecord& tree = records_[path];
    if (is_whole) tree.clear();
    sandbox::load(in, tree);
    if (in.ok()) places_.load_place(path, {rule, first_seen_after_command});
  }
}

void Guard::save(const std::string& places) {
  Packer out;
  out.number(static_cast<std::uint64_t>(wall_));
  out.number(walled_.size());
  for (const auto& [path, fd] : walled_) out.text(path);
  const std::string walls = out.bytes();
  const bool folders_changed = places_.save(out, unsaved_);
  if (folders_changed || !places.empty() || walls != std::exchange(saved_walls_, walls))
    if (!record_.add(out.bytes() + places))
      throw Error("cannot write to " + settings_.records + ": " + std::strerror(errno));
  unsaved_ = Extent::changes;
  record_.set(GuardRecord::State::running);
}

void Guard::add(const std::string& path) {
  places_.add(path, Rule::exact, Author::others);
  added_.insert(path);
}
bool Guard::has_met(const std::vector<std::string>& names) const {
  return std::ranges::any_of(places_.places(), [&](const auto& place) {
    return std::ranges::find(names, fs::path(place.first).filename().string()) != names.end();
  });
}

std::string Guard::first_area() const {
  return settings_.areas.empty() ? "" : settings_.areas.front();
}

// Where a place leads to is guarded too.
void Guard::follow_up(const std::string& path, const TreeRecord& tree) {
  if (tree.empty()) return;
  const fs::path folder = fs::path(path).parent_path();
  const Rule rule = places_.places().at(path).rule;
  const auto named = [&](const fs::path& base, const std::string& value) {
    return places_.follow(
        value.starts_with("~/") ? settings_.home + value.substr(1) : (base / value).string(),
        Author::others);
  };
  if (rule == Rule::pointer) {
    places_.add_git_folder(places_.follow(pointed_at(path, tree), Author::others), Author::others);
  } else if (tree.at("").kind == Recorded::Kind::link) {
    places_.add(places_.follow(path, Author::others), rule, Author::others);
  } else if (rule == Rule::config || path == settings_.home + "/.gitconfig") {
    NamedFiles files = files_named_in(text_in(tree));
    files.hook_folders.insert(files.hook_folders.end(), global_hook_folders_->begin(),
                              global_hook_folders_->end());
    // Relative to where hooks are run: above .git, or in a repository without a work tree.
    for (const std::string& value : files.hook_folders)
      for (const fs::path& base : {folder.parent_path(), folder, fs::path(first_area())})
        if (const std::string end = named(base, value); end != folder && !places_.is_top(end))
          places_.add(end, Rule::hooks, Author::others);
    for (const std::string& value : files.includes)
      places_.add(named(folder, value), Rule::config, Author::others);
  }
}

// Returns what has changed, for the file.
std::string Guard::record_places() {
  Packer changed;
  std::set<std::string> done;
  // Following adds places, so until no more come.
  while (done.size() != places_.places().size()) {
    std::vector<std::string> paths;
    for (const auto& [path, place] : places_.places())
      if (done.insert(path).second) paths.push_back(path);
    for (const std::string& path : paths) record_place(path, changed);
  }
  return changed.bytes();
}

void Guard::record_place(const std::string& path, Packer& changed) {
  const auto recorded = records_.find(path);
  const bool is_busy = places_.is_busy(path), is_known = recorded != records_.end();
  if (is_busy && !is_known) return;  // made by another command
  const bool is_unsaved = !is_known || unsaved_ == Extent::everything;
  TreeRecord before = is_known ? std::move(recorded->second) : TreeRecord{};
  const AutorunFiles::Opened above = places_.open_above(path);
  TreeRecord& tree = records_[path];
  tree = is_busy        ? before
         : above.folder ? record_tree(above.folder.get(), above.name, before)
                        : TreeRecord{};
  if (is_unsaved) before.clear();
  if (const TreeChanges changes = changes_between(before, tree); is_unsaved || !changes.empty()) {
    const GuardedPlace& place = places_.places().at(path);
    changed.text(path);
    changed.number(static_cast<std::uint64_t>(place.rule));
    changed.number(place.first_seen_after_command);
    changed.number(is_unsaved);
    sandbox::save(changed, changes);
  }
  follow_up(path, tree);
}

std::optional<std::vector<std::string>> Guard::record(Wall wall,
                                                      const std::function<bool()>& stopped) {
  const bool on_disk = !settings_.records.empty();
  Fd lock;  // no other command starts in between
  if (on_disk) {
    open_record();
    lock = Fd(open(settings_.records.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    while (lock && flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
      if (stopped()) return std::nullopt;
      pause_until(std::chrono::steady_clock::now() + lock_step);
    }
    adopt_running_commands();
  }
  wall_ = wall;
  if (!global_hook_folders_) read_global_hook_folders();
  if (!places_.look(Author::others, stopped)) return std::nullopt;
  const std::string changed = record_places();
  std::vector<std::string> walls = find_walls();
  if (on_disk) save(changed);
  return walls;
}

std::vector<std::string> Guard::find_walls() {
  std::vector<std::string> walls;
  for (const auto& [path, place] : places_.places()) {
    const auto recorded = records_.find(path);
    if (recorded == records_.end() || recorded->second.empty() || place.first_seen_after_command ||
        place.rule == Rule::plan)
      continue;
    const Recorded::Kind kind = recorded->second.at("").kind;
    const bool added = added_.contains(path);
    const bool near =
        place.rule != Rule::exact || added || places_.is_top(fs::path(path).parent_path());
    // A mount inside a read-only folder would make the folders above it writable again.
    const bool covered = added && std::ranges::any_of(walls, [&](const std::string& outer) {
                           return path.starts_with(outer + "/");
                         });
    if (near && !covered && (kind == Recorded::Kind::file || kind == Recorded::Kind::folder))
      walls.push_back(path);
  }
  std::ranges::stable_sort(walls, {}, [&](const std::string& path) {
    return added_.contains(path) ? 0 : std::ranges::count(path, '/');
  });
  walls.resize(std::min(walls.size(), std::max(most_walls, added_.size())));
  walled_.clear();
  for (const std::string& path : walls) {
    const AutorunFiles::Opened above = places_.open_above(path);
    Fd fd(openat(above.folder.get(), above.name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
    struct stat info {};
    if (fd && fstat(fd.get(), &info) == 0 && stamp_of(info).id == records_[path].at("").stamp.id)
      walled_[path] = std::move(fd);
  }
  return walls;
}

// Behind a wall that still holds (the same file under the same name, and no other name for it)
// only others can have changed anything: the user may edit while a command runs.
bool Guard::cannot_have_changed(const std::string& path, const TreeRecord& now) const {
  if (wall_ == Wall::none || !walled_.contains(path) || now.empty()) return false;
  const TreeRecord& before = records_.at(path);
  return now.at("").stamp.id == before.at("").stamp.id &&
         std::ranges::none_of(before, [](const auto& each) { return each.second.shared; });
}

std::string Guard::shown(const std::string& path) const {
  const std::string area = first_area();
  return path.starts_with(area + "/") ? path.substr(area.size() + 1) : path;
}

bool Guard::take(int folder, const std::string& name, const std::string& path) {
  taken_.push_back(shown(path));
  return quarantine_.take(folder, name, taken_.back());
}

// Takes away what differs, then puts back what is missing.
void Guard::restore(const std::string& path, const TreeRecord& before, const TreeRecord& now) {
  const AutorunFiles::Opened above = places_.open_above(path);
  if (!above.folder) return;  // gone with its folder: nothing is there to be run
  if (listed_ != nullptr) return list(path, before, now);
  const auto at = [&](const std::string& inner) {
    const fs::path whole = inner.empty() ? fs::path(above.name) : fs::path(above.name) / inner;
    return AutorunFiles::Opened{open_below(above.folder.get(), whole.parent_path().string()),
                                whole.filename()};
  };
  const std::size_t taken_before = taken_.size();
  std::string taken = "/";  // no path below a place begins with it
  for (const auto& [inner, thing] : now) {
    if (inner.starts_with(taken)) continue;
    const auto old = before.find(inner);
    if (old != before.end() && same(old->second, thing)) continue;
    const AutorunFiles::Opened place = at(inner);
    if (!place.folder) continue;
    if (old != before.end() && old->second.kind == Recorded::Kind::folder &&
        thing.kind == Recorded::Kind::folder && thing.whole) {
      fchmodat(place.folder.get(), place.name.c_str(), old->second.mode, AT_SYMLINK_NOFOLLOW);
      taken_.push_back(shown(inside_of(path, inner)));
      continue;
    }
    take(place.folder.get(), place.name, inside_of(path, inner));
    if (inner.empty()) break;
    taken = inner + "/";
  }
  for (const auto& [inner, thing] : before) {
    const AutorunFiles::Opened place = at(inner);
    struct stat info {};
    if (!place.folder ||
        fstatat(place.folder.get(), place.name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0)
      continue;
    const std::string missing = shown(inside_of(path, inner));
    if (!put(place.folder.get(), place.name, thing)) not_restored_.push_back(missing);
    if (taken_.size() == taken_before) taken_.push_back(missing);
  }
}

void Guard::list(const std::string& path, const TreeRecord& before, const TreeRecord& now) {
  std::set<std::string> names;
  for (const TreeRecord* tree : {&before, &now})
    for (const auto& [inner, thing] : *tree) names.insert(inner);
  const auto content = [](const TreeRecord& tree, const TreeRecord::const_iterator& thing) {
    const bool is_file = thing != tree.end() && thing->second.kind == Recorded::Kind::file;
    return is_file ? thing->second.bytes : std::string();
  };
  using Kind = Change::Kind;
  for (const std::string& inner : names) {
    const auto old = before.find(inner), thing = now.find(inner);
    const bool added = old == before.end(), removed = thing == now.end();
    if (!added && !removed && same(old->second, thing->second)) continue;
    listed_->push_back({shown(inside_of(path, inner)),
                        added     ? Kind::added
                        : removed ? Kind::removed
                                  : Kind::modified,
                        content(before, old), content(now, thing)});
  }
}

void Guard::judge_new_config(const std::string& path, const TreeRecord& now,
                             const StaysInside& inside) {
  const std::string& text = text_in(now);
  if (is_file(now) && harmless_change("", text, inside)) return;
  if (listed_ != nullptr) return list(path, {}, now);
  const AutorunFiles::Opened above = places_.open_above(path);
  if (!above.folder || !take(above.folder.get(), above.name, path) || !is_file(now)) return;
  Recorded plain = now.at("");
  plain.bytes = harmless_part(text, inside);
  put(above.folder.get(), above.name, plain);
}

void Guard::judge_new_hooks(const std::string& path, const TreeRecord& now) {
  TreeRecord samples;
  const auto top = now.at("");
  if (top.kind == Recorded::Kind::folder && top.whole)
    for (const auto& [inner, thing] : now)
      if (inner.empty() || (inner.ends_with(".sample") && inner.find('/') == std::string::npos &&
                            thing.kind == Recorded::Kind::file))
        samples[inner] = thing;
  restore(path, samples, now);
}

void Guard::judge(const std::string& path, const GuardedPlace& place) {
  const AutorunFiles::Opened above = places_.open_above(path);
  auto recorded = records_.find(path);
  if (recorded == records_.end()) recorded = records_.find(places_.earlier_name(path));
  const bool is_new = recorded == records_.end();
  static const TreeRecord nothing;
  const TreeRecord& before = is_new ? nothing : recorded->second;
  const TreeRecord now =
      above.folder ? record_tree(above.folder.get(), above.name, before) : TreeRecord{};
  if (same(before, now) || (!is_new && !before.empty() && cannot_have_changed(path, now))) return;
  const auto inside = [&](std::string_view value) {
    std::error_code error;
    const fs::path real = fs::weakly_canonical(fs::path(path).parent_path() / value, error);
    return !error && places_.is_inside(real.string());
  };
  switch (place.rule) {
    case Rule::config:
      if (before.empty()) return judge_new_config(path, now, inside);
      if (is_file(before) && is_file(now) && harmless_change(text_in(before), text_in(now), inside))
        return;
      break;
    case Rule::hooks:
      if (before.empty()) return judge_new_hooks(path, now);
      break;
    case Rule::pointer: {
      if (!is_new) break;
      const std::string target = places_.follow(pointed_at(path, now), Author::command);
      if (now.at("").whole && places_.is_inside(target))
        return places_.add_git_folder(target, Author::command);
      break;
    }
    case Rule::plan:
      if (is_file(now) && commands_in(text_in(before)) == commands_in(text_in(now))) return;
      if (now.empty()) return;
      break;
    case Rule::exact: break;
  }
  restore(path, before, now);
}

void Guard::look_and_judge() {
  places_.look(Author::command);
  std::set<std::string> judged;
  while (judged.size() != places_.places().size()) {
    const GuardedPlaces all = places_.places();  // judging a pointer adds to them
    for (const auto& [path, place] : all)
      if (judged.insert(path).second) judge(path, place);
  }
}

std::vector<Guard::Change> Guard::changes() {
  std::vector<Change> found;
  listed_ = &found;
  look_and_judge();
  listed_ = nullptr;
  return found;
}

std::string Guard::finish() {
  std::string undone = take_back();
  cancel();
  return undone;
}

void Guard::cancel() {
  walled_.clear();
  if (record_) record_.set(GuardRecord::State::idle);
}

std::string Guard::take_back() {
  look_and_judge();
  const std::string where = quarantine_.place();
  if (taken_.empty()) return "";
  std::string text = "the command changed " + described(taken_) + ", and skein restored them: ";
  text += listed(taken_, most_named);
  if (!where.empty()) text += "; what the command wrote is in " + where;
  if (!not_restored_.empty()) text += "; could not be restored: " + not_restored_.front();
  taken_.clear();
  not_restored_.clear();
  return text;
}

}  // namespace skein::sandbox
