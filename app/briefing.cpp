#include "app/briefing.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "core/model/tokens.h"
#include "core/project/project_id.h"
#include "core/project/skill_texts.h"
#include "core/text/text.h"
#include "core/tools/tools.h"

namespace skein::app {

Briefing::Briefing(Parts parts)
    : parts_(std::move(parts)),
      instructions_(instruction_places(parts_.project.places()), parts_.config.max_instructions,
                    [this](const std::string& file) { return parts_.withheld->keeps(file); }),
      memory_(parts_.memory_folder, project::project_id(parts_.project.places().root())) {}

bool Briefing::remembers() const { return !memory_.file(memory::Scope::project).path().empty(); }

void Briefing::remember(const std::string& text, memory::Scope scope, Id session,
                        std::optional<Id> entry) const {
  memory_.file(scope).add({.text = parts_.clean(text),
                           .session = to_string(session),
                           .entry = entry ? to_string(*entry) : "",
                           .date = now_utc().substr(0, 10)});
}

void Briefing::make() {
  system_ = system_prompt(parts_.config, parts_.project.places().workspace,
                          instructions_.documents(), memory_);
  const auto& role = parts_.role;
  if (!role || subagents::has_tool(*role, tools::skill_tool({}))) add_skills();
  if (role) add_skills_of_role();
  parts_.agents.add_to(system_, parts_.window());
}

void Briefing::read_changed() {
  ProjectSkills& skills = parts_.project.skills();
  const bool other_notes = memory_.refresh();
  const bool other_skills = skills.changed();
  if (other_skills) skills.load();
  const bool other_agents = parts_.agents.crew() != nullptr && parts_.agents.look();
  if (instructions_.refresh() || other_notes || other_skills || other_agents) make();
}

std::vector<agent::Surrounding> Briefing::nearby(const std::string& below) {
  std::vector<agent::Surrounding> out;
  for (instructions::Document& each : instructions_.nearby(below))
    out.push_back({std::move(each.name), std::move(each.text), true});
  for (const project::LoadedSkill* each : parts_.project.skills().about(below))
    out.push_back({each->file(), project::skill_offer(*each), true});
  return out;
}

// In at most two percent of the window, by the model that is asked first; a list that was once sent
// stays as it is.
void Briefing::add_skills() {
  constexpr std::int64_t most_tokens = 8000, bytes_per_token = 4;
  const std::vector<project::LoadedSkill>& skills = parts_.project.skills().all();
  if (skills.empty()) return;
  const std::int64_t window = parts_.window();
  const std::int64_t tokens = window > 0 ? std::min(most_tokens, window / 50) : most_tokens;
  system_.skills = project::skill_list(skills, static_cast<std::size_t>(tokens * bytes_per_token));
  if (system_.skills.empty()) return;
  system_.text += "\n\n" + system_.skills;
  system_.surroundings.push_back({"the list of skills", system_.skills, true});
}

// Read before it begins.
void Briefing::add_skills_of_role() {
  for (const std::string& name : parts_.role->skills) {
    const model::ToolOutcome read = parts_.project.skills().read(name, {});
    if (read.is_error) continue;
    for (const model::ResultBlock& block : read.content)
      if (const auto* text = std::get_if<model::Text>(&block)) system_.text += "\n\n" + text->text;
  }
}

void Briefing::offer(session::Services& services) {
  services.instructions = [this] {
    read_changed();
    std::vector<session::InstructionLine> lines;
    const auto add = [&](const instructions::Document& each) {
      lines.push_back({each.file, each.shown, each.why, model::tokens_of(each.text)});
    };
    for (const instructions::Document& each : instructions_.documents()) add(each);
    for (const instructions::Document& each : instructions_.path_rules()) add(each);
    return lines;
  };
  services.remember = [this](const std::string& text, bool everywhere, Id session,
                             std::optional<Id> entry) {
    remember(text, everywhere ? memory::Scope::everywhere : memory::Scope::project, session, entry);
  };
  services.memory = [this] {
    std::vector<session::MemoryLine> lines;
    for (const auto& [scope, note] : memory_.notes())
      lines.push_back(
          {note.text, note.session, note.entry, note.date, scope == memory::Scope::everywhere});
    return lines;
  };
  services.memory_file = [this](bool everywhere) {
    return memory_.file(everywhere ? memory::Scope::everywhere : memory::Scope::project).path();
  };
  services.skills = [this] { return parts_.project.skills().all(); };
  services.skill_remarks = [this] { return parts_.project.skills().remarks(); };
}

}  // namespace skein::app
