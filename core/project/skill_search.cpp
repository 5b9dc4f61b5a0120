#include "core/project/skill_search.h"

#include <dirent.h>
#include <fcntl.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <thread>
#include <unordered_set>
#include <utility>

#include "core/text/fd.h"
#include "core/text/quiet_thread.h"

namespace skein::project {

namespace {

constexpr int deepest = 4;

std::int64_t nanoseconds(const timespec& time) {
  return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

class SkillWalk {
 public:
  SkillWalk(const Places& places, const SkillLimits& limits) : places_(places), limits_(limits) {}

  void look(const OwnFolder& top) {
    top_ = &top;
    std::string real = followed(top.path, places_, top.of_project);
    if (!real.empty()) look_in(real, 0);
  }

  SkillPlaces result() {
    // Only a link can lead to one that was found already.
    std::unordered_set<std::string> known;
    if (linked_)
      std::erase_if(found_,
                    [&](const SkillPlace& each) { return !known.insert(each.folder).second; });
    return {std::move(found_), cut_};
  }

 private:
  void look_in(const std::string& folder, int depth) {
    if (folders_++ >= limits_.folders) {
      cut_ = true;
      return;
    }
    const Fd fd(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    struct stat info {};
    // The same folder by another name, or a link that leads in a circle.
    if (!fd || fstat(fd.get(), &info) != 0 || !seen_.emplace(info.st_dev, info.st_ino).second)
      return;
    const std::vector<Name> names = names_in(fd.get());
    std::vector<const Name*> sorted;  // thousands are moved much more slowly than pointers
    for (const Name& name : names) sorted.push_back(&name);
    std::ranges::sort(sorted, {}, [](const Name* name) -> std::string_view { return name->text; });
    const std::vector<Look> looks = look_at(fd.get(), sorted);
    for (std::size_t i = 0; i < sorted.size() && !cut_; ++i)
      consider(fd.get(), folder, *sorted[i], looks[i], depth);
  }

  struct Name {
    std::string text;
    bool is_link;
  };

  // The SKILL.md in a folder.
  struct Look {
    bool exists = false;
    std::optional<FileStamp> file{};  // if it is one
  };

  static Look look_into(int fd, const std::string& folder) {
    const std::string path = folder + "/" + std::string(skill_file);
    struct stat info {};
    Look out{.exists = fstatat(fd, path.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0};
    if (out.exists && S_ISREG(info.st_mode)) out.file.emplace(info);
    return out;
  }

  // Except behind links. Nearly all of the time is the kernel's, and two threads take half of it.
  static std::vector<Look> look_at(int fd, const std::vector<const Name*>& names) {
    constexpr std::size_t worth_a_thread = 500;
    std::vector<Look> out(names.size());
    const auto look = [&](std::size_t from, std::size_t to) {
      for (std::size_t i = from; i < to; ++i)
        if (!names[i]->is_link) out[i] = look_into(fd, names[i]->text);
    };
    const std::size_t middle = names.size() < worth_a_thread ? names.size() : names.size() / 2;
    std::thread other;
    if (middle < names.size()) other = quiet_thread([&] { look(middle, names.size()); });
    look(0, middle);
    if (other.joinable()) other.join();
    return out;
  }

  // Folders and links; no more than the limits could ever need.
  std::vector<Name> names_in(int fd) const {
    std::vector<Name> out;
    const std::unique_ptr<DIR, int (*)(DIR*)> folder(fdopendir(dup(fd)), closedir);
    while (folder && out.size() <= limits_.folders) {
      const dirent* entry = readdir(folder.get());
      if (entry == nullptr) break;
      const std::string_view name = entry->d_name;
      if (name.starts_with('.') || name == "node_modules" ||
          name.find('\n') != std::string_view::npos)
        continue;
      if (entry->d_type == DT_DIR || entry->d_type == DT_LNK || entry->d_type == DT_UNKNOWN)
        out.push_back({std::string(name), entry->d_type != DT_DIR});
    }
    return out;
  }

  void consider(int fd, const std::string& above, const Name& name, Look look, int depth) {
    std::string folder = above + "/" + name.text;
    if (name.is_link) {
      struct stat info {};
      if (fstatat(fd, name.text.c_str(), &info, 0) != 0 || !S_ISDIR(info.st_mode)) return;
      folder = followed(folder, places_, top_->of_project);
      if (folder.empty()) return;
      linked_ = true;
      look = look_into(fd, name.text);
    }
    if (!look.exists) {
      if (depth + 1 < deepest) look_in(folder, depth + 1);
      return;
    }
    if (!look.file) return;  // one that is a link itself could be anything
    if (++folders_ > limits_.folders || found_.size() >= limits_.skills) {
      cut_ = true;
      return;
    }
    found_.push_back({std::move(folder), top_->path, top_->of_project, *look.file});
  }

  const Places& places_;
  const SkillLimits& limits_;
  const OwnFolder* top_ = nullptr;
  std::size_t folders_ = 0;
  std::set<std::pair<dev_t, ino_t>> seen_{};
  std::vector<SkillPlace> found_{};
  bool linked_ = false;
  bool cut_ = false;
};

}  // namespace

FileStamp::FileStamp(const struct stat& file)
    : modified(nanoseconds(file.st_mtim)),
      changed(nanoseconds(file.st_ctim)),
      size(static_cast<std::int64_t>(file.st_size)),
      inode(static_cast<std::int64_t>(file.st_ino)) {}

SkillPlaces find_skills(const std::vector<OwnFolder>& folders, const Places& places,
                        const SkillLimits& limits) {
  SkillWalk walk(places, limits);
  for (const OwnFolder& folder : folders) walk.look(folder);
  return walk.result();
}

}  // namespace skein::project
