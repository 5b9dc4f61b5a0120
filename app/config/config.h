// What the user has set, each setting with its default. app/load_config.h says where it comes from.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/handover/target.h"
#include "core/hooks/definition.h"
#include "core/instructions/instructions.h"
#include "core/mcp/server_entry.h"
#include "core/permission/policy.h"
#include "core/tools/sandbox/process.h"
#include "core/tools/sandbox/sandbox.h"
#include "repl/layout/style.h"

namespace skein::config {

// A [[hooks.EVENT]] table: `name` is its event and its place among those of the event.
struct ConfiguredHook {
  std::string name{};
  hooks::Definition definition{};
};

// [statusline]: what stands above the prompt while it waits.
struct StatusLineSettings {
  std::optional<std::vector<std::string>> items{};  // none: the usual ones
  std::string command{};                            // prints it instead; empty: there is none
  double refresh = 0;  // seconds after which it is run again; 0: when something has changed
  double timeout = 2;  // seconds it may take
};

struct Config {
  std::string home{};        // of sessions; empty: the usual folder
  bool home_outbox = false;  // what a database cannot be sent waits on this machine
  std::string model{};       // empty: the best there is a key for
  // What to ask when a model cannot answer, by its name; "": for all others.
  std::map<std::string, std::vector<std::string>> fallback{};
  std::string plan_model{};  // answers in plan mode; empty: the same one
  std::string thinking{};
  int max_turns = 100;
  handover::Preferences handover{};
  double compact_at = 0.85;  // the part of a model's window that may be full; 0: no limit
  bool keep_deltas = true;   // write an answer down while it comes
  std::string archive_after{}, trash_after{};  // unused for so long ("30d"); empty: never
  bool terminal_marks = true;                  // title, prompt marks
  std::string notify = "auto";                 // how a user who looks elsewhere is called
  std::string notify_command{};                // a program that does it
  permission::Rules rules{};
  std::optional<tools::sandbox::Sandbox> sandbox{};  // left out: the best this machine has
  bool sandbox_network = true;
  int sandbox_processes = 4096;  // that a command may start; 0: no limit
  int sandbox_memory = 0;        // MiB for each process of a command; 0: no limit
  std::string system_prompt{};   // empty: the built-in one
  std::string append_system_prompt{};
  std::size_t max_instructions = instructions::usual_bytes;  // of AGENTS.md and its kin, in bytes
  // The files that say what the model is kept from, by name.
  std::vector<std::string> ignore_files{".skeinignore", ".aiignore",    ".geminiignore",
                                        ".crushignore", ".gooseignore", ".aiderignore",
                                        ".cursorignore"};
  std::string files_follow = "ask";                        // or always, never
  std::int64_t keep_checkpoints = 200;                     // of a session, by prune-blobs
  std::string color{};                                     // empty: auto
  std::string enter_while_busy = "queue";                  // or steer
  std::map<std::string, std::vector<std::string>> keys{};  // [keys]: chords by action
  bool screen_reader = false;
  bool session_search = false;        // the model may look into earlier sessions
  bool planning_tools = true;         // the model gets todo, ask and present_plan
  bool background = true;             // the model may have commands and agents work beside it
  bool background_on_timeout = true;  // a command that is out of time goes on as a job
  bool jobs_wake = false;             // a job that ends begins a turn by itself
  bool agents_wake = false;           // so does a sub-agent in the background
  bool web_fetch = true;              // the model gets web_fetch
  bool web_fetch_typed = true;        // what the user typed is fetched without a question
  int max_agents = 4;                 // at work at once; 0: the model does not get the tool agent
  double agent_budget = 0;            // dollars for those of one turn; 0: no limit
  std::vector<std::string> agent_models{};  // that a model may choose for them
  bool quiet = false;
  StatusLineSettings statusline{};
  std::map<std::string, mcp::ServerEntry> servers{};  // [mcp.NAME]
  std::vector<ConfiguredHook> hooks{};                // the user's, then the workspace's
  bool claude_hooks = false;                          // those in Claude Code's settings count too
  std::vector<std::string> add_folders{};             // additional directories, besides --add-dir
  std::vector<std::string> notices{};                 // what was passed over, and why
  std::vector<std::string> troubles{};            // what is wrong in the files: "FILE:LINE: …"
  bool banner = true;                             // a new session begins with a greeting
  std::map<std::string, layout::Style> colors{};  // by the names of layout::named_styles()

  tools::sandbox::ProgramLimits command_limits() const;
};

}  // namespace skein::config
