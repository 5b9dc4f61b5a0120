#include "core/workspace/ignored_paths.h"

#include "core/text/std.h"

#include <fcntl.h>

#include "core/text/pattern.h"
#include "core/text/text.h"

namespace skein::workspace {

namespace {

IgnoreFile::Pattern parse_pattern(std::string_view line) {
  IgnoreFile::Pattern pattern;
  if (line.ends_with('\r')) line.remove_suffix(1);
  // Blanks at the end do not count unless the last is escaped.
  while (line.ends_with(' ') && !line.ends_with("\\ ")) line.remove_suffix(1);
  if (line.starts_with('#')) return pattern;
  if (line.starts_with('!')) {
    pattern.negated = true;
    line.remove_prefix(1);
  }
  if (line.ends_with('/')) {
    pattern.folders_only = true;
    line.remove_suffix(1);
  }
  pattern.anchored = line.find('/') != std::string_view::npos;
  if (line.starts_with('/')) line.remove_prefix(1);
  pattern.glob = line;
  return pattern;
}

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds believed{100};
constexpr std::size_t most_bytes = 1u << 20;     // of one file of patterns
constexpr std::size_t most_entries = 1'000'000;  // looked at for one command
constexpr std::string_view secret_patterns =
    ".env .env.* !.env.example !.env.sample !.env.template *.pem *.key id_rsa id_ed25519 .netrc "
    ".npmrc .pypirc **/.aws/credentials **/.kube/config *.kdbx";

const IgnoreFile& secret_file() {
  static const IgnoreFile file = [] {
    std::string lines(secret_patterns);
    std::ranges::replace(lines, ' ', '\n');
    return IgnoreFile("", lines);
  }();
  return file;
}

std::string_view name_in(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// The path as it is called from this folder; none: it is not in there.
std::optional<std::string_view> seen_from(const std::string& folder, std::string_view path) {
  if (folder.empty()) return path;
  if (!path.starts_with(folder + "/")) return std::nullopt;
  return path.substr(folder.size() + 1);
}

}  // namespace

bool is_ignored(const std::vector<IgnoreFile>& files, std::string_view path, EntryKind kind) {
  for (const IgnoreFile& file : files | std::views::reverse)
    if (const IgnoreFile::Pattern* pattern = file.last_for(path, kind); pattern != nullptr)
      return !pattern->negated;
  return false;
}

IgnoreFile::IgnoreFile(std::string_view folder, std::string_view text, std::string shown)
    : folder_(folder), shown_(std::move(shown)) {
  std::size_t number = 0;
  for (const std::string_view line : split(text, '\n')) {
    Pattern pattern = parse_pattern(line);
    pattern.line = ++number;
    if (pattern.glob.empty()) continue;
    const char end = pattern.glob.back();
    const bool open = std::string_view("*?]\\").find(end) != std::string_view::npos;
    if (pattern.glob.find_first_of("*?[\\") == std::string::npos)
      plain_[pattern.glob].push_back(patterns_.size());
    else
      wild_[open ? '*' : end].push_back(patterns_.size());
    patterns_.push_back(std::move(pattern));
  }
}

const IgnoreFile::Pattern* IgnoreFile::last_for(std::string_view path, EntryKind kind) const {
  const std::optional<std::string_view> below = seen_from(folder_, path);
  if (!below || path.empty()) return nullptr;
  const Pattern* last = nullptr;
  const auto take = [&](std::size_t i, bool anchored) {
    const Pattern& pattern = patterns_[i];
    if (pattern.anchored == anchored && (!pattern.folders_only || kind == EntryKind::folder))
      last = std::max(last, &pattern);
  };
  const auto try_plain = [&](std::string_view text, bool anchored) {
    if (const auto found = plain_.find(text); found != plain_.end())
      for (const std::size_t i : found->second) take(i, anchored);
  };
  try_plain(name_in(path), false);
  try_plain(*below, true);
  const auto try_wild = [&](char end) {
    const auto found = wild_.find(end);
    if (found == wild_.end()) return;
    for (auto i = found->second.rbegin(); i != found->second.rend(); ++i) {
      const Pattern& pattern = patterns_[*i];
      if (last != nullptr && &pattern < last) return;
      if (glob_match(pattern.glob, pattern.anchored ? *below : name_in(path)))
        take(*i, pattern.anchored);
    }
  };
  try_wild('*');
  if (path.back() != '*') try_wild(path.back());
  return last;
}

std::string IgnoreFile::place_of(const Pattern& pattern) const {
  return shown_ + ":" + std::to_string(pattern.line);
}

IgnoredPaths::IgnoredPaths(Settings settings) : settings_(std::move(settings)) {
  if (settings_.project.empty() || !is_below(settings_.workspace, settings_.project))
    settings_.project = settings_.workspace;
  if (settings_.workspace != settings_.project)
    prefix_ = fs::path(settings_.workspace).lexically_relative(settings_.project).string() + "/";
}

std::string_view IgnoredPaths::secrets() { return secret_patterns; }

std::string IgnoredPaths::whole(std::string_view below) const {
  return prefix_ + std::string(below);
}

const IgnoredPaths::Level& IgnoredPaths::level(const std::string& folder) const {
  Level& here = levels_[folder];
  const Clock::time_point now = Clock::now();
  if (here.read != Clock::time_point{} && now - here.read < believed) return here;
  here.read = now;
  const std::string path = settings_.project + (folder.empty() ? "" : "/" + folder);
  const fs::path shown = fs::path(path).lexically_relative(settings_.workspace);
  bool any = false;
  for (std::size_t i = 0; i < settings_.names.size(); ++i) {
    const std::string& name = settings_.names[i];
    read_file(here.files[i], path + "/" + name, (shown / name).lexically_normal().string(), folder);
    any = any || here.files[i].patterns;
  }
  here.any = any || (!folder.empty() && level(parent_of(folder)).any);
  here.verdict = folder.empty() ? "" : judge(folder, EntryKind::folder);
  return here;
}

// It does not matter who wrote it: it can only take something away; but it must be a file.
void IgnoredPaths::read_file(PatternFile& file, const std::string& path, const std::string& shown,
                             std::string_view folder) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) {
    file = {};
    return;
  }
  const FileId id{info.st_dev, info.st_ino};
  const std::int64_t modified = nanoseconds(info.st_mtim);
  if (file.patterns && file.id == id && file.size == info.st_size && file.modified_ns == modified)
    return;
  file = {id, info.st_size, modified, IgnoreFile(folder, file_beginning(path, most_bytes), shown)};
}

