// Puts the parts together: the one place that names every concrete class.
#pragma once

#include "app/invocation/cli.h"
#include "app/setup/background_work.h"
#include "app/setup/briefing.h"
#include "app/setup/model_access.h"
#include "app/setup/project_files.h"
#include "app/setup/structured_answer.h"
#include "app/setup/tool_servers.h"
#include "app/setup/user_hooks.h"
#include "core/agent/agent.h"
#include "core/agent/conversation.h"
#include "core/budget/budget.h"
#include "core/checkpoints/checkpointer.h"
#include "core/sandbox/sandbox.h"
#include "core/store/home/grants.h"
#include "core/workspace/ignored_paths.h"
#include "repl/screen/screen.h"
#include "repl/session/services.h"

namespace skein::app {

// What an Application is made from that works for another one, in a separate thread.
struct SubAgentSetup {
  subagents::Definition role{};
  providers::Keyring keys{};  // the environment has none of them any more
  model::Tools borrowed{};    // of the other one's servers
  // Of the other one, which outlives it.
  budget::Budget* budget = nullptr;
};

// Everything a conversation needs, made for one invocation. A process may have several, each with
// its own workspace and home.
class Application : session::Program {
 public:
  // With a setup it is made for a sub-agent, and may be made in any thread. The invocation must
  // outlive it.
  Application(const Invocation& invocation, const project::Places& places,
              const SubAgentSetup* setup = nullptr);

  store::SessionStore& store() { return store_; }
  agent::Agent& agent() { return agent_; }
  agent::Inbox& inbox() { return inbox_; }
  News& news() { return news_; }
  const model::Tools& tools() const { return tools_; }
  const ModelAccess& models() const { return models_; }
  agent::ModelLimits limits_of(const model::ModelRef& model) { return models_.limits_of(model); }
  const catalog::Catalog& catalog() const { return catalog_; }
  const config::Config& config() const { return config_; }
  const std::string& workspace() const { return project_.places().workspace; }
  const std::vector<instructions::Document>& documents() const {
    return briefing_.instructions().documents();
  }
  session::SessionFolders& folders() { return folders_; }
  StructuredAnswer* structured() { return structured_.get(); }  // null: answers are texts
  // What was passed over when servers, hooks and agents were looked for.
  const std::vector<std::string>& notices() const { return notices_; }
  sandbox::Sandbox sandbox() const { return config_.chosen_sandbox(); }
  // Commands in it are run by the rules of the ports.
  std::optional<project::RenderedCommand> render(std::string_view name, std::string_view arguments,
                                                 const session::CommandPorts& ports) override;
  // SERVER:URI, a server's resource, or a page of the web. Throws Error.
  std::optional<model::Fetched> fetch(const std::string& name,
                                      const session::CommandPorts& ports) override;
  // The web addresses in it may be fetched in that session.
  void note_typed(Id session, std::string_view text) override { web_.note_typed(session, text); }

  // What has ended is for the model, what runs can be used again. Lines for the user.
  std::vector<std::string> take_up_work(const agent::Conversation& conversation) override;
  std::string leave_work(bool keep) override;  // empty: none ran
  bool works_in_background() const;            // a job or a sub-agent does

  // The prompt does not wait for the user's skills until something is to be done: then they are
  // taken, and the model knows of them. True: now, so settings have to be made again.
  bool take_skills();
  bool took_skills() const { return took_skills_; }
  // Waits, once, until the MCP servers have started; their tools are among tools() from then on.
  void take_server_tools(const model::Ports& ports);
  bool skills_wait() const;  // they are there, and not taken yet
  // Adds the rules that deny or ask to those in force, and nothing else; returns the new ones. The
  // open session has them after the next catch_up().
  std::vector<std::string> tighten(const permission::Rules& rules);
  bool catch_up() override;  // takes skills, and the rules that were added

