// The system prompt, and when it is made: instructions, what is
// remembered, skills, agents.
#pragma once

#include "app/config/config.h"
#include "app/setup/background_work.h"
#include "app/setup/model_access.h"
#include "app/setup/project_files.h"
#include "core/agent/turn.h"
#include "core/instructions/instructions.h"
#include "core/memory/memory.h"
#include "core/project/places.h"
#include "core/workspace/ignored_paths.h"

namespace skein::app {

// The system prompt of a session: skein's own words, the instructions that count
// here, the user's addition.
struct SystemPrompt {
  std::string text{};
  std::vector<agent::Surrounding> surroundings{};  // what of it may be different the next time
};

// What was read, in one line for the user; empty: nothing.
std::string read_line(const std::vector<instructions::Document>& documents);

class Briefing {
 public:
  struct Parts {
    const config::Config& config;
    ProjectFiles& project;
    SubAgents& agents;
    const std::optional<subagents::Definition>& role;  // as which agent skein works
    std::shared_ptr<const workspace::IgnoredPaths> withheld{};
    std::string memory_folder{};  // empty: nothing is remembered
    const ModelAccess& models;
  };
  explicit Briefing(Parts parts);
  Briefing(const Briefing&) = delete;
  Briefing& operator=(const Briefing&) = delete;

  const instructions::Instructions& instructions() const { return instructions_; }
  bool remembers() const;
  void remember(const std::string& text, memory::Scope scope, Id session,
                std::optional<Id> entry) const;

  void make();
  const SystemPrompt& prompt() const { return system_; }  // empty until it is made
  void read_changed();  // makes it again if anything of it has been changed on disk
  // What belongs to a folder below the workspace, when work begins there.
  std::vector<agent::Surrounding> nearby(const std::string& below);
  const memory::Memory& memory() const { return memory_; }

 private:
  void add_skills();
  void add_skills_of_role();

  Parts parts_;
  instructions::Instructions instructions_;
  memory::Memory memory_;
  SystemPrompt system_{};
};

}  // namespace skein::app
