#include "core/workspace/tree_walk.h"

#include <fcntl.h>

namespace skein::workspace {

namespace {

constexpr std::size_t ignore_file_bytes = 256 * 1024;
using IgnoreFiles = std::vector<IgnoreFile>;

struct Name {
  std::string name;
  EntryKind kind;
};

std::vector<Name> names_in(Fd folder) {
  constexpr std::size_t most = 20'000;
  std::vector<Name> names;
  const int fd = folder.get();
  each_entry(std::move(folder), [&](const std::string& name, int) {
    struct stat info {};
    if (name != ".git" && fstatat(fd, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0)
      names.push_back({name, kind_of(info.st_mode)});
    return names.size() < most;
  });
  std::ranges::sort(names, {}, &Name::name);
  return names;
}

void add_ignore_file(const Root& root, const FilePlace& place, const std::string& folder,
                     IgnoreFiles& files) {
  if (!place) return;
  const OpenedFile file = root.open_file(place);
  const auto text = file ? read_all(file.fd.get(), ignore_file_bytes) : std::nullopt;
  if (text) files.emplace_back(folder, *text);
}

// The rules that hold in `folder`, outermost first; nullopt: it is ignored, and they do not count.
std::optional<IgnoreFiles> rules_above(const Root& root, const std::string& folder) {
  IgnoreFiles files;
  add_ignore_file(root, root.locate(".git/info/exclude"), "", files);
  for (std::size_t end = 0; end < folder.size();) {
    const std::string above = folder.substr(0, end);
    add_ignore_file(root, root.locate(joined(above, ".gitignore")), above, files);
    end = std::min(folder.find('/', end == 0 ? 0 : end + 1), folder.size());
    if (is_ignored(files, folder.substr(0, end), EntryKind::folder)) return std::nullopt;
  }
  return files;
}

struct TreeWalker {
  const Root& root;
  const WalkOptions& options;
  const std::function<WalkControl(const Walked&)>& visit;
  bool obey;  // the files of git that say what to ignore

  // Depth first: one open folder per level. `below` is where `path` leads.
  WalkControl descend(Fd folder, const std::string& path, const std::string& below,
                      IgnoreFiles& rules, int depth) {
    FilePlace place{.folder = Fd(fcntl(folder.get(), F_DUPFD_CLOEXEC, 0)), .name = ".gitignore"};
    const std::size_t outer_rules = rules.size();
    if (obey) add_ignore_file(root, place, path, rules);
    WalkControl onward = WalkControl::go_on;
    for (const Name& entry : names_in(std::move(folder))) {
      const std::string shown = joined(path, entry.name);
      if (is_ignored(rules, shown, entry.kind)) continue;
      const std::string real = joined(below, entry.name);
      if (options.denied && options.denied(real)) continue;
      if (root.withheld() != nullptr && !root.withheld()->by(real, entry.kind).empty()) continue;
      place.name = entry.name;
      OpenedFile inner;
      if (entry.kind == EntryKind::folder && !(inner = root.open_folder(place))) continue;
      onward = visit({shown, place, entry.kind, depth});
      if (onward == WalkControl::go_on && inner.fd && depth < options.depth)
        onward = descend(std::move(inner.fd), shown, real, rules, depth + 1);
      if (onward == WalkControl::stop) break;
    }
    rules.erase(rules.begin() + static_cast<std::ptrdiff_t>(outer_rules), rules.end());
    return onward;
  }
};

}  // namespace

std::string walk_tree(const Root& root, const std::string& path, const FilePlace& start,
                      const WalkOptions& options,
                      const std::function<WalkControl(const Walked&)>& visit) {
  if (!start) return start.refusal;
  OpenedFile folder = root.open_folder(start);
  if (!folder) return folder.refusal;
  const std::string base = root.shown(path) == "." ? "" : root.shown(path);
  auto rules = rules_above(root, base);
  TreeWalker walk{root, options, visit, rules.has_value()};
  if (!rules) rules.emplace();
  walk.descend(std::move(folder.fd), base, start.below == "." ? "" : start.below, *rules, 1);
  return "";
}

}  // namespace skein::workspace
