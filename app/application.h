// Puts the parts together: the one place that names every concrete class.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/background_jobs.h"
#include "app/briefing.h"
#include "app/cli.h"
#include "app/further_folders.h"
#include "app/load_config.h"
#include "app/model_access.h"
#include "app/news.h"
#include "app/project_files.h"
#include "app/sub_agents.h"
#include "app/tool_servers.h"
#include "app/user_hooks.h"
#include "app/web_pages.h"
#include "core/agent/agent.h"
#include "core/agent/conversation.h"
#include "core/checkpoints/file_keeper.h"
#include "core/store/home/grants.h"
#include "core/store/home/rules_here.h"
#include "core/tools/sandbox/sandbox.h"
#include "core/tools/workspace/withheld.h"
#include "repl/screen/screen.h"
#include "repl/session/services.h"

namespace skein::app {

// What an Application is made from that works for another one, in a thread of its own.
struct Helper {
  subagents::Definition role{};
  providers::Keyring keys{};  // the environment has none of them any more
  model::Tools borrowed{};    // of the other one's servers
};

// Everything a conversation needs, made for one invocation.
class Application {
 public:
  // With a helper it is made for a sub-agent, and may be made in any thread.
  Application(const Invocation& invocation, const project::Places& places,
              const Helper* helper = nullptr);

  store::SessionStore& store() { return store_; }
  agent::Agent& agent() { return *agent_; }
  agent::Inbox& inbox() { return inbox_; }
  News& news() { return news_; }
  const model::Tools& tools() const { return tools_; }
  ProjectFiles& project() { return project_; }
  const ModelAccess& models() const { return models_; }
  const catalog::Catalog& catalog() const { return models_.catalog(); }
  const config::Config& config() const { return config_; }
  const std::string& workspace() const { return project_.places().workspace; }
  const instructions::Instructions& instructions() const { return briefing_.instructions(); }
  FurtherFolders& folders() { return *folders_; }
  // What was passed over when servers, hooks and agents were looked for.
  const std::vector<std::string>& notices() const { return notices_; }
  tools::sandbox::Sandbox sandbox() const;
  checkpoints::FileKeeper& file_keeper() { return file_keeper_; }
  // The message that "/name arguments" becomes, if that is a command of the project or the user's,
  // or a prompt of a server; what stands in it is run by these rules. Throws Error if nothing is to
  // be sent.
  std::optional<project::RenderedCommand> rendered(std::string_view name,
                                                   std::string_view arguments,
                                                   const session::CommandPorts& ports);

  // What a name in a prompt leads to that is no file: SERVER:URI, a server's resource, or a page of
  // the web. Throws Error.
  std::optional<model::Fetched> fetched(const std::string& name,
                                        const session::CommandPorts& ports);
  // The user has typed this: the web addresses in it may be fetched in that session.
  void note_typed(Id session, std::string_view text) { web_.note_typed(session, text); }

  // What an earlier skein left of this session's jobs and sub-agents: what has ended is for the
  // model, what runs can be used again. Lines for the user.
  std::vector<std::string> take_up_work(const agent::Conversation& conversation);
  // Ends those that run, or leaves the jobs among them running, and says so; empty: none did.
  std::string leave_work(bool keep);
  bool works_beside() const;  // a job or a sub-agent does, beside the conversation

  // At the prompt nobody waits for the user's skills until something is to be done: then they are
  // taken, and the model knows of them. True: now, so settings have to be made anew.
  bool take_skills();
  bool took_skills() const { return took_skills_; }
  bool skills_wait() const;  // they are there, and not taken yet

  // How a session is to be worked on: as it was last, unless flags say otherwise. They count when
  // skein is started; whatever is opened later goes on as it was left.
  enum class Flags { count, do_not };
  agent::Agent::Settings settings_for(const agent::Conversation& conversation,
                                      Flags flags = Flags::count) const;
  session::Services services();  // what the REPL's commands may ask
  // Standard output, as flags and environment want it, with the titles of our tools and the prices
  // of our models.
  screen::Screen::Parts screen_parts() const;
  // What a program of the user's own finds in its environment: all but keys.
  std::vector<std::string> own_environment() const;
  std::string transcript_of(Id session) const;  // its file; empty: there is none

 private:
  void make_tools();
  void make_agent();
  void choose_role();  // --agent
  void keep_to_role(model::Tools& tools) const;
  std::string commands_exposed() const;
  std::string kept(std::string_view bytes);
  void take_server_tools(const model::Ports& ports);
  void look_around(agent::Settings& settings);
  model::ToolPorts tool_ports(const model::Ports& ports);
  subagents::MakeWorker hire(const subagents::Order& order) const;

  // In the order they are made. Models and briefing keep a reference to what is made after them,
  // the configuration and the sub-agents, and use it only later.
  const Invocation& invocation_;
  ProjectFiles project_;  // early: its skills are loaded while the rest is made
  ModelAccess models_;
  config::Config config_;
  mutable store::SessionStore store_;
  std::shared_ptr<const tools::workspace::Withheld> withheld_;  // the tools have it too
  mutable store::home::Grants grants_;                          // read when first asked
  mutable store::home::RulesHere rules_here_;
  checkpoints::FileKeeper file_keeper_;
  agent::Inbox inbox_{};  // what comes for the model from outside of a turn
  News news_{inbox_};
  std::optional<subagents::Definition> role_{};  // as which agent it works; none: as skein itself
  bool for_another_ = false;                     // for another agent, that is, and not for the user
  Briefing briefing_;
  bool took_skills_ = false;
  std::optional<FurtherFolders> folders_{};
  BackgroundJobs jobs_;
  WebPages web_;
  model::Tools tools_{};
  std::size_t own_tools_ = 0;  // those in front of the servers' in tools_
  std::optional<UserHooks> hooks_{};
  std::vector<std::string> notices_{};
  std::unique_ptr<agent::Agent> agent_{};
  ToolServers servers_{};
  SubAgents agents_;  // those that work use most of the others
};

// Each returns the exit status.
int run(const Invocation& invocation);
int print_mode(Application& application,
               const Invocation& invocation);                           // -p: one turn, for scripts
int repl_mode(Application& application, const Invocation& invocation);  // the prompt

}  // namespace skein::app
