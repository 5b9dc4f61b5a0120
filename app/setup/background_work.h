// What works in the background for an invocation: jobs and sub-agents, and who hears of their end.
#pragma once

#include "app/config/config.h"
#include "app/invocation/cli.h"
#include "app/setup/model_access.h"
#include "app/setup/project_files.h"
#include "core/agent/conversation.h"
#include "core/jobs/jobs.h"
#include "core/model/tool.h"
#include "core/process/private_temporary.h"
#include "core/store/session_store.h"
#include "core/subagents/agent_pool.h"
#include "core/text/base.h"
#include "providers/catalog/catalog.h"
#include "repl/session/services.h"

namespace skein::app {

// Tells the model and the user of what has ended in the background, jobs and sub-agents: the model
// with its next request (Inbox), the user at the prompt. It belongs to a session, so a user in
// another one reads it when they come back. Its functions may be called from any thread.
class News {
 public:
  explicit News(agent::Inbox& inbox) : inbox_(inbox) {}

  struct Item {
    std::string about{};  // "job:3", "agent:…"
    model::Entry entry{};
    std::string notice{};  // a line; empty: the user knows
    bool wakes = false;    // the model is asked to go on if the user is at an empty prompt
  };
  void enter(Id session);
  void put(Id session, Item item);
  void tell(const std::string& notice);  // the user alone, in whatever session; empty: nothing
  // The model knows by now.
  void seen(Id session, const std::string& about);
  // Lines for the user, once; empty: there is nothing to tell.
  struct Notices {
    std::string text{};
    bool wake = false;
  };
  Notices take_notices();
  bool has_notices() const;

 private:
  agent::Inbox& inbox_;
  mutable std::mutex mutex_{};
  std::optional<Id> entered_{};
  std::string notices_{};
  std::map<Id, std::vector<Item>> items_{};
};

class BackgroundJobs {
 public:
  struct Parts {
    News& news;
    std::string folder{};  // where another skein finds them; empty: nowhere
    const ModelAccess& models;
    bool wake = false;  // the model is asked to go on when one ends
  };
  explicit BackgroundJobs(Parts parts);
  BackgroundJobs(const BackgroundJobs&) = delete;
  BackgroundJobs& operator=(const BackgroundJobs&) = delete;

  const std::shared_ptr<jobs::Jobs>& jobs() const { return jobs_; }  // the tools have it too
  bool any_runs() const { return jobs_->any_runs(); }
  bool can_be_kept() const { return !parts_.folder.empty(); }
  // What an earlier skein left of a session's: what has ended is news, of what runs there is a line
  // each.
  std::vector<std::string> take_up(const agent::Conversation& conversation);
  // Ends those that run, or leaves them running, and says so; empty: none did.
  std::string leave(bool keep);

 private:
  void note_end(Id session, const jobs::Record& job, const std::string& report);

  Parts parts_;
  process::PrivateTemporary temporary_{};
  std::shared_ptr<jobs::Jobs> jobs_;
};

// The sub-agents of an invocation: which can be asked.
class SubAgents {
 public:
  struct Parts {
    const Invocation& invocation;
    const config::Config& config;
    ProjectFiles& project;
    const catalog::Catalog& catalog;
  };
  enum class Wanted { yes, no };  // no: none is to work
  SubAgents(Parts parts, Wanted wanted);
  SubAgents(const SubAgents&) = delete;
  SubAgents& operator=(const SubAgents&) = delete;

  bool look();  // for those there are; true: the model has something to hear
  // Those that work; null: none is to. What it is given and this must outlive it.
  using Hire = std::function<subagents::MakeWorker(const subagents::AgentTask&)>;
  std::unique_ptr<subagents::AgentPool> make_pool(store::SessionStore& store, News& news,
                                                  budget::Budget* budget, Hire hire) const;
  std::vector<std::string> names() const;
  const std::vector<std::string>& remarks() const { return remarks_; }
  // For the system prompt; empty: there are only the built-in ones. `window`: of the model that is
  // asked first, in tokens; 0: not known.
  std::string list(std::int64_t window) const;
  session::Found<subagents::Definition> known();  // looks again

 private:
  bool may_choose(const std::string& model) const;

  const Parts parts_;
  const bool wanted_;
  std::vector<subagents::Definition> agents_{};
  std::vector<std::string> remarks_{};
};

// The one of that name, as which skein itself is to work. Throws Error.
subagents::Definition find_agent(const SubAgents::Parts& parts, const std::string& name,
                                 std::vector<std::string>& remarks);

// The model a definition names; nullopt: it names none, or one of Claude Code's words that no alias
// gives a meaning.
std::optional<model::ModelRef> model_of(const subagents::Definition& role,
                                        const catalog::Catalog& known);

}  // namespace skein::app
