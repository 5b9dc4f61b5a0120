#include "core/project/skill_texts.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "core/project/catalogue.h"
#include "core/project/command_text.h"
#include "core/text/base.h"
#include "core/text/text.h"

namespace skein::project {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view catalogue_opening =
    "# Skills\n"
    "These hold instructions for certain kinds of work. When one fits the task, call the tool "
    "`skill` with its name before you go on.\n";
constexpr std::size_t most_looked_at = 1000;
constexpr int deepest_file = 3;

void look_for_files(const fs::path& folder, const std::string& prefix, int depth,
                    std::size_t& looked_at, std::vector<std::string>& out) {
  std::error_code failed;
  for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
    if (++looked_at > most_looked_at) return;
    const std::string name = at->path().filename().string();
    if (name.starts_with('.') || (prefix.empty() && name == skill_file)) continue;
    std::error_code ignored;
    const fs::file_type type = at->symlink_status(ignored).type();
    if (type == fs::file_type::regular) out.push_back(prefix + name);
    if (type == fs::file_type::directory && depth < deepest_file)
      look_for_files(at->path(), prefix + name + "/", depth + 1, looked_at, out);
  }
}

}  // namespace

std::string skill_list(std::span<const LoadedSkill> skills, std::size_t most_bytes) {
  std::vector<Offered> shown;
  for (const LoadedSkill& each : skills)
    if (each.skill.for_model && each.skill.paths.empty())
      shown.push_back({each.skill.name, each.skill.description});
  return catalogue(catalogue_opening, std::move(shown), most_bytes);
}

std::string skill_offer(const LoadedSkill& skill) {
  return "There is a skill for files like this one. Call the tool `skill` with its name before you "
         "go on, if it fits the task.\n- " +
         skill.skill.name + ": " + skill.skill.description + "\n";
}

SkillFiles files_of(const std::string& folder, std::size_t most) {
  SkillFiles out;
  std::size_t looked_at = 0;
  look_for_files(folder, "", 0, looked_at, out.names);
  std::ranges::sort(out.names);
  if (out.names.size() > most) {
    out.more = out.names.size() - most;
    out.names.resize(most);
  }
  return out;
}

std::string skill_text(const LoadedSkill& skill, const MarkdownFile& file,
                       const std::string& project_folder) {
  std::string out = "<skill name=\"" + skill.skill.name + "\" folder=\"" + skill.folder + "\">\n";
  const CommandValues values{.names = file.front.list("arguments", ", "),
                             .skill_folder = skill.folder,
                             .project_folder = project_folder};
  for (const CommandPiece& piece : fill_in(valid_utf8(file.body()), values))
    out +=
        piece.is_shell ? "`" + piece.text + "` (run it, if you need what it prints)" : piece.text;
  if (!out.ends_with('\n')) out += '\n';
  const SkillFiles files = files_of(skill.folder);
  if (!files.names.empty())
    out += "Files: " + listed(files.names) +
           (files.more > 0 ? " (" + std::to_string(files.more) + " more)" : "") + "\n";
  return out + "</skill>";
}

}  // namespace skein::project
