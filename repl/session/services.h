// What commands may ask of the rest of the program. The REPL knows no provider, no key and no
// configuration file; app/ provides these functions.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/agent/conversation.h"
#include "core/agent/parts.h"
#include "core/checkpoints/workspace_files.h"
#include "core/handover/target.h"
#include "core/model/attachments.h"
#include "core/model/message.h"
#include "core/model/provider.h"
#include "core/model/tool.h"
#include "core/permission/policy.h"
#include "core/project/own_commands.h"
#include "core/project/skill_texts.h"
#include "core/text/base.h"
#include "repl/pick/model_rows.h"

namespace skein::session {

using pick::ModelLine;

struct Cost {
  double dollars = 0;
  bool at_least = false;  // a call in it may have been charged higher
  bool operator==(const Cost&) const = default;
};

// A file of instructions, for people.
struct InstructionLine {
  std::string file, name, why;
  std::int64_t tokens = 0;
};

// Something that is remembered between sessions, and where it was said (ids; empty: by hand).
struct MemoryLine {
  std::string text, session, entry, date;
  bool everywhere = false;  // in every project
};

// For a command of the user's own, and the commands that stand in it.
struct CommandPorts {
  const permission::Rules& rules;
  const model::Ports& ports;
  Id session{};
  std::function<bool(const std::string& question)> confirm{};  // left out: nobody is there
};

// A server of tools, for a list.
struct ServerLine {
  std::string name, state, tools, tokens, source, place;
  std::string trouble{};  // why it cannot be used
};

// A prompt that a server offers, as a command.
struct ServerPrompt {
  std::string name, hint, description;
};

// A program that is run at an event, for a list.
struct HookLine {
  std::string event{}, matcher{}, command{}, file{};
  bool of_project = false;
  std::int64_t runs = 0;
  std::string last_exit{};
  std::int64_t last_ms = 0;
  std::string trouble{};  // why it is not run
};

// A sub-agent that works or has worked for a session.
struct AgentLine {
  std::string session{}, title{}, state{}, doing{}, amounts{};
  std::int64_t ms = 0;  // that it has worked; 0: not known
};

// One that can be asked.
struct KnownAgent {
  std::string name, description, from;
};

// A folder that tools may use besides the workspace.
struct FolderLine {
  std::string path{};
  bool read_only = false;
  bool by_flag = false;  // --add-dir
  bool wide = false;     // the home folder, or one above it: ask first
};

// A command that runs in the background, for a list.
struct JobLine {
  std::string number, command, state, last_line;
  bool runs = false;
};

// A part of what one has printed.
struct JobPiece {
  std::string text{};
  std::uint64_t next = 0;  // the byte behind it
  bool runs = false;       // more may come
};

// What there is to say of the program itself.
struct ProgramFacts {
  std::string version{}, home{}, log{};
  std::vector<std::string> settings{};  // the files they were read from
};

struct Services {
  const model::Tools* tools = nullptr;
  std::function<std::vector<ModelLine>()> models = [] { return std::vector<ModelLine>{}; };
  // Asks services for their models while the list is shown; true: it has changed.
  std::function<bool(const model::Ports&)> refresh_models = [](const model::Ports&) {
    return false;
  };
  // What a user who chooses this model and its thinking should know.
  std::function<std::vector<std::string>(const model::ModelRef&)> remarks =
      [](const model::ModelRef&) { return std::vector<std::string>{}; };
  // Accepts any name a user may type; throws Error if there is no such model.
  std::function<model::ModelRef(std::string_view)> model{};
  std::function<handover::Target(const model::ModelRef&)> target{};
  // What this usage of provider/model cost; nullopt: unknown.
  std::function<std::optional<Cost>(const std::string& model, const model::Usage& usage)> cost =
      [](const std::string&, const model::Usage&) { return std::nullopt; };
  // The same for the many calls of a report: what is known of a model is looked up once.
  using CallCost = std::function<std::optional<Cost>(const std::string&, const model::Usage&)>;
  std::function<CallCost()> call_cost = [] {
    return [](const std::string&, const model::Usage&) { return std::nullopt; };
  };
  // Called before anything is done for the user: what was still being read when the prompt came is
  // taken. True: the settings have to be made anew.
  std::function<bool()> catch_up = [] { return false; };
  // What the user should be told between two prompts, once; empty: nothing.
  std::function<std::string(Id open)> news = [](Id) { return std::string{}; };
  // The same before a line is followed: that what is in force is no longer what is written.
  std::function<std::string()> changed_settings = [] { return std::string{}; };
  // How to provide keys, and which were found; with a provider's name, whether its key works.
  std::function<std::string(std::string_view provider)> login = [](std::string_view) {
    return std::string{};
  };
  // Commands of the project and the user's own, all of them; see project::by_name.
  std::function<std::vector<project::OwnCommand>()> own_commands = [] {
    return std::vector<project::OwnCommand>{};
  };
  // The message that one of them becomes; nullopt: there is none of that name. Throws Error if
  // nothing is to be sent.
  std::function<std::optional<project::RenderedCommand>(
      std::string_view name, std::string_view arguments, const CommandPorts& ports)>
      render = [](std::string_view, std::string_view, const CommandPorts&) {
        return std::optional<project::RenderedCommand>{};
      };
  // Those that count, sorted by name; and what is wrong with others.
  std::function<std::vector<project::LoadedSkill>()> skills = [] {
    return std::vector<project::LoadedSkill>{};
  };
  std::function<std::vector<std::string>()> skill_remarks = [] {
    return std::vector<std::string>{};
  };
  // The files that @ can name, relative to the workspace, without those that git ignores.
  std::function<std::vector<std::string>()> files = [] { return std::vector<std::string>{}; };
  // What the model is told of instructions, as it is on disk by now, in its order.
  std::function<std::vector<InstructionLine>()> instructions = [] {
    return std::vector<InstructionLine>{};
  };
  // What later sessions are told; throws Error if it cannot be kept.
  std::function<void(const std::string& text, bool everywhere, Id session, std::optional<Id> entry)>
      remember = [](const std::string&, bool, Id, std::optional<Id>) {};
  std::function<std::vector<MemoryLine>()> memory = [] { return std::vector<MemoryLine>{}; };
  std::function<std::string(bool everywhere)> memory_file = [](bool) { return std::string{}; };
  std::function<ProgramFacts()> program = [] { return ProgramFacts{}; };
  std::function<std::string()> configuration = [] { return std::string{}; };
  // Grants or revokes a rule of this session, recorded outside of its transcript. Each returns why
  // that could not be saved.
  std::function<std::string(Id session, const std::string& rule)> grant =
      [](Id, const std::string&) { return std::string{}; };
  std::function<std::string(Id session, const std::string& rule)> take_back = grant;
  // The same of a rule for this workspace, whichever session is open.
  std::function<std::string(const std::string& rule)> grant_here = [](const std::string&) {
    return std::string{};
  };
  std::function<std::string(const std::string& rule)> take_back_here = grant_here;
  // The patterns of what the model is kept from, each with where it is written; and those of files
  // about which the user is asked.
  std::function<std::vector<std::string>()> withheld = [] { return std::vector<std::string>{}; };
  std::string secrets{};
  // The files of the workspace, which can be put back together with the conversation; null: they
  // are not kept. Throws Error if the workspace cannot be opened.
  std::function<checkpoints::WorkspaceFiles*()> kept_files = []() -> checkpoints::WorkspaceFiles* {
    return nullptr;
  };
  // Notes down the files as they are now. What the user should know of it.
  std::function<std::vector<std::string>(Id session, const std::function<bool()>& stopped)>
      take_checkpoint = [](Id, const std::function<bool()>&) { return std::vector<std::string>{}; };
  // Whether files are put back when the conversation goes elsewhere.
  enum class FilesFollow { ask, always, never } files_follow = FilesFollow::ask;
  std::function<std::vector<ServerLine>()> servers = [] { return std::vector<ServerLine>{}; };
  // Does `what` (reconnect, enable or disable) with a server and says what came of it. Throws Error
  // if there is no such server or nothing of that kind to do.
  std::function<std::string(std::string_view what, std::string_view server)> change_server =
      [](std::string_view, std::string_view) { return std::string{}; };
  // What servers offer by now: prompts, which `render` knows as well, and resources, as SERVER:URI.
  std::function<std::vector<ServerPrompt>()> server_prompts = [] {
    return std::vector<ServerPrompt>{};
  };
  std::function<std::vector<std::string>()> server_resources = [] {
    return std::vector<std::string>{};
  };
  // What a name leads to that is no file; see model::AttachPorts.
  std::function<std::optional<model::Fetched>(const std::string& name, const CommandPorts& ports)>
      fetch = [](const std::string&, const CommandPorts&) { return std::nullopt; };
  // The user has typed this text: what it names may be used in that session.
  std::function<void(Id session, std::string_view text)> typed = [](Id, std::string_view) {};
  std::function<std::vector<HookLine>()> hooks = [] { return std::vector<HookLine>{}; };
  // Sub-agents: those of a session, those that can be asked, what is wrong with others.
  std::function<std::vector<AgentLine>(Id session)> agents = [](Id) {
    return std::vector<AgentLine>{};
  };
  std::function<std::vector<KnownAgent>()> known_agents = [] { return std::vector<KnownAgent>{}; };
  std::function<std::vector<std::string>()> agent_remarks = [] {
    return std::vector<std::string>{};
  };
  std::function<std::size_t()> agents_working = [] { return std::size_t{0}; };
  // One of them is at work in this session, which is its own.
  std::function<bool(Id session)> agent_works_in = [](Id) { return false; };
  // By the beginning of its session's id. False: none of that name is at work.
  std::function<bool(std::string_view id)> stop_agent = [](std::string_view) { return false; };
  std::function<std::vector<JobLine>(Id session)> jobs = [](Id) { return std::vector<JobLine>{}; };
  // Ends one and says how it ended. This and the next throw Error if there is none.
  std::function<std::string(Id session, int number)> stop_job = [](Id, int) {
    return std::string{};
  };
  // What one has printed from that byte on; nullopt: the end of what it has printed so far.
  std::function<JobPiece(Id session, int number, std::optional<std::uint64_t> since)> job_piece =
      [](Id, int, std::optional<std::uint64_t>) { return JobPiece{}; };
  // How many would end with us, in whatever session; and whether they can be left running.
  std::function<std::size_t()> running_jobs = [] { return std::size_t{0}; };
  bool can_keep_jobs = false;
  // Ends the jobs and sub-agents that are at work, or leaves the jobs running; says so.
  std::function<std::string(bool keep)> leave_work = [](bool) { return std::string{}; };
  // A session is opened: what there is to say of what was left at work in it.
  std::function<std::vector<std::string>(const agent::Conversation&)> take_up_work =
      [](const agent::Conversation&) { return std::vector<std::string>{}; };
  // Others are told that we have a session open, for as long as what is returned lives; null: they
  // cannot be. And who else has it open, for people; empty: nobody that we know of.
  std::function<store::SessionLease(Id session)> keep_open = [](Id) { return nullptr; };
  std::function<std::string(Id session)> open_by = [](Id) { return std::string{}; };
  // Folders besides the workspace: those that are open; the one that is meant (throws Error if it
  // must not be opened); opening and closing, which return what to tell the model.
  std::function<std::vector<FolderLine>()> folders = [] { return std::vector<FolderLine>{}; };
  std::function<FolderLine(std::string_view path, bool read_only)> find_folder{};
  std::function<std::string(Id session, const FolderLine& folder)> open_folder{};
  std::function<std::string(Id session, const std::string& path)> close_folder{};
  // Describes the sandbox that commands run in.
  std::function<std::string()> sandbox = [] { return std::string{}; };
};

}  // namespace skein::session
