#include "core/tools/workspace/withheld.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "core/text/fd.h"
#include "core/text/glob.h"
#include "core/text/small_file.h"
#include "core/text/text.h"
#include "core/tools/workspace/real_place.h"

namespace skein::tools::workspace {

namespace {

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
    return parse_ignore_file("", lines);
  }();
  return file;
}

std::string parent_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash);
}

std::string_view name_in(std::string_view path) { return path.substr(path.rfind('/') + 1); }

}  // namespace

Withheld::Patterns::Patterns(std::string shown, std::string_view folder, std::string_view text)
    : shown_(std::move(shown)), file_(parse_ignore_file(folder, text)) {
  for (std::size_t i = 0; i < file_.patterns.size(); ++i) {
    const std::string& glob = file_.patterns[i].glob;
    const char end = glob.back();
    const bool open = std::string_view("*?]\\").find(end) != std::string_view::npos;
    if (glob.find_first_of("*?[\\") == std::string::npos)
      plain_[glob].push_back(i);
    else
      wild_[open ? '*' : end].push_back(i);
  }
}

const IgnoreFile::Pattern* Withheld::Patterns::last_for(std::string_view path,
                                                        EntryKind kind) const {
  std::string_view below = path;
  if (!file_.folder.empty()) {
    if (!path.starts_with(file_.folder + "/")) return nullptr;
    below.remove_prefix(file_.folder.size() + 1);
  }
  const IgnoreFile::Pattern* last = nullptr;
  const auto take = [&](std::size_t i, bool anchored) {
    const IgnoreFile::Pattern& pattern = file_.patterns[i];
    if (pattern.anchored == anchored && (!pattern.folders_only || kind == EntryKind::folder))
      last = std::max(last, &pattern);
  };
  const auto try_plain = [&](std::string_view text, bool anchored) {
    if (const auto found = plain_.find(text); found != plain_.end())
      for (const std::size_t i : found->second) take(i, anchored);
  };
  try_plain(name_in(path), false);
  try_plain(below, true);
  const auto try_wild = [&](char end) {
    const auto found = wild_.find(end);
    if (found == wild_.end()) return;
    for (auto i = found->second.rbegin(); i != found->second.rend(); ++i) {
      const IgnoreFile::Pattern& pattern = file_.patterns[*i];
      if (last != nullptr && &pattern < last) return;
      if (glob_match(pattern.glob, pattern.anchored ? below : name_in(path)))
        take(*i, pattern.anchored);
    }
  };
  try_wild('*');
  if (path.back() != '*') try_wild(path.back());
  return last;
}

std::string Withheld::Patterns::place_of(const IgnoreFile::Pattern& pattern) const {
  return shown_ + ":" + std::to_string(pattern.line);
}

Withheld::Withheld(Settings settings) : settings_(std::move(settings)) {
  if (settings_.project.empty() || !is_below(settings_.workspace, settings_.project))
    settings_.project = settings_.workspace;
  if (settings_.workspace != settings_.project)
    prefix_ = fs::path(settings_.workspace).lexically_relative(settings_.project).string() + "/";
}

std::string_view Withheld::secrets() { return secret_patterns; }

std::string Withheld::whole(std::string_view below) const { return prefix_ + std::string(below); }

const Withheld::Level& Withheld::level(const std::string& folder) const {
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

// Whoever wrote it, it can only take something away; but it must be a file.
void Withheld::read_file(PatternFile& file, const std::string& path, const std::string& shown,
                         std::string_view folder) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) {
    file = {};
    return;
  }
  const FileId id{info.st_dev, info.st_ino};
  const std::int64_t modified =
      std::int64_t{info.st_mtim.tv_sec} * 1'000'000'000 + info.st_mtim.tv_nsec;
  if (file.patterns && file.id == id && file.size == info.st_size && file.modified_ns == modified)
    return;
  file = {id, info.st_size, modified, Patterns(shown, folder, file_beginning(path, most_bytes))};
}

