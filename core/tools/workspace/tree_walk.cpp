#include "core/tools/workspace/tree_walk.h"

#include <dirent.h>
#include <fcntl.h>

#include <algorithm>
#include <memory>

#include "core/text/io.h"

namespace skein::tools::workspace {

namespace {

constexpr std::size_t ignore_file_bytes = 256 * 1024;
using IgnoreFiles = std::vector<IgnoreFile>;

struct Name {
  std::string name;
  EntryKind kind;
};

std::vector<Name> names_in(Fd folder, std::size_t most) {
  std::vector<Name> names;
  const int fd = folder.release();
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(fdopendir(fd), closedir);
  if (!stream) {
    close(fd);
    return names;
  }
  while (const dirent* entry = readdir(stream.get())) {
    const std::string name = entry->d_name;
    if (name == "." || name == ".." || name == ".git") continue;
    struct stat info {};
    if (fstatat(fd, entry->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0) continue;
    const EntryKind kind = S_ISDIR(info.st_mode)   ? EntryKind::folder
                           : S_ISLNK(info.st_mode) ? EntryKind::link
                                                   : EntryKind::file;
    names.push_back({name, kind});
    if (names.size() >= most) break;
  }
  std::ranges::sort(names, {}, &Name::name);
  return names;
}

std::string join(const std::string& folder, const std::string& name) {
  return folder.empty() ? name : folder + "/" + name;
}

void add_ignore_file(const Root& root, const Place& place, const std::string& folder,
                     IgnoreFiles& files) {
  if (!place) return;
  const Opened file = root.open_file(place);
  const auto text = file ? read_all(file.fd.get(), ignore_file_bytes) : std::nullopt;
  if (text) files.push_back(parse_ignore_file(folder, *text));
}

// The rules that hold in `folder`, from the workspace inwards; nullopt if `folder` itself is
// ignored, and then none of them says anything about what is in it.
std::optional<IgnoreFiles> rules_above(const Root& root, const std::string& folder) {
  IgnoreFiles files;
  add_ignore_file(root, root.locate(".git/info/exclude"), "", files);
  for (std::size_t end = 0; end < folder.size();) {
    const std::string above = folder.substr(0, end);
    add_ignore_file(root, root.locate(join(above, ".gitignore")), above, files);
    end = std::min(folder.find('/', end == 0 ? 0 : end + 1), folder.size());
    if (is_ignored(files, folder.substr(0, end), EntryKind::folder)) return std::nullopt;
  }
  return files;
}

class Walk {
 public:
  Walk(const Root& root, const WalkOptions& options,
       const std::function<WalkControl(const Walked&)>& visit)
      : root_(root), options_(options), visit_(visit) {}

  // Depth first: what is open at one time is one folder per level.
  // `below` is where `path` leads.
  WalkControl descend(Fd folder, const std::string& path, const std::string& below,
                      IgnoreFiles& rules, int depth) {
    Place place{.folder = Fd(fcntl(folder.get(), F_DUPFD_CLOEXEC, 0)), .name = ".gitignore"};
    const std::size_t outer_rules = rules.size();
    if (obey_) add_ignore_file(root_, place, path, rules);
    WalkControl onward = WalkControl::go_on;
    for (const Name& entry : names_in(std::move(folder), options_.names_per_folder)) {
      const std::string shown = join(path, entry.name);
      if (is_ignored(rules, shown, entry.kind)) continue;
      const std::string real = join(below, entry.name);
      if (options_.denied && options_.denied(real)) continue;
      if (root_.withheld() != nullptr && !root_.withheld()->by(real, entry.kind).empty()) continue;
      place.name = entry.name;
      Opened inner;
      if (entry.kind == EntryKind::folder && !(inner = root_.open_folder(place))) continue;
      onward = visit_({shown, place, entry.kind, depth});
      if (onward == WalkControl::go_on && inner.fd && depth < options_.depth)
        onward = descend(std::move(inner.fd), shown, real, rules, depth + 1);
      if (onward == WalkControl::stop) break;
    }
    rules.resize(outer_rules);
    return onward;
  }

  void show_ignored() { obey_ = false; }

 private:
  const Root& root_;
  const WalkOptions& options_;
  const std::function<WalkControl(const Walked&)>& visit_;
  bool obey_ = true;
};

}  // namespace

std::string walk_tree(const Root& root, const std::string& path, const Place& start,
                      const WalkOptions& options,
                      const std::function<WalkControl(const Walked&)>& visit) {
  if (!start) return start.refusal;
  Opened folder = root.open_folder(start);
  if (!folder) return folder.refusal;
  const std::string base = root.shown(path) == "." ? "" : root.shown(path);
  auto rules = rules_above(root, base);
  Walk walk(root, options, visit);
  if (!rules) {
    walk.show_ignored();
    rules.emplace();
  }
  walk.descend(std::move(folder.fd), base, start.below == "." ? "" : start.below, *rules, 1);
  return "";
}

}  // namespace skein::tools::workspace
