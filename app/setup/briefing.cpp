#include "app/setup/briefing.h"

#include "core/project/project_root.h"
#include "core/text/text.h"

namespace skein::app {

namespace {

constexpr const char* own_words =
    "You are an engineer at work in a developer's terminal, through skein. You have tools to read, "
    "search, change and run things in the workspace; use them instead of guessing, and look before "
    "you change anything. Keep changes small and in the style of what is there. Run what proves "
    "that "
    "a change works when there is something to run. Commands run without a terminal and without "
    "input. Answer briefly, in Markdown; name files by their path. If something was refused, do "
    "not "
    "try to get around it: say what you would need and why.";

// Skein's own words are not among the surroundings: a new version has no news for an old session.
SystemPrompt system_prompt(const config::Config& config, const std::string& workspace,
                           const std::vector<instructions::Document>& documents,
                           const memory::Memory& memory) {
  SystemPrompt out{.text = config.system_prompt.empty() ? own_words : config.system_prompt};
  if (!config.system_prompt.empty())
    out.surroundings.push_back({"the user's system prompt", config.system_prompt, true});
  out.text += "\n\nThe workspace is " + workspace + ".";
  out.surroundings.push_back({"the workspace", workspace});
  out.text += instructions::prompt_text(documents);
  for (const instructions::Document& each : documents)
    out.surroundings.push_back({each.name, each.text, true});
  for (const memory::Scope scope : {memory::Scope::everywhere, memory::Scope::project}) {
    const std::string& notes = memory.told(scope);
    if (notes.empty()) continue;
    const std::string name = scope == memory::Scope::everywhere
                                 ? "what the user wants remembered everywhere"
                                 : "what is to be remembered about this project";
    out.text += "\n\n# W" + name.substr(1) + "\n\n" + notes;
    out.surroundings.push_back({name, notes, true});
  }
  if (!config.append_system_prompt.empty()) {
    out.text += "\n\n" + config.append_system_prompt;
    out.surroundings.push_back(
        {"the user's addition to the system prompt", config.append_system_prompt, true});
  }
  return out;
}

// Where instructions for work in this folder are looked for.
instructions::Places instruction_places(const project::Places& project) {
  instructions::Places places;
  places.home = project.home;
  if (!project.config.empty()) places.own.push_back(project.config + "/AGENTS.md");
  if (!places.home.empty()) {
    places.own.push_back(places.home + "/.config/AGENTS.md");
    places.own.push_back(places.home + "/.claude/CLAUDE.md");
  }
  places.folders = project.levels;
  return places;
}

}  // namespace

std::string read_line(const std::vector<instructions::Document>& documents) {
  std::vector<std::string> names;
  std::int64_t tokens = 0;
  for (const instructions::Document& each : documents) {
    tokens += model::tokens_of(each.text);
    names.push_back(each.shown);
  }
  if (names.empty()) return {};
  return "instructions: " + listed(names, 5) + " (" + short_count(tokens) +
         " tokens; /instructions shows why)\n";
}

Briefing::Briefing(Parts parts)
    : parts_(std::move(parts)),
      instructions_(instruction_places(parts_.project.places()),
                    parts_.config.instructions ? instructions::usual_bytes : 0,
                    [this](const std::string& file) { return parts_.withheld->keeps(file); }),
      memory_(parts_.memory_folder, project::project_id(parts_.project.places().root())) {}

bool Briefing::remembers() const { return !memory_.file(memory::Scope::project).path().empty(); }

void Briefing::remember(const std::string& text, memory::Scope scope, Id session,
                        std::optional<Id> entry) const {
  memory_.file(scope).add({.text = parts_.models.clean(text),
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
  if (const std::string list = parts_.agents.list(parts_.models.first_window()); !list.empty()) {
    system_.text += "\n\n" + list;
    system_.surroundings.push_back({"the list of agents", list, true});
  }
}

void Briefing::read_changed() {
  ProjectSkills& skills = parts_.project.skills();
  const bool other_notes = memory_.refresh();
  const bool other_skills = skills.changed();
  if (other_skills) skills.load();
  const bool other_agents = parts_.agents.look();
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
  const std::int64_t window = parts_.models.first_window();
  const std::int64_t tokens = window > 0 ? std::min(most_tokens, window / 50) : most_tokens;
  const std::string list =
      project::skill_list(skills, static_cast<std::size_t>(tokens * bytes_per_token));
  if (list.empty()) return;
  system_.text += "\n\n" + list;
  system_.surroundings.push_back({"the list of skills", list, true});
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

}  // namespace skein::app
