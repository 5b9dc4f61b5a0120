// skein skills: what skills there are, and whether those one writes are as they should be.
#include <filesystem>

#include "app/home.h"
#include "app/project_files.h"
#include "app/verbs/output.h"
#include "app/verbs/subcommands.h"
#include "core/text/amounts.h"
#include "core/text/json.h"
#include "repl/screen/screen.h"

namespace skein::verbs {

using project::LoadedSkill, project::MarkdownFile, project::Skill;

namespace {

namespace fs = std::filesystem;

// What is wrong with the skill in this folder, one line each; the number of those lines.
std::size_t check_skill(const std::string& folder) {
  const std::string path = folder + "/" + std::string(project::skill_file);
  const MarkdownFile file = project::read_markdown(path);
  const Skill skill = project::skill_from(file, fs::path(folder).filename().string());
  if (!skill.refusal.empty()) {
    print_line(path + ": " + skill.refusal);
    return 1;
  }
  for (const std::string& remark : skill.remarks) print_line(path + ": " + remark);
  for (const std::string& note : project::not_obeyed(file)) print_line(path + ": note: " + note);
  return skill.remarks.size();
}

}  // namespace

// skein skills list
int list_skills(const app::Invocation& invocation) {
  app::ProjectFiles files(app::places_around(app::workspace_folder(invocation)),
                          app::ProjectFiles::Skills::load);
  Json all = Json::array();
  layout::Table table{.columns = {{"skill"}, {"tokens", true}, {"from"}, {"what it is for"}}};
  for (const LoadedSkill& each : files.skills().all()) {
    all.push_back({{"name", each.skill.name},
                   {"description", each.skill.description},
                   {"path", each.file()},
                   {"source", each.of_project ? "project" : "user"},
                   {"model", each.skill.for_model},
                   {"user", each.skill.for_user},
                   {"sha256", each.skill.sha256},
                   {"bytes", each.skill.bytes}});
    table.rows.push_back({each.skill.name,
                          short_count(static_cast<std::int64_t>(each.skill.bytes / 4)),
                          each.of_project ? "project" : "you", each.skill.description});
  }
  for (const std::string& remark : files.skills().remarks()) tell_user(remark);
  if (invocation.has("--json")) {
    print_json(dump(all));
  } else if (table.rows.empty()) {
    print_line("there are no skills");
  } else {
    screen::Screen screen(screen::screen_parts(1, "auto", false));
    screen.show(table);
  }
  return 0;
}

// skein skills check DIR: a skill, or a folder of skills.
int check_skills(const app::Invocation& invocation) {
  const std::string folder = invocation.arguments.front();
  std::error_code failed;
  const std::string real = fs::canonical(folder, failed).string();
  if (failed || !fs::is_directory(real))
    throw Error(folder + " is not a folder", ExitStatus::usage);
  std::vector<std::string> folders;
  if (fs::exists(real + "/" + std::string(project::skill_file))) {
    folders.push_back(real);
  } else {
    const project::Places places{.workspace = real, .levels = {real}};
    for (const project::SkillPlace& place : project::find_skills({{real, true}}, places).found)
      folders.push_back(place.folder);
  }
  if (folders.empty()) throw Error("there is no SKILL.md in " + folder, ExitStatus::usage);
  std::size_t wrong = 0;
  for (const std::string& each : folders) wrong += check_skill(each);
  print_line(counted(folders.size(), "skill") +
             (wrong == 0 ? ", nothing wrong" : ", " + counted(wrong, "fault")));
  return wrong == 0 ? 0 : static_cast<int>(ExitStatus::turn);
}

}  // namespace skein::verbs
