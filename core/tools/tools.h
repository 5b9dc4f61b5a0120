// The tools a model gets: read, write, edit, list, grep, bash and its jobs, all in the workspace.
#pragma once

#include "core/model/tool.h"
#include "core/process/child.h"
#include "core/sandbox/sandbox.h"
#include "core/text/encoding.h"
#include "core/workspace/roots.h"

namespace skein::jobs {
class Jobs;
}  // namespace skein::jobs

namespace skein::web {
class Fetcher;
}  // namespace skein::web

namespace skein::tools {

using model::Effect, model::Tool, model::tool_failure, model::tool_text;
using model::ToolOutcome, model::ToolPorts, model::Tools;
using workspace::OpenedFile, workspace::FilePlace, workspace::Root;

// How much a tool may take in and give back.
struct ToolLimits {
  std::size_t result_bytes = 48 * 1024;                // of text that goes to the model
  std::size_t read_lines = 2000;                       // unless the call asks for another number
  std::size_t read_scan_bytes = std::size_t{1} << 30;  // passed over to find a line far down
  std::size_t edit_bytes = 16 * 1024 * 1024;  // the largest file that is edited or compared
  std::size_t image_bytes = most_image_bytes;
  std::size_t list_entries = 1000;
  std::size_t grep_lines = 200;
  std::size_t grep_file_bytes = 32 * 1024 * 1024;  // larger files are named and passed over
  std::chrono::milliseconds grep_time{10'000};
  std::chrono::milliseconds bash_time{120'000};       // unless the call asks for another
  std::chrono::milliseconds bash_longest{3'600'000};  // whatever the call asks for
  std::chrono::milliseconds grace{2'000};             // between SIGTERM and SIGKILL
  std::size_t kept_bytes = 64 * 1024 * 1024;          // of a command's output, as a blob
  std::chrono::milliseconds job_look{1'000};          // at a job, before its call is answered
};

struct ToolSettings {
  std::string root;                           // the workspace
  std::vector<std::string> forbidden{};       // skein's own files: sessions, configuration, state
  std::optional<sandbox::Sandbox> sandbox{};  // for bash; left out: the best this machine has
  bool network = true;                        // inside the sandbox
  process::ProgramLimits command_limits{};
  // Trusted files that run by themselves, beyond the known names. Asked before each command.
  std::function<std::vector<std::string>()> guarded = [] { return std::vector<std::string>{}; };
  std::string claims{};  // see FileClaims; empty: commands claim nothing
  // What the model is kept from; shared with the code that shows it. Null: nothing.
  std::shared_ptr<const workspace::IgnoredPaths> withheld{};
  // What may be read besides the workspace; shared with the code that finds it. May be null.
  std::shared_ptr<const workspace::ReadableFolders> readable{};
  // What the user has opened besides; shared with the code that opens it. May be null.
  std::shared_ptr<const workspace::AdditionalDirectories> further{};
  std::string unfinished{};       // as Root takes it
  std::string quarantine{};       // where bash moves what a command must not leave; see Quarantine
  std::string command_records{};  // where it notes how to undo a command; see GuardRecord
  // Commands that run in the background, shared with the code that shows them. Null: none do.
  std::shared_ptr<jobs::Jobs> jobs{};
  ToolLimits limits{};
};

// Throws Error if the workspace cannot be opened.
Tools standard_tools(const ToolSettings& settings);
// The same without a workspace, and the optional ones: to describe them. They cannot be run.
const Tools& tool_table();

// The parts, each in its own file. They share the open workspace.
using SharedRoot = std::shared_ptr<const Root>;
using workspace::Roots;
Tool read_tool(const Roots& roots, const ToolLimits& limits);
Tool write_tool(const Roots& roots, const ToolLimits& limits);
Tool edit_tool(const Roots& roots, const ToolLimits& limits);
Tool list_tool(const Roots& roots, const ToolLimits& limits);
Tool grep_tool(const Roots& roots, const ToolLimits& limits);
Tool bash_tool(const Roots& roots, const ToolSettings& settings);
model::Survey survey_of(const Roots& roots);  // for bash

// What recall returns: a place in an earlier conversation.
struct Recollection {
  std::string session, entry, who, time, text;
};
// The best few for a query, best first; throws Error if it cannot be understood.
using Recall = std::function<std::vector<Recollection>(
    const std::string& query, const std::string& since, const ToolPorts& ports)>;
Tool recall_tool(Recall recall);

// Another: keeps a line for later sessions. Throws Error if it cannot.
using Remember = std::function<void(const std::string& text, const ToolPorts& ports)>;
Tool remember_tool(Remember remember);
// Another one: what a skill says, by its name, with the files that belong to it.
using ReadSkill = std::function<ToolOutcome(const std::string& name, const ToolPorts& ports)>;
Tool skill_tool(ReadSkill read);

// Another one: a page of the web, by what its copies fetch with together. Null: it cannot be run.
Tool web_fetch_tool(std::shared_ptr<web::Fetcher> fetcher);
// And one that hands a task to another agent.
struct AgentRequest {
  std::string agent{};  // empty: general
  std::string description{}, prompt{};
  std::string model{};   // wanted by the model that asks; empty: none
  std::string resume{};  // the session of an earlier one; empty: a new one
  bool background = false;
};
using AskAgent = std::function<ToolOutcome(const AgentRequest& request, const ToolPorts& ports)>;
Tool agent_tool(AskAgent ask, bool background = true);  // whether one may be left at work
// Two for jobs: what one has printed, with a wait that costs no request; and an end to one.
using SharedJobs = std::shared_ptr<jobs::Jobs>;
Tool job_output_tool(SharedJobs jobs);
Tool job_stop_tool(SharedJobs jobs);

// The model's list of things to do, its questions to the user, and its plan in plan mode.
Tool todo_tool();
Tool ask_tool();
Tool present_plan_tool();

// What the tools about a path share: the argument, the title, `run` in the workspace.
using ToolFunction = ToolOutcome (*)(const Root&, const ToolLimits&, const JsonText&,
                                     const ToolPorts&);
Tool path_tool(std::string_view name, model::Argument::Kind kind, Effect effect, const Roots& roots,
               const ToolLimits& limits, ToolFunction run);
// The use that a tool with this effect makes of a place.
Roots::Use use_of(Effect effect);
// ports.denied for a walk, which sets `any` if it passes something over. Both must outlive it.
std::function<bool(std::string_view below)> noting_denied(const ToolPorts& ports, bool& any);
// The place of a call's path, if it still is the one that was judged.
FilePlace judged_place(const Root& root, std::string_view path, const ToolPorts& ports,
                       Root::Missing folders = Root::Missing::refuse);

}  // namespace skein::tools
