// What the model is told before anything is said, and when that is made.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "app/application.h"
#include "core/project/skill_texts.h"
#include "core/tools/tools.h"

namespace skein::app {

namespace {

// A few lines at most: /skills shows all of them.
std::string first_lines(const std::vector<std::string>& remarks) {
  constexpr std::size_t most = 3;
  std::string out;
  for (std::size_t i = 0; i < std::min(most, remarks.size()); ++i)
    out += (i == 0 ? "" : "\n") + remarks[i];
  if (remarks.size() > most) out += "\nthere is more of this kind: /skills";
  return out;
}

}  // namespace

bool Application::skills_wait() const { return !took_skills_ && project_.skills().are_read(); }

bool Application::take_skills() {
  if (std::exchange(took_skills_, true)) return false;
  const std::vector<project::LoadedSkill>& skills = project_.skills().all();
  if (std::ranges::none_of(skills,
                           [](const project::LoadedSkill& each) { return each.skill.for_model; }))
    own_tools_ -= std::erase_if(tools_, [name = tools::skill_tool({}).name](
                                            const model::Tool& tool) { return tool.name == name; });
  make_system_prompt();
  news_.tell(first_lines(project_.skills().remarks()));
  return true;
}

void Application::make_system_prompt() {
  system_ = system_prompt(config_, workspace_, instructions_.documents(), memory_);
  if (!role_ || subagents::has_tool(*role_, tools::skill_tool({}))) add_skills_to(system_);
  if (role_) read_skills_of_role(system_);
  add_agents_to(system_);
}

void Application::read_changed() {
  const bool other_notes = memory_.refresh();
  const bool other_skills = project_.skills().changed();
  if (other_skills) project_.skills().load();
  const bool other_agents = crew_ && look_for_agents();
  if (instructions_.refresh() || other_notes || other_skills || other_agents) make_system_prompt();
}

void Application::look_around(agent::Settings& settings) {
  read_changed();
  settings.system = system_.text;
  settings.surroundings = system_.surroundings;
  add_server_texts(settings);
}

// In at most two percent of the window, by the model that is asked first; a list that was once sent
// stays as it is.
void Application::add_skills_to(SystemPrompt& system) {
  constexpr std::int64_t most_tokens = 8000, bytes_per_token = 4;
  const std::vector<project::LoadedSkill>& skills = project_.skills().all();
  if (skills.empty()) return;
  const std::int64_t window = first_window();
  const std::int64_t tokens = window > 0 ? std::min(most_tokens, window / 50) : most_tokens;
  system.skills = project::skill_list(skills, static_cast<std::size_t>(tokens * bytes_per_token));
  if (system.skills.empty()) return;
  system.text += "\n\n" + system.skills;
  system.surroundings.push_back({"the list of skills", system.skills, true});
}

}  // namespace skein::app
