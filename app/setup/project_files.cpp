#include "app/setup/project_files.h"

#include "app/invocation/paths.h"
#include "core/text/checksum.h"
#include "core/text/text.h"

namespace skein::app {

using project::CommandFile, project::MarkdownFile, project::OwnCommand, project::RenderedCommand;
using project::LoadedSkill, project::OwnFolder, project::Skill, project::SkillPlace, project::Trust;
using subagents::Definition, project::SkillPlaces;

namespace {

// How far one looks into a project of which nothing is trusted: enough to say that there is
// something.
constexpr project::SkillLimits first_look{.folders = 200, .skills = 50};

// When something was put into a folder or taken out of it; 0: it is not there.
std::int64_t changed_at(const std::string& folder) {
  struct stat info {};
  if (stat(folder.c_str(), &info) != 0) return 0;
  return static_cast<std::int64_t>(info.st_ctim.tv_sec) * 1'000'000'000 + info.st_ctim.tv_nsec;
}

std::string file_in(const SkillPlace& place) {
  return place.folder + "/" + std::string(project::skill_file);
}

constexpr std::size_t most_question_bytes = 8u << 10;

}  // namespace

ProjectSkills::ProjectSkills(ProjectTrust& project)
    : project_(project), cache_(below(cache_folder(), "skills")) {}

ProjectSkills::~ProjectSkills() {
  if (thread_.joinable()) thread_.join();
}

bool ProjectSkills::changed() const {
  std::map<std::string, std::int64_t> now;
  for (const OwnFolder& folder : project::skill_folders(places_))
    now[folder.path] = changed_at(folder.path);
  return now != looked_at_;
}

void ProjectSkills::load() {
  settle();
  skills_.clear();
  remarks_.clear();
  looked_at_.clear();
  own_folders_.clear();
  std::vector<OwnFolder> of_project;
  for (OwnFolder& folder : project::skill_folders(places_)) {
    looked_at_[folder.path] = changed_at(folder.path);
    (folder.of_project ? of_project : own_folders_).push_back(std::move(folder));
  }
  if (!of_project.empty()) add_those_of_project(of_project);
  is_settled_ = false;
  if (own_folders_.empty()) return;
  are_read_ = false;
  thread_ = quiet_thread([this] {
    try {
      read_own();
    } catch (const std::exception& error) {
      own_trouble_ = error.what();
    }
    are_read_ = true;
  });
}

void ProjectSkills::read_own() {
  SkillPlaces places = project::find_skills(own_folders_, places_);
  own_.reserve(places.found.size());
  for (SkillPlace& place : places.found) {
    project::Skill skill = cache_.get(place);
    own_.push_back({std::move(place), std::move(skill)});
  }
  own_cut_ = places.cut;
  cache_.save();
}

void ProjectSkills::settle() {
  if (std::exchange(is_settled_, true)) return;
  if (thread_.joinable()) thread_.join();
  if (!own_trouble_.empty())
    remarks_.push_back("your own skills could not be read: " + std::exchange(own_trouble_, ""));
  skills_.reserve(skills_.size() + own_.size());
  for (Read& each : std::exchange(own_, {})) add(std::move(each));
  if (std::exchange(own_cut_, false))
    remarks_.push_back("more than 5,000 skill folders: the rest is ignored");
  sort();
  let_tools_read();
}

void ProjectSkills::let_tools_read() {
  std::unordered_set<std::string> folders;
  std::set<std::string> tops;
  folders.reserve(skills_.size());
  for (const LoadedSkill& each : skills_) folders.insert(each.folder);
  for (const OwnFolder& folder : own_folders_)
    if (std::string real = project::followed(folder.path, places_, false); !real.empty())
      tops.insert(std::move(real));
  readable_->set(std::move(folders), std::move(tops));
}

// What is not trusted is not read.
void ProjectSkills::add_those_of_project(const std::vector<OwnFolder>& folders) {
  project::TrustRecord& trust = project_.record();
  const bool nothing = trust.is_empty();
  const SkillPlaces places = nothing ? project::find_skills(folders, places_, first_look)
                                     : project::find_skills(folders, places_);
  std::size_t unknown = 0, changed = 0;
  for (const SkillPlace& place : places.found) {
    if (!trust.knows(file_in(place))) {
      ++unknown;
      continue;
    }
    Skill skill = cache_.get(place);
    const project::Trust known = trust.of(file_in(place), skill.sha256);
    if (known == project::Trust::given) add({place, std::move(skill)});
    if (known == project::Trust::unknown) ++changed;
  }
  project_.note_untrusted(
      "skills", unknown == 0 ? "" : (places.cut ? "more than " : "") + counted(unknown, "skill"));
  project_.note_untrusted(
      "skills that changed",
      changed == 0 ? "" : counted(changed, "skill") + " that changed since you trusted it");
  if (!nothing && places.cut)
    remarks_.push_back("more than 5,000 skill folders in this project: the rest is ignored");
}

void ProjectSkills::add(Read read) {
  if (!read.skill.refusal.empty()) {
    remarks_.push_back(file_in(read.place) + ": " + read.skill.refusal);
    return;
  }
  skills_.push_back({std::move(read.skill), std::move(read.place.folder),
                     std::move(read.place.source), read.place.of_project});
}

// By name; of those with the same one, the first that was found stays. Thousands come in order
// already: they have the names of their folders.
void ProjectSkills::sort() {
  const auto name = [](const LoadedSkill& each) -> const std::string& { return each.skill.name; };
  if (!std::ranges::is_sorted(skills_, {}, name)) std::ranges::stable_sort(skills_, {}, name);
  std::vector<LoadedSkill>::iterator kept = skills_.begin();
  for (auto each = skills_.begin(); each != skills_.end(); ++each) {
    if (kept != skills_.begin() && name(*(kept - 1)) == name(*each)) {
      remarks_.push_back("the skill " + name(*each) + " in " + each->folder +
                         " is hidden by the one in " + (kept - 1)->folder);
      continue;
    }
    if (kept != each) *kept = std::move(*each);
    ++kept;
  }
  skills_.erase(kept, skills_.end());
}

const std::vector<LoadedSkill>& ProjectSkills::all() {
  settle();
  return skills_;
}

const std::vector<std::string>& ProjectSkills::remarks() {
  settle();
  return remarks_;
}

const LoadedSkill* ProjectSkills::find(std::string_view name) {
  const std::vector<LoadedSkill>& skills = all();
  const auto found = std::ranges::lower_bound(
      skills, name, {},
      [](const LoadedSkill& each) -> std::string_view { return each.skill.name; });
  return found == skills.end() || found->skill.name != name ? nullptr : &*found;
}

std::vector<const LoadedSkill*> ProjectSkills::about(const std::string& below) {
  std::vector<const LoadedSkill*> out;
  for (const LoadedSkill& each : all())
    if (each.skill.for_model && project::is_about(each.skill, below)) out.push_back(&each);
  return out;
}

model::ToolOutcome ProjectSkills::read(const std::string& name, const model::ToolPorts& ports,
                                       const std::vector<std::string>& agents) {
  const LoadedSkill* found = find(name);
  if (found == nullptr || !found->skill.for_model) {
    std::vector<std::string> names;
    for (const LoadedSkill& each : skills_)
      if (each.skill.for_model && names.size() < 50) names.push_back(each.skill.name);
    return model::tool_failure("there is no skill '" + name + "'; there are: " + listed(names));
  }
  const project::MarkdownFile file = project::read_markdown(found->file());
  if (!file.refusal.empty())
    return model::tool_failure("the skill '" + name + "' can no longer be read: " + file.refusal);
  if (found->of_project &&
      project_.record().of(found->file(), sha256_hex(file.text)) != project::Trust::given)
    return model::tool_failure("the skill '" + name +
                               "' has changed since the user trusted it; go on without it");
  std::string text = project::skill_text(*found, file, places_.root());
  if (const std::string agent = project::agent_for(file, agents); !agent.empty())
    text = model::handing_on(agent, text);
  model::ToolOutcome outcome =
      model::tool_text(ports.was_said && ports.was_said(text) ? "already loaded above" : text);
  outcome.temporary_rules = file.front.list("allowed-tools", ", ");
  return outcome;
}

ProjectFiles::ProjectFiles(project::Places places, Skills skills)
    : project_(std::move(places)), skills_(project_) {
  if (skills == Skills::load) skills_.load();
}

std::vector<OwnCommand> ProjectFiles::commands() {
  std::vector<OwnCommand> out;
  for (const project::LoadedSkill& each : skills_.all())
    if (each.skill.for_user)
      out.push_back({.name = each.skill.name,
                     .path = each.file(),
                     .of_project = each.of_project,
                     .skill_folder = each.folder});
  for (CommandFile& file : project::find_commands(places())) {
    // By its name alone: whether it still is what was trusted is seen when it is used.
    const bool trusted = !file.of_project || trust().knows(file.path);
    out.push_back({.name = std::move(file.name),
                   .path = std::move(file.path),
                   .of_project = file.of_project,
                   .trusted = trusted});
  }
  return out;
}

bool ProjectFiles::is_trusted(const OwnCommand& command, const MarkdownFile& file,
                              const Confirm& confirm) {
  if (!command.of_project) return true;
  const std::string sha256 = sha256_hex(file.text);
  const Trust known = trust().of(command.path, sha256);
  if (known == Trust::refused) return false;
  const std::vector<TrustItem> programs = executed_items(project_, file);
  const auto is_given = [](const TrustItem& each) { return each.trust == Trust::given; };
  if (known == Trust::given && std::ranges::all_of(programs, is_given)) return true;
  if (!confirm || !project::needs_trust(file) || file.text.size() > most_question_bytes)
    return false;
  std::string question =
      command.path +
      " is part of this project. It runs commands or allows tools without asking:\n\n" + file.text +
      "\n";
  for (const TrustItem& each : programs)
    if (!is_given(each)) question += "It runs " + each.path + "; read that file first.\n";
  const Trust answer =
      confirm(question + "Trust this version of it?") ? Trust::given : Trust::refused;
  trust().set(command.path, sha256, answer);
  if (answer == Trust::given)
    for (const TrustItem& each : programs) trust().set(each.path, each.sha256, answer);
  trust().save();
  return answer == Trust::given;
}

std::optional<RenderedCommand> ProjectFiles::render(std::string_view name,
                                                    std::string_view arguments,
                                                    const project::RenderPorts& ports,
                                                    const Confirm& confirm) {
  std::optional<OwnCommand> command = project::find_own(commands(), name);
  if (!command) return std::nullopt;
  const MarkdownFile file = project::read_markdown(command->path);
  if (file.refusal.empty()) command->trusted = is_trusted(*command, file, confirm);
  command->name = name;  // as it was typed
  project::RenderPorts with_project = ports;
  with_project.project_folder = places().root();
  return project::render(*command, file, arguments, with_project);
}

std::vector<Definition> ProjectFiles::agents(std::vector<std::string>& remarks) {
  std::vector<Definition> out;
  std::vector<std::string> with_hooks;
  std::size_t unknown = 0;
  const auto add = [&](Definition found) {
    const auto same = std::ranges::find(out, found.name, &Definition::name);
    if (same == out.end()) out.push_back(std::move(found));
  };
  for (const OwnFolder& folder : project::agent_folders(places()))
    for (const auto& [below, path] : project::markdown_files(folder, places())) {
      std::optional<Definition> found = subagents::definition_from(project::read_markdown(path));
      if (!found) continue;  // a document
      if (!found->refusal.empty()) {
        remarks.push_back(path + ": " + found->refusal);
        continue;
      }
      const Trust known = folder.of_project ? trust().of(path, found->sha256) : Trust::given;
      unknown += known == Trust::unknown;
      if (known != Trust::given) continue;
      found->file = path;
      found->of_project = folder.of_project;
      if (found->has_hooks) with_hooks.push_back(found->name);
      add(*std::move(found));
    }
  project_.note_untrusted("agents", unknown == 0 ? "" : counted(unknown, "agent"));
  if (!with_hooks.empty())
    remarks.push_back("hooks in the front matter of agents do not run (" + listed(with_hooks) +
                      "); define hooks in the configuration");
  for (const Definition& each : subagents::built_in()) add(each);
  return out;
}

}  // namespace skein::app
