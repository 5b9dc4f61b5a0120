// What the project and its user bring along: commands and skills, and which of the project's the
// user trusts.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/model/tool.h"
#include "core/project/own_commands.h"
#include "core/project/places.h"
#include "core/project/skill_cache.h"
#include "core/project/skill_texts.h"
#include "core/project/trust_record.h"
#include "core/subagents/definition.h"
#include "core/tools/workspace/readable_folders.h"

namespace skein::app {

// The Markdown files in a folder of agents, where they really are, sorted by their names there.
std::vector<std::string> agent_files(const project::OwnFolder& folder,
                                     const project::Places& places);

class ProjectFiles {
 public:
  explicit ProjectFiles(const std::string& workspace);

  const project::Places& places() const { return places_; }
  // Looks at the folders anew each time: there is nothing to reload.
  std::vector<project::OwnCommand> commands();

  // Shows a file that wants to run something and asks whether it may. Left out: nobody is there.
  using Confirm = std::function<bool(const std::string& question)>;
  // The message a command becomes; nullopt: there is none of that name. Throws Error if nothing is
  // to be sent.
  std::optional<project::RenderedCommand> render(std::string_view name, std::string_view arguments,
                                                 const project::RenderPorts& ports,
                                                 const Confirm& confirm);

  // Those that count, sorted by name; valid until they are looked for again.
  const std::vector<project::LoadedSkill>& skills() const { return skills_; }
  const project::LoadedSkill* find_skill(std::string_view name) const;
  // Those that the model hears of only when it touches such a file of the workspace.
  std::vector<const project::LoadedSkill*> skills_about(const std::string& below) const;
  void load_skills();
  bool skills_changed() const;  // a folder of skills has, as far as one look at it tells
  // Why skills that were found do not count, and what is wrong with others.
  const std::vector<std::string>& remarks() const { return remarks_; }
  model::ToolOutcome read_skill(const std::string& name, const model::ToolPorts& ports);
  // The folders of all skills that count.
  std::shared_ptr<const tools::workspace::ReadableFolders> readable() const { return readable_; }

  // Those that can be asked, the built-in ones last; looks at the folders anew each time. What is
  // wrong with others is added to `remarks`.
  std::vector<subagents::Definition> agents(std::vector<std::string>& remarks);

  void withhold(tools::workspace::Withheld::Settings settings) {
    readable_->withhold(std::move(settings));
  }

  project::TrustRecord& trust();  // read when first asked

 private:
  bool is_trusted(const project::OwnCommand& command, const project::MarkdownFile& file,
                  const Confirm& confirm);

  void add_skills_of_project(const std::vector<project::OwnFolder>& folders);
  void add_skill(const project::SkillPlace& place, project::Skill skill);
  void sort_skills();

  project::Places places_;
  std::optional<project::TrustRecord> trust_{};
  project::SkillCache cache_;
  std::vector<project::LoadedSkill> skills_{};
  std::vector<std::string> remarks_{};
  std::map<std::string, std::int64_t> looked_at_{};  // folders of skills, and when they changed
  std::shared_ptr<tools::workspace::ReadableFolders> readable_ =
      std::make_shared<tools::workspace::ReadableFolders>();  // shared with the tools
};

}  // namespace skein::app
