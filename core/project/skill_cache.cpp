#include "core/project/skill_cache.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <utility>
#include <vector>

#include "core/text/base.h"
#include "core/text/small_file.h"
#include "core/text/text.h"

namespace skein::project {

namespace {

constexpr std::size_t most_cached_bytes = 64u << 20;
constexpr char path_separator = '\x1f';
constexpr std::string_view opening = "skein skills 2\n";

// What the fields of a line are; remarks follow.
enum Column : std::size_t {
  folder_field,
  file_state,  // four of them
  sha256_field = 5,
  users,
  name_field,
  description_field,
  hint_field,
  bytes_field,
  refusal_field,
  paths_field,
  remarks_from
};

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
    if (field[i] == '\\' && i + 1 < field.size()) {
      const char next = field[++i];
      out += next == 't' ? '\t' : next == 'n' ? '\n' : next;
    } else {
      out += field[i];
    }
  }
  return out;
}

// A stamp as it stands in a line.
class FileState {
 public:
  explicit FileState(const FileStamp& file) {
    for (const std::int64_t number : {file.modified, file.changed, file.size, file.inode}) {
      end_ = std::to_chars(end_, text_.data() + text_.size(), number).ptr;
      *end_++ = '\t';
    }
  }
  FileState(const FileState&) = delete;
  FileState& operator=(const FileState&) = delete;
  std::string_view text() const { return {text_.data(), end_}; }

 private:
  std::array<char, 4 * 22> text_;
  char* end_ = text_.data();
};

std::string_view take_field(std::string_view& line) {
  const std::size_t end = std::min(line.find('\t'), line.size());
  const std::string_view field = line.substr(0, end);
  line.remove_prefix(std::min(end + 1, line.size()));
  return field;
}

// Nothing: the line is damaged.
std::optional<Skill> skill_in(std::string_view line) {
  std::array<std::string_view, remarks_from> fields;
  for (std::string_view& field : fields) {
    if (line.empty()) return std::nullopt;
    field = take_field(line);
  }
  Skill out{.name = unescaped(fields[name_field]),
            .description = unescaped(fields[description_field]),
            .hint = unescaped(fields[hint_field]),
            .for_model = fields[users].find('m') != std::string_view::npos,
            .for_user = fields[users].find('u') != std::string_view::npos,
            .sha256 = std::string(fields[sha256_field]),
            .refusal = unescaped(fields[refusal_field])};
  const std::string_view bytes = fields[bytes_field];
  std::from_chars(bytes.data(), bytes.data() + bytes.size(), out.bytes);
  for (const std::string_view each : split(fields[paths_field], path_separator))
    out.paths.push_back(unescaped(each));
  while (!line.empty()) out.remarks.push_back(unescaped(take_field(line)));
  return out;
}

std::string line_of(const std::string& folder, const FileStamp& file, const Skill& skill) {
  std::string out = folder + "\t" + std::string(FileState(file).text()) + skill.sha256 + "\t" +
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

SkillCache::SkillCache(std::string file) : file_(std::move(file)) {}

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

std::optional<Skill> SkillCache::known(const SkillPlace& place, const std::string& folder) {
  std::string_view line;
  if (const auto fresh = fresh_.find(folder); fresh != fresh_.end()) {
    line = fresh->second;
  } else if (const auto kept = lines_.find(folder); kept != lines_.end()) {
    kept->second.used = true;
    line = kept->second.text;
  }
  if (line.size() <= folder.size() ||
      !line.substr(folder.size() + 1).starts_with(FileState(place.file).text()))
    return std::nullopt;
  return skill_in(line);
}

Skill SkillCache::get(const SkillPlace& place) {
  load();
  const std::string folder = escaped(place.folder);
  if (std::optional<Skill> found = known(place, folder)) return *std::move(found);
  const std::string name = std::filesystem::path(place.folder).filename().string();
  Skill skill = skill_from(read_markdown(place.folder + "/" + std::string(skill_file)), name);
  fresh_.erase(folder);
  // Written a moment ago, it may be written again within the same tick of the clock, and look the
  // same.
  if (now_ms() - place.file.changed / 1'000'000 > 2000) {
    fresh_.emplace(folder, line_of(folder, place.file, skill));
    changed_ = true;
  }
  return skill;
}

void SkillCache::save() {
  if (!std::exchange(changed_, false) || file_.empty()) return;
  std::string text(opening);
  for (const auto& [folder, line] : lines_)
    if (line.used && !fresh_.contains(std::string(folder))) text.append(line.text) += '\n';
  for (const auto& [folder, line] : fresh_) text += line + '\n';
  replace_small_file(file_, text);  // it can be made again
}

}  // namespace skein::project
