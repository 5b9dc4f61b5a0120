// What commands may ask of the rest of the program: the parts of core that were made for this
// start, the models, and what only app/ knows: what the user and the project add, keys, trust and
// the configuration.
#pragma once

#include "core/agent/conversation.h"
#include "core/checkpoints/checkpointer.h"
#include "core/handover/target.h"
#include "core/hooks/hooks.h"
#include "core/insights/tally.h"
#include "core/instructions/instructions.h"
#include "core/jobs/jobs.h"
#include "core/mcp/hub.h"
#include "core/memory/memory.h"
#include "core/model/attachments.h"
#include "core/model/provider.h"
#include "core/model/tool.h"
#include "core/permission/policy.h"
#include "core/project/own_commands.h"
#include "core/project/skill.h"
#include "core/store/files/files.h"
#include "core/store/home/grants.h"
#include "core/subagents/agent_pool.h"
#include "core/workspace/ignored_paths.h"
#include "repl/pick/model_picker.h"
#include "repl/session/session_folders.h"

namespace skein::session {

using insights::Cost, pick::ModelLine;

// For a command of the user's own, and the commands in it.
struct CommandPorts {
  const permission::Rules& rules;
  const model::Ports& ports;
  Id session{};
  std::function<bool(const std::string& question)> confirm{};  // left out: there is no user to ask
};

// Those that count, and what is wrong with others.
template <class Item>
struct Found {
  std::vector<Item> all{};
  std::vector<std::string> remarks{};
};

// What /login and /logout do with the key of a provider.
enum class KeyStep { check, store, remove };

// The models there are, and what is known of each. This one knows none.
class Models {
 public:
  virtual ~Models() = default;
  virtual std::vector<ModelLine> lines() { return {}; }
  // Asks services for their models while the list is shown; true: it has changed.
  virtual bool refresh(const model::Ports&) { return false; }
  // Accepts any name a user may type; throws Error if there is no such model.
  virtual model::ModelRef parse(std::string_view) const { return {}; }
  // What a user who chooses this model and its thinking should know.
  virtual std::vector<std::string> remarks(const model::ModelRef&) const { return {}; }
  virtual handover::Target target(const model::ModelRef&) const { return {}; }
  virtual std::string clean(std::string text) const { return text; }  // masks every key in it
  using Sink = std::function<void(const model::Event&)>;
  virtual Sink masking(Sink sink) const { return sink; }  // shows it events with keys masked
  // In what it returns, each model is looked up once.
  virtual insights::Prices prices() const {
    return [](const std::string&, const model::Usage&) { return std::nullopt; };
  }
  // Says what came of it; without a provider, which keys there are. Throws Error if it fails.
  virtual std::string handle_key(KeyStep, std::string_view, const std::string&) { return {}; }
};

// Facts about the program itself.
struct ProgramFacts {
  std::string version{}, home{}, log{};
  std::vector<std::string> settings{};     // the files they were read from
  std::string configuration{}, sandbox{};  // in a few lines, for people
};

// The rest of the program, as a session needs it. This one has nothing and does nothing.
class Program {
 public:
  virtual ~Program() = default;
  // What the user and the project add to skein; each is looked up when it is asked for. All of the
  // commands; see project::by_name.
  virtual std::vector<project::OwnCommand> own_commands() { return {}; }
  virtual Found<project::LoadedSkill> skills() { return {}; }
  virtual Found<subagents::Definition> agents() { return {}; }  // those that can be asked
  // With the reason why a program is not run now.
  virtual std::vector<hooks::Hooks::Line> hooks() { return {}; }
  virtual const instructions::Instructions* instructions() { return nullptr; }

  // Called before anything is done for the user: what was still being read when the prompt came is
  // taken, and rules that Services::news found. True: the settings have to be made again.
  virtual bool catch_up() { return false; }
  // The message that one of the user's own commands, or a server's prompt, becomes; nullopt: there
  // is none of that name. Throws Error if nothing is to be sent.
  virtual std::optional<project::RenderedCommand> render(std::string_view, std::string_view,
                                                         const CommandPorts&) {
    return std::nullopt;
  }
  // What a name leads to that is no file; see model::AttachPorts.
  virtual std::optional<model::Fetched> fetch(const std::string&, const CommandPorts&) {
    return std::nullopt;
  }
  // The user has typed this text: what it names may be used in that session.
  virtual void note_typed(Id, std::string_view) {}
  virtual ProgramFacts facts() const { return {}; }
  // What is used of each limit on cost and time; empty: there is none.
  virtual std::string budget(const agent::Conversation&) const { return {}; }
  virtual std::vector<std::string> topics() const { return {}; }  // of the guide
  // A page of the guide as Markdown; empty: there is no such topic.
  virtual std::string guide(std::string_view) const { return {}; }
  // Ends the jobs and sub-agents that are at work, or leaves the jobs running; says so.
  virtual std::string leave_work(bool) { return {}; }
  // A session is opened: reports the work that was left running in it.
  virtual std::vector<std::string> take_up_work(const agent::Conversation&) { return {}; }
};

inline Models no_models{};
inline Program no_program{};

// Of a server in a table: a reason seldom fits into a column.
inline std::string short_state(const mcp::Hub::Row& server) {
  return server.good || server.waiting ? server.state : "failed";
}

struct Services {
  const model::Tools* tools = nullptr;
  // Null: this start has none.
  jobs::Jobs* jobs = nullptr;
  bool can_keep_jobs = false;  // they can be left running
  mcp::Hub* servers = nullptr;
  subagents::AgentPool* agents = nullptr;
  const memory::Memory* memory = nullptr;
  SessionFolders* folders = nullptr;
  std::shared_ptr<const workspace::IgnoredPaths> ignored{};
  checkpoints::Checkpointer* checkpoints = nullptr;
  store::home::Grants* grants = nullptr;         // of a session, recorded outside of its transcript
  store::home::RulesHere* rules_here = nullptr;  // of this workspace, whichever session is open
  std::shared_ptr<store::files::Files> home{};   // where it is noted who has a session open
  Models* models = &no_models;
  Program* program = &no_program;
  // These parts as lists; empty where there is no such part.
  std::vector<subagents::AgentLine> agents_of(Id session) const {
    return agents != nullptr ? agents->lines(session) : std::vector<subagents::AgentLine>{};
  }
  std::vector<mcp::Hub::Row> server_rows() const {
    return servers != nullptr ? servers->rows() : std::vector<mcp::Hub::Row>{};
  }
  std::vector<mcp::PromptCommand> server_prompts() const {
    return servers != nullptr ? servers->prompts() : std::vector<mcp::PromptCommand>{};
  }
  std::vector<workspace::AdditionalDirectory> open_folders() const {
    return folders != nullptr ? folders->roots()->folders()
                              : std::vector<workspace::AdditionalDirectory>{};
  }

  // Whether files are put back when the conversation goes elsewhere.
  enum class FilesFollow { ask, always, never } files_follow = FilesFollow::ask;

  // What the user should read between two prompts, once; empty: nothing. Without a session only
  // that the settings on disk have changed.
  std::function<std::string(std::optional<Id> open)> news = [](auto) { return std::string(); };
};

}  // namespace skein::session
