// skein skills and trust: the skills that a model gets here, and what of the project is trusted.
#include <unistd.h>

#include "app/setup/load_config.h"
#include "app/setup/project_files.h"
#include "app/setup/project_review.h"
#include "app/trust/trust.h"
#include "app/verbs/output.h"
#include "app/verbs/subcommands.h"
#include "core/text/json.h"
#include "core/text/text.h"
#include "repl/screen/screen.h"

namespace skein::verbs {

using project::Skill;
using project::TrustRecord, project::LoadedSkill, project::MarkdownFile;

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

int remove_trust(const std::string& workspace, app::ProjectFiles& files) {
  app::set_trust(workspace, "", app::Trust::unknown);
  TrustRecord& record = files.trust();
  const bool had = !record.is_empty();
  record.clear();
  if (had) record.save();
  print_line("no longer trusted: " + workspace);
  return 0;
}

// What was trusted anywhere, changed since or not.
int list_trust(const Invocation& invocation) {
  ListPrinter all(invocation);
  const auto add = [&](const std::string& what, const std::string& path) {
    all.add(dump({{"what", what}, {"path", path}}), pad(what, 14) + path);
  };
  for (const std::string& workspace : app::trusted_workspaces())
    add("configuration", workspace + "/.skein/config.toml");
  for (const std::string& root : TrustRecord::roots(app::trust_folder()))
    for (const std::string& path : TrustRecord(app::trust_folder(), root).paths())
      add("file", path);
  all.end("nothing is trusted");
  return 0;
}

bool trusted_by_user(const app::ProjectReview& review) {
  if (isatty(STDIN_FILENO) == 0 || isatty(STDERR_FILENO) == 0)
    throw UsageError("there is no terminal to ask; `skein trust --yes` trusts everything listed");
  for (;;) {
    const std::string answer = asked(app::ProjectReview::question);
    if (!answer.starts_with('v')) return answer.starts_with('y');
    print_line(review.contents());
  }
}

}  // namespace

void list_skills(const Invocation& invocation) {
  app::ProjectFiles files(app::places_around(app::workspace_folder(invocation)),
                          app::ProjectFiles::Skills::load);
  Json all = Json::array();
  layout::Table table{.columns = {{"skill"}, {"tokens", true}, {"from"}, {"description"}}};
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
  const std::string untrusted = app::untrusted_line(files.project().untrusted());
  if (!untrusted.empty()) tell_user(untrusted);
  if (invocation.has("--json")) {
    print_json(dump(all));
  } else if (table.rows.empty()) {
    print_line("there are no skills");
  } else {
    screen::Screen screen(screen_parts(invocation));
    screen.show(table);
  }
}

// Of a skill, or of a folder of skills.
int check_skills(const Invocation& invocation) {
  const std::string folder = invocation.arguments.front();
  std::error_code failed;
  const std::string real = fs::canonical(folder, failed).string();
  if (failed || !fs::is_directory(real)) throw UsageError(folder + " is not a folder");
  std::vector<std::string> folders;
  if (fs::exists(real + "/" + std::string(project::skill_file))) {
    folders.push_back(real);
  } else {
    const project::Places places{.workspace = real, .levels = {real}};
    for (const project::SkillPlace& place : project::find_skills({{real, true}}, places).found)
      folders.push_back(place.folder);
  }
  if (folders.empty()) throw UsageError("there is no SKILL.md in " + folder);
  std::size_t wrong = 0;
  for (const std::string& each : folders) wrong += check_skill(each);
  print_line(counted(folders.size(), "skill") +
             (wrong == 0 ? ", no mistakes" : ", " + counted(wrong, "mistake")));
  return wrong == 0 ? 0 : failed_status;
}

int trust(const Invocation& invocation) {
  if (invocation.has("--list")) return list_trust(invocation);
  const project::Places places = app::places_around(app::workspace_folder(invocation));
  if (invocation.has("--remove")) {
    app::ProjectFiles files(places);
    return remove_trust(places.workspace, files);
  }
  app::ProjectReview review(invocation, places, app::ProjectReview::Reach::everything);
  if (review.empty())
    throw UsageError(places.workspace +
                     " has nothing to trust: no .skein/config.toml, skills, commands, agents, "
                     "hooks, permissions or .mcp.json");
  if (const auto& file = review.configuration()) app::check_before_trust(invocation, *file);
  for (const app::ProjectReview::Line& each : review.summary()) print_line(each.text);
  if (invocation.has("--dry-run")) return 0;
  if (!invocation.has("--yes") && !trusted_by_user(review)) {
    tell_user("nothing was trusted");
    return 1;
  }
  review.decide(app::Trust::given);
  print_line("trusted in their current form: " + counted(review.count(), "file"));
  return 0;
}

}  // namespace skein::verbs
