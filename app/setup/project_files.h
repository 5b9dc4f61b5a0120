// What the project and its user bring along: commands and skills, and which of the project's the
// user trusts.
#pragma once

#include "app/trust/trust.h"
#include "core/model/tool.h"
#include "core/project/own_commands.h"
#include "core/project/places.h"
#include "core/project/skill.h"
#include "core/project/skill_search.h"
#include "core/project/trust_record.h"
#include "core/subagents/definition.h"
#include "core/workspace/roots.h"

namespace skein::app {

// The user may have thousands: they are read in a thread, and whatever needs them waits for it.
class ProjectSkills {
 public:
  explicit ProjectSkills(ProjectTrust& project);
  ~ProjectSkills();
  ProjectSkills(const ProjectSkills&) = delete;
  ProjectSkills& operator=(const ProjectSkills&) = delete;

  void load();                                 // the project's at once, then begins with the user's
  bool are_read() const { return are_read_; }  // nothing would have to wait for them
  bool changed() const;  // a folder of skills has, as far as one look at it tells

  // Sorted by name; valid until they are loaded again.
  const std::vector<project::LoadedSkill>& all();
  const project::LoadedSkill* find(std::string_view name);
  // Those that the model hears of only when it touches such a file of the workspace.
  std::vector<const project::LoadedSkill*> about(const std::string& below);
  // Why skills that were found do not count, and what is wrong with others.
  const std::vector<std::string>& remarks();
  // The tool's answer. Agents: to which a skill that wants one can be handed on.
  model::ToolOutcome read(const std::string& name, const model::ToolPorts& ports,
                          const std::vector<std::string>& agents = {});

  // The folders of all skills that count.
  std::shared_ptr<const workspace::ReadableFolders> readable() const { return readable_; }
  void withhold(workspace::IgnoredPaths::Settings settings) {
    readable_->withhold(std::move(settings));
  }

 private:
  struct Read {
    project::SkillPlace place;
    project::Skill skill;
  };

  void add_those_of_project(const std::vector<project::OwnFolder>& folders);
  void add(Read read);
  void read_own();  // in the thread
  void settle();
  void sort();
  void let_tools_read();

  ProjectTrust& project_;
  const project::Places& places_ = project_.places();
  project::SkillCache cache_;  // the thread's while it runs
  std::vector<project::LoadedSkill> skills_{};
  std::vector<std::string> remarks_{};
  std::map<std::string, std::int64_t> looked_at_{};  // folders of skills, and when they changed
  std::shared_ptr<workspace::ReadableFolders> readable_ =
      std::make_shared<workspace::ReadableFolders>();  // shared with the tools

  std::vector<project::OwnFolder> own_folders_{};
  std::vector<Read> own_{};  // what the thread has read
  bool own_cut_ = false;
  std::string own_trouble_{};  // of the thread; empty: none
  std::atomic<bool> are_read_ = true;
  bool is_settled_ = true;
  std::thread thread_{};
};

class ProjectFiles {
 public:
  enum class Skills { load, do_not };
  explicit ProjectFiles(project::Places places, Skills skills = Skills::do_not);

  const project::Places& places() const { return project_.places(); }
  // Looks at the folders each time: there is nothing to reload.
  std::vector<project::OwnCommand> commands();

  // Shows a file that wants to run something and asks whether it may. Left out: there is no user to
  // ask.
  using Confirm = std::function<bool(const std::string& question)>;
  // The message a command becomes; nullopt: there is none of that name. Throws Error if nothing is
  // to be sent.
  std::optional<project::RenderedCommand> render(std::string_view name, std::string_view arguments,
                                                 const project::RenderPorts& ports,
                                                 const Confirm& confirm);

  ProjectSkills& skills() { return skills_; }
  const ProjectSkills& skills() const { return skills_; }

  // Those that can be asked, the built-in ones last; looks at the folders each time. What is
  // wrong with others is added to `remarks`.
  std::vector<subagents::Definition> agents(std::vector<std::string>& remarks);

  ProjectTrust& project() { return project_; }
  project::TrustRecord& trust() { return project_.record(); }

 private:
  bool is_trusted(const project::OwnCommand& command, const project::MarkdownFile& file,
                  const Confirm& confirm);

  ProjectTrust project_;
  ProjectSkills skills_;
};

}  // namespace skein::app
