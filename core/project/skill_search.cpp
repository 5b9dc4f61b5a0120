#include "core/project/skill_search.h"

#include <dirent.h>
#include <fcntl.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <unordered_set>
#include <utility>

#include "core/text/base.h"
#include "core/text/fd.h"
#include "core/text/small_file.h"
#include "core/text/text.h"

namespace skein::project {

namespace {

constexpr int deepest = 4;
constexpr std::size_t most_cache_bytes = 64u << 20;
constexpr char path_separator = '\x1f';
constexpr std::string_view cache_opening = "skein skills 2\n";

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
    for (const auto& [name, is_link] : names_in(fd.get())) {
      if (cut_) return;
      consider(fd.get(), folder, name, is_link, depth);
    }
  }

  // Folders and links, sorted; no more than the limits could ever need.
  std::vector<std::pair<std::string, bool>> names_in(int fd) {
    std::vector<std::pair<std::string, bool>> out;
    const std::unique_ptr<DIR, int (*)(DIR*)> folder(fdopendir(dup(fd)), closedir);
    while (folder && out.size() <= limits_.folders) {
      const dirent* entry = readdir(folder.get());
      if (entry == nullptr) break;
      const std::string_view name = entry->d_name;
      if (name.starts_with('.') || name == "node_modules" ||
          name.find('\n') != std::string_view::npos)
        continue;
      if (entry->d_type == DT_DIR || entry->d_type == DT_LNK || entry->d_type == DT_UNKNOWN)
        out.emplace_back(name, entry->d_type != DT_DIR);
    }
    std::ranges::sort(out);
    return out;
  }

