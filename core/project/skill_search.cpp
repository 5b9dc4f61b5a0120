#include "core/project/skill_search.h"

#include <dirent.h>
#include <fcntl.h>

#include "core/text/base.h"
#include "core/text/io.h"
#include "core/text/text.h"
#include "core/text/wait.h"

namespace skein::project {

namespace {

constexpr int deepest = 4;

class SkillWalk {
 public:
  SkillWalk(const std::vector<OwnFolder>& folders, const Places& places, const SkillLimits& limits)
      : places_(places), limits_(limits) {
    for (const OwnFolder& top : folders) {
      top_ = &top;
      const std::string real = followed(top.path, places_, top.of_project);
      if (!real.empty()) look_in(real, 0);
    }
  }

  SkillPlaces result() {
    // Only a link can lead to one that was found already.
    std::unordered_set<std::string> known;
    if (linked_)
      std::erase_if(found_, [&](const auto& each) { return !known.insert(each.folder).second; });
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

  // Folders and links; no more than the limits could need.
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

SkillPlaces find_skills(const std::vector<OwnFolder>& folders, const Places& places,
                        const SkillLimits& limits) {
  return SkillWalk(folders, places, limits).result();
}

namespace {

constexpr std::size_t most_cached_bytes = 64u << 20;
constexpr char path_separator = '\x1f';
constexpr std::string_view opening = "skein skills 2\n";

// Fields of a line before the remarks: the folder, the stamp (four), the hash, who it is for, name,
// description, hint, bytes, refusal, paths.
constexpr std::ptrdiff_t fields_in_all = 13;

// A field of a line: no tab and no line end in it.
std::string escaped(std::string_view text) {
  if (text.find_first_of("\t\n\\") == std::string_view::npos) return std::string(text);
  std::string out;
  for (const char c : text) {
    if (c == '\t' || c == '\n' || c == '\\') out += '\\';
    out += c == '\t' ? 't' : c == '\n' ? 'n' : c;
  }
  return out;
}

std::string unescaped(std::string_view field) {
  if (field.find('\\') == std::string_view::npos) return std::string(field);
  std::string out;
  for (std::size_t i = 0; i < field.size(); ++i) {
    const bool escape = field[i] == '\\' && i + 1 < field.size();
    const char c = field[escape ? ++i : i];
    out += escape && c == 't' ? '\t' : escape && c == 'n' ? '\n' : c;
  }
  return out;
}

// A stamp as it is in a line.
std::string text_of(const FileStamp& file) {
  std::string out;
  for (const std::int64_t number : {file.modified, file.changed, file.size, file.inode})
    out += std::to_string(number) + '\t';
  return out;
}

// Nothing: the line is damaged.
std::optional<Skill> skill_in(std::string_view line) {
  if (std::ranges::count(line, '\t') < fields_in_all) return std::nullopt;
  for (int i = 0; i < 5; ++i) take_piece(line, '\t');
  const auto next = [&line] { return unescaped(take_piece(line, '\t')); };
  Skill out{.sha256 = next()};
  const std::string_view users = take_piece(line, '\t');
  out.for_model = users.find('m') != std::string_view::npos;
  out.for_user = users.find('u') != std::string_view::npos;
  for (std::string* field : {&out.name, &out.description, &out.hint}) *field = next();
  out.bytes = parse_number<std::size_t>(take_piece(line, '\t')).value_or(0);
  out.refusal = next();
  for (const std::string_view each : split(take_piece(line, '\t'), path_separator))
    out.paths.push_back(unescaped(each));
  while (!line.empty()) out.remarks.push_back(next());
  return out;
}

std::string line_of(const std::string& folder, const FileStamp& file, const Skill& skill) {
  std::string out = folder + "\t" + text_of(file) + skill.sha256 + "\t" +
                    (skill.for_model ? "m" : "") + (skill.for_user ? "u" : "") + "\t";
  for (const std::string* field : {&skill.name, &skill.description, &skill.hint})
    out += escaped(*field) + "\t";
  out += std::to_string(skill.bytes) + "\t" + escaped(skill.refusal) + "\t";
  for (const std::string& each : skill.paths) out += escaped(each) + path_separator;
  out += "\t";
  for (const std::string& remark : skill.remarks) out += escaped(remark) + "\t";
  return out;
}

}  // namespace

void SkillCache::load() {
  if (std::exchange(loaded_, true) || file_.empty()) return;
  text_ = read_small_file(file_, most_cached_bytes);
  if (!text_.starts_with(opening)) return;
  const std::vector<std::string_view> lines =
      split(std::string_view(text_).substr(opening.size()), '\n');
  lines_.reserve(lines.size());
  for (const std::string_view line : lines)
    lines_.insert_or_assign(line.substr(0, line.find('\t')), Line{line});
}

Skill SkillCache::get(const SkillPlace& place) {
  load();
  const std::string folder = escaped(place.folder);
  if (const auto known = lines_.find(folder); known != lines_.end()) {
    known->second.used = true;
    const std::string_view line = known->second.text;
    if (line.substr(std::min(folder.size() + 1, line.size())).starts_with(text_of(place.file)))
      if (std::optional<Skill> found = skill_in(line)) return *std::move(found);
  }
  const std::string name = std::filesystem::path(place.folder).filename().string();
  Skill skill = skill_from(read_markdown(place.folder + "/" + std::string(skill_file)), name);
  // Written a moment ago, it may be written again within the same tick of the clock, and look the
  // same.
  if (now_ms() - place.file.changed / 1'000'000 > 2000) {
    const std::string_view line = fresh_.emplace_back(line_of(folder, place.file, skill));
    lines_.insert_or_assign(line.substr(0, folder.size()), Line{line, true});
    changed_ = true;
  }
  return skill;
}

void SkillCache::save() {
  if (!std::exchange(changed_, false) || file_.empty()) return;
  std::string text(opening);
  for (const auto& [folder, line] : lines_)
    if (line.used) text.append(line.text) += '\n';
  replace_small_file(file_, text);  // it can be made again
}

}  // namespace skein::project
