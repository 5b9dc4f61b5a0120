// What the user has set: defaults < $XDG_CONFIG_HOME/skein/config.toml < the workspace's
// .skein/config.toml < environment < flags. A workspace may tighten, never loosen; it may choose
// models, addresses and key commands only after the user has trusted it.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/cli.h"
#include "core/handover/target.h"
#include "core/hooks/definition.h"
#include "core/instructions/instructions.h"
#include "core/mcp/server_entry.h"
#include "core/permission/policy.h"
#include "core/tools/sandbox/process.h"
#include "core/tools/sandbox/sandbox.h"
#include "providers/catalog/catalog.h"

namespace skein::app {

// A [[hooks.EVENT]] table: `name` is its event and its place among those of the event.
struct ConfiguredHook {
  std::string name{};
  hooks::Definition definition{};
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
  bool keep_deltas = false;  // write an answer down while it comes
  std::string archive_after{}, trash_after{};  // unused for so long ("30d"); empty: never
  bool terminal_marks = true;                  // title, prompt marks, bell
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
  std::string files_follow = "ask";     // or always, never
  std::int64_t keep_checkpoints = 200;  // of a session, by prune-blobs
  std::string color{};                  // empty: auto
  bool screen_reader = false;
  bool session_search = false;        // the model may look into earlier sessions
  bool planning_tools = true;         // the model gets todo, ask and present_plan
  bool background_on_timeout = true;  // a command that is out of time goes on as a job
  bool jobs_wake = false;             // a job that ends begins a turn by itself
  bool quiet = false;
  std::map<std::string, mcp::ServerEntry> servers{};  // [mcp.NAME]
  std::vector<ConfiguredHook> hooks{};                // the user's, then the workspace's
  bool claude_hooks = false;                          // those in Claude Code's settings count too
  std::vector<std::string> notices{};                 // what was passed over, and why
  std::vector<std::string> troubles{};  // what is wrong in the files: "FILE:LINE: …"

  tools::sandbox::ProgramLimits command_limits() const;
};

// Reads both files, adds their providers, models and aliases to the catalog, and lets the flags
// win. Throws Error (usage) with file and line if a file holds anything that is not understood.
// Without a workspace only the user's file is read.
Config load_config(const Invocation& invocation, const std::string& workspace,
                   catalog::Catalog& catalog);
// The same for those who must work with a broken file too: the troubles are in what it returns.
// `see` is shown every setting of a file that counts, and the file.
struct ConfigItem;
using SeeSetting = std::function<void(const ConfigItem&, const std::string& file)>;
Config load_config_anyway(const Invocation& invocation, const std::string& workspace,
                          catalog::Catalog& catalog, const SeeSetting& see = {});
// What is known of providers and models, with what the configuration adds. A working folder that is
// gone has none, and is no reason not to list sessions.
std::unique_ptr<const catalog::Catalog> configured_catalog(const Invocation& invocation);

std::string config_folder();     // $XDG_CONFIG_HOME/skein
std::string user_config_file();  // what $SKEIN_CONFIG names, else config.toml in that folder
std::string workspace_config_file(const std::string& workspace);
// Where the user's own file says that sessions live; empty: it does not. Says nothing about what is
// wrong in the file.
std::string configured_home();
bool configured_outbox();  // what it says of home-outbox

// A workspace's own configuration, if it has one.
struct WorkspaceFile {
  std::string path{};
  std::string text{};
  std::vector<std::string> wants{};  // the settings in it that count only when it is trusted
};
std::optional<WorkspaceFile> workspace_file(const std::string& workspace);
// What would be wrong in it once it is trusted, beside what is wrong in the user's own.
std::vector<std::string> troubles_once_trusted(const Invocation& invocation,
                                               const WorkspaceFile& file);
// Throws Error (usage) if there is any.
void check_before_trust(const Invocation& invocation, const WorkspaceFile& file);

}  // namespace skein::app