  void consider(int fd, const std::string& above, const std::string& name, bool is_link,
                int depth) {
    std::string folder = above + "/" + name;
    if (is_link) {
      struct stat info {};
      if (fstatat(fd, name.c_str(), &info, 0) != 0 || !S_ISDIR(info.st_mode)) return;
      folder = followed(folder, places_, top_->of_project);
      if (folder.empty()) return;
      linked_ = true;
    }
    SkillPlace place{folder, top_->path, top_->of_project};
    const std::string file = name + "/" + std::string(skill_file);
    if (fstatat(fd, file.c_str(), &place.file, AT_SYMLINK_NOFOLLOW) != 0) {
      if (depth + 1 < deepest) look_in(folder, depth + 1);
      return;
    }
    // A SKILL.md that is a link itself could be anything.
    if (!S_ISREG(place.file.st_mode)) return;
    if (++folders_ > limits_.folders || found_.size() >= limits_.skills) {
      cut_ = true;
      return;
    }
    found_.push_back(std::move(place));
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

std::int64_t nanoseconds(const timespec& time) {
  return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

// A field of a line: no tab and no line end in it.
void add_field(std::string& out, std::string_view text) {
  for (const char c : text) {
    if (c == '\t' || c == '\n' || c == '\\') out += '\\';
    out += c == '\t' ? 't' : c == '\n' ? 'n' : c;
  }
  out += '\t';
}

std::string unescaped(std::string_view field) {
  if (field.find('\\') == std::string_view::npos) return std::string(field);
  std::string out;
  for (std::size_t i = 0; i < field.size(); ++i) {
    if (field[i] == '\\' && i + 1 < field.size()) {
      const char next = field[++i];
      out += next == 't' ? '\t' : next == 'n' ? '\n' : next;
    } else {
      out += field[i];
    }
  }
  return out;
}

// The fields of a line, into the room of the line before.
void read_fields(std::string_view line, std::vector<std::string_view>& fields) {
  fields.clear();
  for (std::size_t from = 0; from < line.size();) {
    const std::size_t end = std::min(line.find('\t', from), line.size());
    fields.push_back(line.substr(from, end - from));
    from = end + 1;
  }
}

template <typename Number>
Number number_in(std::string_view text) {
  Number value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

}  // namespace

SkillPlaces find_skills(const std::vector<OwnFolder>& folders, const Places& places,
                        const SkillLimits& limits) {
  SkillWalk walk(places, limits);
  for (const OwnFolder& folder : folders) walk.look(folder);
  return walk.result();
}

SkillCache::SkillCache(std::string file) : file_(std::move(file)) {}

void SkillCache::load() {
  if (std::exchange(loaded_, true) || file_.empty()) return;
  const std::string text = read_small_file(file_, most_cache_bytes);
  if (!text.starts_with(cache_opening)) return;
  std::vector<std::string_view> fields;
  for (const std::string_view line :
       split(std::string_view(text).substr(cache_opening.size()), '\n')) {
    read_fields(line, fields);
    constexpr std::size_t before_remarks = 13;
    if (fields.size() < before_remarks) continue;
    Known known{number_in<std::int64_t>(fields[1]), number_in<std::int64_t>(fields[2]),
                number_in<std::int64_t>(fields[3]), number_in<std::uint64_t>(fields[4])};
    known.skill = {.name = unescaped(fields[7]),
                   .description = unescaped(fields[8]),
                   .hint = unescaped(fields[9]),
                   .for_model = fields[6].find('m') != std::string_view::npos,
                   .for_user = fields[6].find('u') != std::string_view::npos,
                   .sha256 = std::string(fields[5]),
                   .bytes = number_in<std::size_t>(fields[10]),
                   .refusal = unescaped(fields[11])};
    for (const std::string_view each : split(fields[12], path_separator))
      known.skill.paths.push_back(unescaped(each));
    for (std::size_t i = before_remarks; i < fields.size(); ++i)
      known.skill.remarks.push_back(unescaped(fields[i]));
    known_.insert_or_assign(unescaped(fields[0]), std::move(known));
  }
}

const Skill& SkillCache::get(const SkillPlace& place) {
  load();
  Known fresh{nanoseconds(place.file.st_mtim), nanoseconds(place.file.st_ctim), place.file.st_size,
              place.file.st_ino};
  Known& known = known_[place.folder];
  known.used = true;
  if (known.modified_ns == fresh.modified_ns && known.changed_ns == fresh.changed_ns &&
      known.size == fresh.size && known.inode == fresh.inode && known.inode != 0)
    return known.skill;
  const std::string name = std::filesystem::path(place.folder).filename().string();
  fresh.skill = skill_from(read_markdown(place.folder + "/" + std::string(skill_file)), name);
  fresh.used = true;
  // Written a moment ago, it may be written again within the same tick of the clock, and look the
  // same.
  fresh.lasting = now_ms() - fresh.changed_ns / 1'000'000 > 2000;
  changed_ = changed_ || fresh.lasting;
  known = std::move(fresh);
  return known.skill;
}

void SkillCache::save() {
  if (!changed_ || file_.empty()) return;
  changed_ = false;
  std::string text(cache_opening);
  for (const auto& [folder, known] : known_) {
    if (!known.used || !known.lasting) continue;
    const Skill& skill = known.skill;
    add_field(text, folder);
    for (const std::int64_t number : {known.modified_ns, known.changed_ns, known.size})
      text += std::to_string(number) + "\t";
    text += std::to_string(known.inode) + "\t";
    add_field(text, skill.sha256);
    add_field(text, std::string(skill.for_model ? "m" : "") + (skill.for_user ? "u" : ""));
    for (const std::string* field : {&skill.name, &skill.description, &skill.hint})
      add_field(text, *field);
    text += std::to_string(skill.bytes) + "\t";
    add_field(text, skill.refusal);
    std::string paths;
    for (const std::string& each : skill.paths) paths += each + path_separator;
    add_field(text, paths);
    for (const std::string& remark : skill.remarks) add_field(text, remark);
    text += '\n';
  }
  replace_small_file(file_, text);  // it can be made again
}

}  // namespace skein::project
