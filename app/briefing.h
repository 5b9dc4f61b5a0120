// What the model is told before anything is said, and when that is made: instructions, what is
// remembered, skills, agents.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/config/config.h"
#include "app/project_files.h"
#include "app/sub_agents.h"
#include "app/system_prompt.h"
#include "core/agent/parts.h"
#include "core/instructions/instructions.h"
#include "core/memory/memory.h"
#include "core/tools/workspace/withheld.h"
#include "repl/session/services.h"

namespace skein::app {

class Briefing {
 public:
  struct Parts {
    const config::Config& config;
    ProjectFiles& project;
    SubAgents& agents;
    const std::optional<subagents::Definition>& role;  // as which agent skein works
    std::shared_ptr<const tools::workspace::Withheld> withheld{};
    std::string memory_folder{};  // empty: nothing is remembered
    std::function<std::string(std::string)> clean{};
    std::function<std::int64_t()> window{};  // of the model that is asked first; 0: not known
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
  void read_changed();  // makes it anew if anything of it has been changed on disk
  // What belongs to a folder below the workspace, when work begins there.
  std::vector<agent::Surrounding> nearby(const std::string& below);
  void offer(session::Services& services);

 private:
  void add_skills();
  void add_skills_of_role();

  Parts parts_;
  instructions::Instructions instructions_;
  memory::Memory memory_;
  SystemPrompt system_{};
};

}  // namespace skein::app