void IgnoredPaths::read_own() const {
  const Clock::time_point now = Clock::now();
  if (own_read_ != Clock::time_point{} && now - own_read_ < believed) return;
  own_read_ = now;
  read_file(own_, settings_.own_file, settings_.own_file, "");
}

// What is in an ignored folder cannot be brought back.
std::string IgnoredPaths::judge(const std::string& path, EntryKind kind) const {
  const std::string folder = parent_of(path);
  const Level& above = level(folder);
  if (!above.verdict.empty()) return above.verdict;
  read_own();
  if (own_.patterns)
    if (const auto* pattern = own_.patterns->last_for(path, kind);
        pattern != nullptr && !pattern->negated)
      return own_.patterns->place_of(*pattern);
  if (!above.any) return {};
  for (std::size_t i = 0; i < settings_.names.size(); ++i)
    for (std::string at = folder;; at = parent_of(at)) {
      const Level& here = level(at);
      const std::optional<IgnoreFile>& file = here.files.at(i).patterns;
      const auto* pattern = file ? file->last_for(path, kind) : nullptr;
      if (pattern != nullptr && !pattern->negated) return file->place_of(*pattern);
      if (pattern != nullptr || at.empty()) break;
    }
  return {};
}

std::string IgnoredPaths::by(std::string_view below, EntryKind kind) const {
  const std::lock_guard alone(reading_);
  return below.empty() || below == "." ? std::string{} : judge(whole(below), kind);
}

std::string IgnoredPaths::secret(std::string_view below) const {
  const std::lock_guard alone(reading_);
  return secret_at(whole(below));
}

bool IgnoredPaths::keeps(const std::string& from_project) const {
  const std::lock_guard alone(reading_);
  return !judge(from_project, EntryKind::file).empty() || !secret_at(from_project).empty();
}

