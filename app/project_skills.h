// The skills that count here: the user's own, and those of the project that are trusted.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "core/model/tool.h"
#include "core/project/places.h"
#include "core/project/skill_cache.h"
#include "core/project/skill_texts.h"
#include "core/project/trust_record.h"
#include "core/tools/workspace/readable_folders.h"

namespace skein::app {

// The user may have thousands: they are read in a thread, and whatever needs them waits for it.
class ProjectSkills {
 public:
  using GetTrust = std::function<project::TrustRecord&()>;
  ProjectSkills(const project::Places& places, GetTrust trust);
  ~ProjectSkills();
  ProjectSkills(const ProjectSkills&) = delete;
  ProjectSkills& operator=(const ProjectSkills&) = delete;

  void load();                                 // the project's at once, then begins with the user's
  bool are_read() const { return are_read_; }  // nobody would have to wait for them
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
  std::shared_ptr<const tools::workspace::ReadableFolders> readable() const { return readable_; }
  void withhold(tools::workspace::Withheld::Settings settings) {
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

  const project::Places& places_;
  GetTrust trust_;
  project::SkillCache cache_;  // the thread's while it runs
  std::vector<project::LoadedSkill> skills_{};
  std::vector<std::string> remarks_{};
  std::map<std::string, std::int64_t> looked_at_{};  // folders of skills, and when they changed
  std::shared_ptr<tools::workspace::ReadableFolders> readable_ =
      std::make_shared<tools::workspace::ReadableFolders>();  // shared with the tools

  std::vector<project::OwnFolder> own_folders_{};
  std::vector<Read> own_{};  // what the thread has read
  bool own_cut_ = false;
  std::string own_trouble_{};  // of the thread; empty: none
  std::atomic<bool> are_read_ = true;
  bool is_settled_ = true;
  std::thread thread_{};
};

}  // namespace skein::app