  // How a session is to be worked on: as it was last, unless flags say otherwise. They count when
  // skein is started; sessions that are opened later continue with their own settings.
  enum class Flags { count, do_not };
  agent::Agent::Settings settings_for(const agent::Conversation& conversation,
                                      Flags flags = Flags::count);
  session::Services services();  // for the prompt's commands; they must not outlive this
  // Standard output, as flags and environment want it, with the titles of our tools and the prices
  // of our models.
  screen::Screen::Parts screen_parts() const;
  // What a program of the user's own finds in its environment: all but keys.
  std::vector<std::string> own_environment() const;
  std::string transcript_of(Id session) const;  // its file; empty: there is none

 private:
  std::vector<project::OwnCommand> own_commands() override { return project_.commands(); }
  session::Found<project::LoadedSkill> skills() override {
    session::Found<project::LoadedSkill> found{project_.skills().all(),
                                               project_.skills().remarks()};
    const std::string untrusted = untrusted_line(project_.project().untrusted());
    if (!untrusted.empty()) found.remarks.push_back(untrusted);
    return found;
  }
  session::Found<subagents::Definition> agents() override { return agents_.known(); }
  std::vector<hooks::Hooks::Line> hooks() override { return hooks_.lines(); }
  const instructions::Instructions* instructions() override;
  session::ProgramFacts facts() const override;
  std::string budget(const agent::Conversation& open) const override {
    return budget_.summary(open.session(), spent_in(open));
  }
  std::vector<std::string> topics() const override;
  std::string guide(std::string_view topic) const override;

  std::optional<subagents::Definition> take_role(const SubAgentSetup* setup);
  session::SessionFolders open_folders();
  agent::Parts agent_parts();
  model::Tools make_tools(const SubAgentSetup* setup);
  void keep_to_role(model::Tools& tools) const;
  std::vector<hooks::HookDefinition> hooks_of_client();
  std::string commands_exposed() const;
  std::string kept(std::string_view bytes);
  void look_around(agent::Settings& settings);
  model::ToolPorts tool_ports(const model::Ports& ports);
  double spent_in(const agent::Conversation& conversation) const;
  subagents::MakeWorker hire(const subagents::AgentTask& order) const;

  // In the order they are made: each refers only to those above it.
  const Invocation& invocation_;
  std::vector<std::string> notices_{};
  ProjectFiles project_;  // early: its skills are loaded while the rest is made
  catalog::Catalog catalog_{};
  config::Config config_;
  store::SessionStore store_;
  const std::shared_ptr<const workspace::IgnoredPaths> ignored_;  // the tools have it too
  store::home::Grants grants_;                                    // read when first asked
  store::home::RulesHere rules_here_;
  checkpoints::Checkpointer file_keeper_;
  agent::Inbox inbox_{};  // what comes for the model from outside of a turn
  News news_{inbox_};
  const Servers configured_;  // found while the environment still holds the keys
  ModelAccess models_;
  const bool for_another_;  // for another agent, that is, and not for the user
  const std::unique_ptr<budget::Budget> own_budget_;  // null: it uses that of the other agent
  budget::Budget& budget_;
  const std::optional<subagents::Definition> role_;  // as which agent it works; none: skein itself
  session::SessionFolders folders_;
  SubAgents agents_;
  Briefing briefing_;
  BackgroundJobs jobs_;
  WebPages web_;
  model::Tools tools_{};       // filled when what they use is there
  std::size_t own_tools_ = 0;  // those in front of the servers' in tools_
  bool took_skills_ = false;
  bool tightened_ = false;  // since the last catch_up()
  const std::unique_ptr<StructuredAnswer> structured_;
  UserHooks hooks_;
  ToolServers servers_{};
  const std::unique_ptr<subagents::AgentPool> crew_;  // null: none is to work
  agent::Agent agent_;
};

// Reports what the supervisors of killed commands have undone; with `ask` the user decides about
// what is left.
void settle_interrupted_commands(bool ask);

// Each returns the exit status.
int run(const Invocation& invocation);
int print_mode(Application& application,
               const Invocation& invocation);  // -p: one turn, for scripts
// --input-format stream-json: a program drives skein by lines on standard input.
int driven_mode(const Invocation& invocation, const project::Places& places);
int acp_mode(const Invocation& invocation);  // skein acp: an editor drives skein
// The prompt. `titled`: the first line of the first screen is shown already.
int repl_mode(Application& application, const Invocation& invocation, bool titled);

}  // namespace skein::app
