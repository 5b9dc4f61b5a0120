// The part of ProjectFiles that is about skills.
#include <algorithm>
#include <set>
#include <unordered_set>
#include <utility>

#include "app/project_files.h"
#include "core/text/amounts.h"
#include "core/text/sha256.h"
#include "core/text/text.h"

namespace skein::app {

using project::LoadedSkill, project::OwnFolder, project::Skill, project::SkillPlace;
using project::SkillPlaces;

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

}  // namespace

bool ProjectFiles::skills_changed() const {
  std::map<std::string, std::int64_t> now;
  for (const OwnFolder& folder : project::skill_folders(places_))
    now[folder.path] = changed_at(folder.path);
  return now != looked_at_;
}

void ProjectFiles::load_skills() {
  skills_.clear();
  remarks_.clear();
  looked_at_.clear();
  const std::vector<OwnFolder> folders = project::skill_folders(places_);
  std::vector<OwnFolder> of_project, of_user;
  for (const OwnFolder& folder : folders) {
    looked_at_[folder.path] = changed_at(folder.path);
    (folder.of_project ? of_project : of_user).push_back(folder);
  }
  if (!of_project.empty()) add_skills_of_project(of_project);
  const SkillPlaces own = project::find_skills(of_user, places_);
  skills_.reserve(skills_.size() + own.found.size());
  for (const SkillPlace& place : own.found) add_skill(place, cache_.get(place));
  if (own.cut) remarks_.push_back("more than 5,000 folders of skills: the rest is passed over");
  cache_.save();
  sort_skills();
  std::unordered_set<std::string> readable;
  std::set<std::string> tops;
  readable.reserve(skills_.size());
  for (const LoadedSkill& each : skills_) readable.insert(each.folder);
  for (const OwnFolder& folder : of_user)
    if (std::string real = project::followed(folder.path, places_, false); !real.empty())
      tops.insert(std::move(real));
  readable_->set(std::move(readable), std::move(tops));
}

// What is not trusted is not read.
void ProjectFiles::add_skills_of_project(const std::vector<OwnFolder>& folders) {
  const bool nothing = trust().is_empty();
  const SkillPlaces places = nothing ? project::find_skills(folders, places_, first_look)
                                     : project::find_skills(folders, places_);
  std::size_t unknown = 0, changed = 0;
  for (const SkillPlace& place : places.found) {
    if (!trust().knows(file_in(place))) {
      ++unknown;
      continue;
    }
    Skill skill = cache_.get(place);
    const project::Trust known = trust().of(file_in(place), skill.sha256);
    if (known == project::Trust::given) add_skill(place, std::move(skill));
    if (known == project::Trust::unknown) ++changed;
  }
  const std::string way = " (`skein trust` shows and loads them)";
  if (unknown > 0)
    remarks_.push_back((places.cut ? "more than " : "") +
                       counted(unknown, "skill of this project is", "skills of this project are") +
                       " not trusted, and not loaded" + way);
  if (changed > 0)
    remarks_.push_back(
        counted(changed, "skill of this project has", "skills of this project have") +
        " changed since you trusted " + (changed == 1 ? "it" : "them") + ", and so not loaded" +
        way);
  if (!nothing && places.cut)
    remarks_.push_back(
        "more than 5,000 folders of skills in this project: the rest is passed over");
}

void ProjectFiles::add_skill(const SkillPlace& place, Skill skill) {
  if (!skill.refusal.empty()) {
    remarks_.push_back(file_in(place) + ": " + skill.refusal);
    return;
  }
  skills_.push_back({std::move(skill), place.folder, place.source, place.of_project});
}

// By name; of those with the same one, the first that was found stays. Thousands come in order
// already: they have the names of their folders.
void ProjectFiles::sort_skills() {
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

const LoadedSkill* ProjectFiles::find_skill(std::string_view name) const {
  const auto found = std::ranges::lower_bound(
      skills_, name, {},
      [](const LoadedSkill& each) -> std::string_view { return each.skill.name; });
  return found == skills_.end() || found->skill.name != name ? nullptr : &*found;
}

std::vector<const LoadedSkill*> ProjectFiles::skills_about(const std::string& below) const {
  std::vector<const LoadedSkill*> out;
  for (const LoadedSkill& each : skills_)
    if (each.skill.for_model && project::is_about(each.skill, below)) out.push_back(&each);
  return out;
}

model::ToolOutcome ProjectFiles::read_skill(const std::string& name,
                                            const model::ToolPorts& ports) {
  const LoadedSkill* found = find_skill(name);
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
      trust().of(found->file(), sha256_hex(file.text)) != project::Trust::given)
    return model::tool_failure("the skill '" + name +
                               "' has changed since the user trusted it; go on without it");
  const std::string text = project::skill_text(*found, file, places_.root());
  model::ToolOutcome outcome =
      model::tool_text(ports.was_said && ports.was_said(text) ? "already loaded above" : text);
  outcome.lends = file.front.list("allowed-tools", ", ");
  return outcome;
}

}  // namespace skein::app
