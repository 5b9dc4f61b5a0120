// What a command of the model's is shut into: bubblewrap where it works, else Landlock, else
// nothing, and then every command is asked about.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/tools/fd.h"

namespace skein {

enum class Sandbox { bubblewrap, landlock, none };
std::string_view name(Sandbox sandbox);
std::optional<Sandbox> parse_sandbox(std::string_view name);
// One sentence for people: what is active, what it does not do, what to install.
std::string describe(Sandbox sandbox);

// What works on this machine; tried out at the first call (a few milliseconds), remembered after.
Sandbox best_sandbox();
bool bubblewrap_works();
int landlock_version();  // 0: the kernel has none

// What a command may do.
struct Cell {
  std::string root;                      // writable; absolute and canonical, like all of these
  std::string temporary{};               // writable; seen as /tmp under bubblewrap
  std::vector<std::string> writable{};   // further ones
  std::vector<std::string> hidden{};     // empty and read-only even below a writable folder
  std::vector<std::string> read_only{};  // the same, but readable
  bool network = true;
};

// bubblewrap's command line up to and including "--"; the command follows. `absent` receives the
// names that had to be made to be protected: empty files, to be removed afterwards.
std::vector<std::string> bubblewrap_arguments(const Cell& cell, std::vector<std::string>& absent);

// A ruleset for Program::landlock. It cannot take a folder out of a writable one, so `hidden` and
// `read_only` hold only outside of those. Throws Error if the kernel refuses.
Fd landlock_rules(const Cell& cell);

// What below `root` runs by itself one day: git's hooks and configuration in every repository, and
// the shell's start-up files if the home folder is inside. Looks at a bounded number of folders.
std::vector<std::string> self_running_files(const std::string& root, const std::string& home);

// Keys in this process's memory: no core dump, no ptrace, no /proc/PID/environ for others.
void hide_process_memory();

}  // namespace skein
