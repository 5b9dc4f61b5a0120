// What the user has set, each setting with its default. app/setup/load_config.h says where it comes
// from.
#pragma once

#include "core/budget/budget.h"
#include "core/hooks/definition.h"
#include "core/mcp/server_entry.h"
#include "core/permission/policy.h"
#include "core/process/child.h"
#include "core/sandbox/sandbox.h"
#include "repl/layout/style.h"

namespace skein::config {

// A [[hooks.EVENT]] table: `name` is its event and its place among those of the event.
struct ConfiguredHook {
  std::string name{};
  hooks::HookDefinition definition{};
};

// [statusline]: what is shown above the prompt while it waits.
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
  budget::SpendingLimits budget{};
  double compact_at = 0.85;  // the part of a model's window that may be full; 0: no limit
  std::string archive_after{}, trash_after{};  // unused for so long ("30d"); empty: never
  std::string notify = "auto";                 // how a user who looks elsewhere is called
  std::string notify_command{};                // a program that does it
  permission::Rules rules{};
  std::optional<sandbox::Sandbox> sandbox{};  // left out: the best this machine has
  bool sandbox_network = true;
  int sandbox_processes = 4096;  // that a command may start; 0: no limit
  int sandbox_memory = 0;        // MiB for each process of a command; 0: no limit
  std::string system_prompt{};   // empty: the built-in one
  std::string append_system_prompt{};
  bool instructions = true;  // read AGENTS.md and similar files; --no-instructions: do not
  // The files that say what the model is kept from, by name.
  std::vector<std::string> ignore_files{".skeinignore", ".aiignore",    ".geminiignore",
                                        ".crushignore", ".gooseignore", ".aiderignore",
                                        ".cursorignore"};
  std::string files_follow = "ask";                        // or always, never
  std::string color{};                                     // empty: auto
  std::map<std::string, std::vector<std::string>> keys{};  // [keys]: chords by action
  bool screen_reader = false;
  bool session_search = false;  // the model may look into earlier sessions
  bool planning_tools = true;   // the model gets todo, ask and present_plan
  bool background = true;       // the model may run commands and agents in the background
  bool wake = false;            // a job or sub-agent that ends begins a turn
  bool web_fetch = true;        // the model gets web_fetch
  int max_agents = 4;           // at work at once; 0: the model does not get the tool agent
  std::vector<std::string> agent_models{};  // that a model may choose for them
  bool quiet = false;
  StatusLineSettings statusline{};
  std::map<std::string, mcp::ServerEntry> servers{};  // [mcp.NAME]
  std::vector<ConfiguredHook> hooks{};                // the user's, then the workspace's
  bool claude_hooks = false;                          // those in Claude Code's settings count too
  std::vector<std::string> add_folders{};             // additional directories, besides --add-dir
  std::vector<std::string> notices{};                 // what was passed over, and why
  std::vector<std::string> untrusted{};           // what does not count until the user trusts it
  std::vector<std::string> troubles{};            // what is wrong in the files: "FILE:LINE: …"
  std::string theme = "auto";                     // or light, dark
  std::map<std::string, layout::Style> colors{};  // by the names of layout::named_styles()

  sandbox::Sandbox chosen_sandbox() const { return sandbox ? *sandbox : sandbox::best_sandbox(); }
  process::ProgramLimits command_limits() const {
    return {.processes = static_cast<std::uint64_t>(sandbox_processes),
            .memory = static_cast<std::uint64_t>(sandbox_memory) << 20};
  }
};

}  // namespace skein::config
