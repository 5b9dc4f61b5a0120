// Puts the parts together: the one place that names every concrete class.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "app/cli.h"
#include "app/load_config.h"
#include "app/news.h"
#include "app/project_files.h"
#include "app/system_prompt.h"
#include "core/agent/agent.h"
#include "core/agent/conversation.h"
#include "core/checkpoints/file_keeper.h"
#include "core/hooks/hooks.h"
#include "core/instructions/instructions.h"
#include "core/jobs/jobs.h"
#include "core/mcp/hub.h"
#include "core/memory/memory.h"
#include "core/model/attachments.h"
#include "core/store/home/grants.h"
#include "core/store/home/rules_here.h"
#include "core/subagents/crew.h"
#include "core/tools/sandbox/private_temporary.h"
#include "core/tools/sandbox/sandbox.h"
#include "core/tools/workspace/further_roots.h"
#include "core/tools/workspace/withheld.h"
#include "core/web/typed_urls.h"
#include "providers/catalog/catalog.h"
#include "providers/catalog/known_windows.h"
#include "providers/discovery/model_cache.h"
#include "providers/keys.h"
#include "repl/screen/screen.h"
#include "repl/session/services.h"

namespace skein::web {
class Fetcher;
}  // namespace skein::web

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
  const model::Tools& tools() const { return tools_; }
  ProjectFiles& project() { return project_; }
  const catalog::Catalog& catalog() const { return catalog_; }
  const config::Config& config() const { return config_; }
  const std::string& workspace() const { return workspace_; }
  const instructions::Instructions& instructions() const { return instructions_; }
  // What was passed over when servers, hooks and agents were looked for.
  const std::vector<std::string>& server_notices() const { return server_notices_; }
  tools::sandbox::Sandbox sandbox() const;
  checkpoints::FileKeeper& file_keeper() { return file_keeper_; }
  // The message that "/name arguments" becomes, if that is a command of the project or the user's;
  // what stands in it is run by these rules. Throws Error if nothing is to be sent.
  std::optional<project::RenderedCommand> rendered(std::string_view name,
                                                   std::string_view arguments,
                                                   const session::CommandPorts& ports);

  // What a name in a prompt leads to that is no file: SERVER:URI, a server's resource, or a page of
  // the web. Throws Error.
  std::optional<model::Fetched> fetched(const std::string& name,
                                        const session::CommandPorts& ports);
  // The user has typed this: the web addresses in it may be fetched in that session.
  void note_typed(Id session, std::string_view text);

  // What an earlier skein left of this session's jobs and sub-agents: what has ended is for the
  // model, what runs can be used again. Lines for the user.
  std::vector<std::string> take_up_work(const agent::Conversation& conversation);
  // What the model is to be told of the folders that --add-dir names, once in a session.
  std::string told_of_folders(Id session);
  // Ends those that run, or leaves the jobs among them running, and says so; empty: none did.
  std::string leave_work(bool keep);
  News& news() { return news_; }
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
  // The first provider a key is there for; without any, the model that is built in.
  std::string default_model() const;
  std::string without_key() const;  // the model that is built in
  session::Services services();     // what the REPL's commands may ask
  // Standard output, as flags and environment want it, with the titles of our tools and the prices
  // of our models.
  screen::Screen::Parts screen_parts() const;
  // What a program of the user's own finds in its environment: all but keys.
  std::vector<std::string> own_environment() const;
  std::string transcript_of(Id session) const;  // its file; empty: there is none
  // Masks every key in `text`.
  std::string clean(std::string text) const;
  // Shows events to `sink` with every key in them masked.
  std::function<void(const model::Event&)> masking(
      std::function<void(const model::Event&)> sink) const;

 private:
  std::string commands_exposed() const;
  void make_system_prompt();
  void add_skills_to(SystemPrompt& system);
  bool has_key(const catalog::ProviderRow& row) const;
  bool can_be_asked(const std::string& model) const;
  std::string kept(std::string_view bytes);
  agent::ModelLimits limits_of(const model::ModelRef& model);
  std::vector<model::ModelRef> fallbacks_of(const model::ModelRef& model) const;
  bool ask_server_here(const model::ModelRef& model);
  std::string place_of(const model::ModelRef& model) const;
  model::Provider& provider_for(const model::ModelRef& model);
  void read_changed();  // instructions and notes that have been changed on disk
  void remember(const std::string& text, memory::Scope scope, Id session,
                std::optional<Id> entry) const;
  void look_around(agent::Settings& settings);
  void start_servers(const std::vector<mcp::ServerEntry>& entries);
  void wait_for_servers(const model::Ports& ports);
  void take_server_tools(const model::Ports& ports);
  void add_server_texts(agent::Settings& settings) const;
  void take_services_of_servers(session::Services& services);
  std::optional<project::RenderedCommand> rendered_prompt(std::string_view name,
                                                          std::string_view arguments,
                                                          const model::Ports& ports);
  std::int64_t first_window() const;  // of the model that is asked first; 0: not known
  model::ToolPorts tool_ports(const model::Ports& ports);
  // What a tool's result attaches to a prompt. Throws Error if it is a failure.
  static model::Fetched as_fetched(const std::string& name, const model::ToolOutcome& read);
  model::Tool web_tool();
  std::function<bool(const std::string&)> typed_in(Id session) const;
  std::optional<model::Fetched> fetched_page(const std::string& name,
                                             const session::CommandPorts& ports);
  void open_folders();
  // Opens those of the session, besides those of the flags; what there is to say of it.
  std::vector<std::string> take_up_folders(Id session) const;
  void keep_folders(Id session);  // those that are open, as the session's
  void add_further_files(std::vector<std::string>& files) const;
  void take_services_of_folders(session::Services& services);
  std::shared_ptr<jobs::Jobs> make_jobs();
  void note_end_of_job(Id session, const jobs::Record& job, const std::string& report);
  void take_services_of_jobs(session::Services& services);
  void set_up_hooks();
  std::vector<session::HookLine> hook_lines() const;
  void set_up_agents();
  std::vector<std::string> agent_names() const;  // that can be asked
  bool look_for_agents();                        // true: the model has something to hear
  void add_agents_to(SystemPrompt& system) const;
  void choose_role();  // --agent
  void keep_to_role(model::Tools& tools) const;
  void read_skills_of_role(SystemPrompt& system);
  bool may_choose_for_agents(const std::string& model) const;
  subagents::MakeWorker hire(const subagents::Order& order) const;
  void take_services_of_agents(session::Services& services);

  const Invocation& invocation_;
  std::string workspace_;
  ProjectFiles project_;  // early: its skills are loaded while the rest is made
  catalog::Catalog catalog_{};
  providers::Keyring keys_{};
  config::Config config_;
  mutable store::SessionStore store_;
  catalog::KnownWindows windows_;
  discovery::ModelCache model_cache_;
  std::map<Id, web::TypedUrls> typed_{};         // by session
  std::shared_ptr<web::Fetcher> fetcher_{};      // the copies of its tool have it too
  std::map<std::string, std::int64_t> asked_{};  // when each server of this machine was, in ms
  std::shared_ptr<const tools::workspace::Withheld> withheld_;   // the tools have it too
  std::shared_ptr<tools::workspace::FurtherRoots> further_{};    // the tools have it too
  std::vector<tools::workspace::FurtherFolder> flag_folders_{};  // of --add-dir
  agent::Inbox inbox_{};  // what comes for the model from outside of a turn
  News news_{inbox_};
  bool jobs_last_ = false;  // they are written down where another skein finds them
  tools::sandbox::PrivateTemporary jobs_temporary_{};
  std::shared_ptr<jobs::Jobs> jobs_{};  // the tools have it too
  model::Tools tools_;
  instructions::Instructions instructions_;
  memory::Memory memory_;
  SystemPrompt system_;  // empty until the skills are taken
  bool took_skills_ = false;
  mutable store::home::Grants grants_;  // read when first asked
  mutable store::home::RulesHere rules_here_;
  std::map<std::string, std::unique_ptr<model::Provider>> providers_{};
  checkpoints::FileKeeper file_keeper_;
  std::unique_ptr<hooks::Hooks> hooks_{};  // null: there are none
  std::vector<hooks::Definition> untrusted_hooks_{};
  std::unique_ptr<agent::Agent> agent_{};
  std::size_t own_tools_ = 0;  // those in front of the servers' in tools_
  std::int64_t taken_changes_ = -1;
  bool waited_ = false;  // for the servers, before the first turn
  std::vector<std::string> server_notices_{};
  std::unique_ptr<mcp::Hub> servers_{};          // null: there are none
  std::optional<subagents::Definition> role_{};  // as which agent it works; none: as skein itself
  bool for_another_ = false;                     // for another agent, that is, and not for the user
  std::vector<subagents::Definition> agents_{};  // that can be asked
  std::vector<std::string> agent_remarks_{};
  std::unique_ptr<subagents::Crew> crew_{};  // null: there are none. It uses most of the others
};

// What the model is kept from in a workspace, by its files and the user's.
tools::workspace::Withheld::Settings withheld_settings(const project::Places& places,
                                                       const config::Config& config);

// Each returns the exit status.
int run(const Invocation& invocation);
int print_mode(Application& application,
               const Invocation& invocation);                           // -p: one turn, for scripts
int repl_mode(Application& application, const Invocation& invocation);  // the prompt
bool attended();  // a user sees what we ask and can answer it

// From now on these set what is below, and none ends the program.
void catch_signals();
// Set by SIGINT, SIGTERM and SIGHUP; cleared before something starts that can be stopped.
std::atomic<bool>& stop_asked();
// How many of them there were, for waits that begin when the flag is still set.
unsigned signals_seen();
// Set by SIGTERM and SIGHUP, never cleared.
std::atomic<bool>& leave_asked();

// What a shell calls a program that was ended by ^C; scripts get it for every signal.
inline constexpr int interrupted_status = 130;

}  // namespace skein::app