std::string IgnoredPaths::secret_at(const std::string& path) const {
  const IgnoreFile::Pattern* pattern = secret_file().last_for(path, EntryKind::file);
  if (pattern == nullptr || pattern->negated) return {};
  read_own();
  if (own_.patterns)
    if (const auto* said = own_.patterns->last_for(path, EntryKind::file);
        said != nullptr && said->negated)
      return {};
  return pattern->glob.starts_with("**/") ? pattern->glob.substr(3) : pattern->glob;
}

bool IgnoredPaths::has_patterns() const {
  const std::lock_guard alone(reading_);
  read_own();
  for (std::string at = whole("");;) {
    at = parent_of(at);
    level(at);
    if (at.empty()) break;
  }
  return own_.patterns ||
         std::ranges::any_of(levels_, [](const auto& each) { return each.second.any; });
}

void IgnoredPaths::read_linked() const {
  constexpr std::chrono::seconds long_believed{1};  // it takes a look at everything
  const Clock::time_point now = Clock::now();
  if (linked_read_ != Clock::time_point{} && now - linked_read_ < long_believed) return;
  linked_.clear();
  const auto take = [&](const std::string& file, const std::string& why) {
    struct stat info {};
    if (lstat(file.c_str(), &info) == 0 && S_ISREG(info.st_mode) && info.st_nlink > 1)
      linked_[{info.st_dev, info.st_ino}] = why;
  };
  for (const std::string& place : find().places) {
    std::error_code failed;
    const bool folder = fs::is_directory(place, failed);
    const std::string why = by(fs::path(place).lexically_relative(settings_.workspace).string(),
                               folder ? EntryKind::folder : EntryKind::file);
    if (!folder) take(place, why);
    std::size_t left = most_entries;
    if (folder)
      for (fs::recursive_directory_iterator each(place, failed), end;
           !failed && each != end && left > 0; each.increment(failed), --left)
        take(each->path().string(), why);
  }
  linked_read_ = Clock::now();
}

std::string IgnoredPaths::by_other_name(FileId id) const {
  const std::lock_guard alone(reading_);
  if (!has_patterns()) return {};
  read_linked();
  const auto found = linked_.find(id);
  return found == linked_.end() ? std::string{} : found->second;
}

void IgnoredPaths::find_in(Fd folder, const std::string& below, Found& found,
                           std::size_t& left) const {
  const int fd = folder.get();
  each_entry(std::move(folder), [&](const std::string& name, int) {
    if (name == ".git") return true;
    found.complete = found.complete && left > 0;
    if (!found.complete) return false;
    --left;
    struct stat info {};
    if (fstatat(fd, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) return true;
    const EntryKind kind = kind_of(info.st_mode);
    const std::string inner = joined(below, name);
    if (!by(inner, kind).empty()) {
      const std::string place = real_place(settings_.workspace + "/" + inner);
      if (is_below(place, settings_.workspace) && place != settings_.workspace)
        found.places.push_back(place);
    } else if (kind == EntryKind::folder) {
      constexpr int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
      if (Fd next(openat(fd, name.c_str(), flags)); next)
        find_in(std::move(next), inner, found, left);
    }
    return true;
  });
}

IgnoredPaths::Found IgnoredPaths::find() const {
  const std::lock_guard alone(reading_);
  Found found;
  std::size_t left = most_entries;
  if (Fd top(open(settings_.workspace.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)); top)
    find_in(std::move(top), "", found, left);
  std::ranges::sort(found.places);
  found.places.erase(std::ranges::unique(found.places).begin(), found.places.end());
  return found;
}

std::vector<std::string> IgnoredPaths::described() const {
  const std::lock_guard alone(reading_);
  std::vector<std::string> out;
  const auto add = [&](const IgnoreFile& from) {
    for (const IgnoreFile::Pattern& each : from.patterns())
      out.push_back((each.negated ? "!" : "") + each.glob + (each.folders_only ? "/" : "") + "  (" +
                    from.place_of(each) + ")");
  };
  has_patterns();  // reads those at the top
  if (own_.patterns) add(*own_.patterns);
  for (const auto& [folder, level] : levels_)
    for (const auto& [name, file] : level.files)
      if (file.patterns) add(*file.patterns);
  return out;
}

}  // namespace skein::workspace