void Withheld::read_own() const {
  const Clock::time_point now = Clock::now();
  if (own_read_ != Clock::time_point{} && now - own_read_ < believed) return;
  own_read_ = now;
  read_file(own_, settings_.own_file, settings_.own_file, "");
}

// What lies in a folder that is withheld cannot be brought back.
std::string Withheld::judge(const std::string& path, EntryKind kind) const {
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
      const std::optional<Patterns>& file = here.files.at(i).patterns;
      const auto* pattern = file ? file->last_for(path, kind) : nullptr;
      if (pattern != nullptr && !pattern->negated) return file->place_of(*pattern);
      if (pattern != nullptr || at.empty()) break;
    }
  return {};
}

std::string Withheld::by(std::string_view below, EntryKind kind) const {
  const std::lock_guard alone(reading_);
  return below.empty() || below == "." ? std::string{} : judge(whole(below), kind);
}

std::string Withheld::secret(std::string_view below) const {
  const std::lock_guard alone(reading_);
  return secret_at(whole(below));
}

bool Withheld::keeps(const std::string& from_project) const {
  const std::lock_guard alone(reading_);
  return !judge(from_project, EntryKind::file).empty() || !secret_at(from_project).empty();
}

std::string Withheld::secret_at(const std::string& path) const {
  const std::vector<IgnoreFile::Pattern>& patterns = secret_file().patterns;
  const auto pattern =
      std::find_if(patterns.rbegin(), patterns.rend(), [&](const IgnoreFile::Pattern& each) {
        return glob_match(each.glob, each.anchored ? path : name_in(path));
      });
  if (pattern == patterns.rend() || pattern->negated) return {};
  read_own();
  if (own_.patterns)
    if (const auto* said = own_.patterns->last_for(path, EntryKind::file);
        said != nullptr && said->negated)
      return {};
  return pattern->glob.starts_with("**/") ? pattern->glob.substr(3) : pattern->glob;
}

bool Withheld::has_patterns() const {
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

void Withheld::read_linked() const {
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

std::string Withheld::by_other_name(FileId id) const {
  const std::lock_guard alone(reading_);
  if (!has_patterns()) return {};
  read_linked();
  const auto found = linked_.find(id);
  return found == linked_.end() ? std::string{} : found->second;
}

void Withheld::find_in(int folder, const std::string& below, Found& found,
                       std::size_t& left) const {
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(fdopendir(folder), closedir);
  if (!stream) {
    close(folder);
    return;
  }
  while (const dirent* entry = readdir(stream.get())) {
    const std::string name = entry->d_name;
    if (name == "." || name == ".." || name == ".git") continue;
    if (left == 0) {
      found.complete = false;
      return;
    }
    --left;
    struct stat info {};
    if (fstatat(dirfd(stream.get()), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) continue;
    const EntryKind kind = S_ISDIR(info.st_mode)   ? EntryKind::folder
                           : S_ISLNK(info.st_mode) ? EntryKind::link
                                                   : EntryKind::file;
    const std::string inner = below.empty() ? name : below + "/" + name;
    if (!by(inner, kind).empty()) {
      const std::string place = real_place(settings_.workspace + "/" + inner);
      if (is_below(place, settings_.workspace) && place != settings_.workspace)
        found.places.push_back(place);
    } else if (kind == EntryKind::folder) {
      constexpr int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
      const int next = openat(dirfd(stream.get()), name.c_str(), flags);
      if (next >= 0) find_in(next, inner, found, left);
    }
  }
}

Withheld::Found Withheld::find() const {
  const std::lock_guard alone(reading_);
  Found found;
  std::size_t left = most_entries;
  const int top = open(settings_.workspace.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (top >= 0) find_in(top, "", found, left);
  std::ranges::sort(found.places);
  found.places.erase(std::ranges::unique(found.places).begin(), found.places.end());
  return found;
}

std::vector<std::string> Withheld::described() const {
  const std::lock_guard alone(reading_);
  std::vector<std::string> out;
  const auto add = [&](const Patterns& from) {
    for (const IgnoreFile::Pattern& each : from.file().patterns)
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

}  // namespace skein::tools::workspace
