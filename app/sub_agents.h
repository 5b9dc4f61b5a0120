// The sub-agents of an invocation: which can be asked, and those that work.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/cli.h"
#include "app/config/config.h"
#include "app/news.h"
#include "app/project_files.h"
#include "app/system_prompt.h"
#include "core/model/tool.h"
#include "core/store/session_store.h"
#include "core/subagents/crew.h"
#include "providers/catalog/catalog.h"
#include "repl/session/services.h"

namespace skein::app {

class SubAgents {
 public:
  struct Parts {
    const Invocation& invocation;
    const config::Config& config;
    ProjectFiles& project;
    store::SessionStore& store;
    const catalog::Catalog& catalog;
    News& news;
    std::function<subagents::MakeWorker(const subagents::Order&)> hire{};
  };
  explicit SubAgents(Parts parts) : parts_(std::move(parts)) {}
  SubAgents(const SubAgents&) = delete;
  SubAgents& operator=(const SubAgents&) = delete;

  bool look();  // for those there are; true: the model has something to hear
  // The tool that asks them; none: the user wants none of them to work.
  std::optional<model::Tool> start();
  subagents::Crew* crew() { return crew_.get(); }  // null: none is to work
  const subagents::Crew* crew() const { return crew_.get(); }

  // The one of that name, as which skein itself is to work: then it asks no others. Throws Error.
  subagents::Definition take(const std::string& name);
  std::vector<std::string> names() const;
  const std::vector<std::string>& remarks() const { return remarks_; }
  // `window`: of the model that is asked first, in tokens; 0: not known.
  void add_to(SystemPrompt& system, std::int64_t window) const;
  void offer(session::Services& services);

 private:
  bool may_choose(const std::string& model) const;

  Parts parts_;
  std::vector<subagents::Definition> agents_{};
  std::vector<std::string> remarks_{};
  std::unique_ptr<subagents::Crew> crew_{};
};

// The model a definition names; nullopt: it names none, or one of Claude Code's words that no alias
// gives a meaning.
std::optional<model::ModelRef> model_of(const subagents::Definition& role,
                                        const catalog::Catalog& known);

}  // namespace skein::app
