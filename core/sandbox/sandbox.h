// Confines the model's commands: bubblewrap where it works, else Landlock, else each asks first.
#pragma once

#include "core/text/std.h"

#include "core/process/child.h"
#include "core/text/io.h"

namespace skein::sandbox {

enum class Sandbox { bubblewrap, landlock, none };
std::string_view name(Sandbox sandbox);
std::optional<Sandbox> parse_sandbox(std::string_view name);
// One sentence for people: what is active, what it does not do, what to install.
std::string describe(Sandbox sandbox);
// How far commands reach: a line about the network, one about limits.
std::string describe_network(Sandbox sandbox, bool wanted);
std::string describe(const process::ProgramLimits& limits);

// What works on this machine; tried out at the first call (a few milliseconds), remembered after.
Sandbox best_sandbox();
bool bubblewrap_works();
int landlock_version();                      // 0: the kernel has none
std::string landlock_weakness(int version);  // what an old one lets pass, as the end of a sentence

// What a command may do.
struct SandboxSpec {
  std::string root;                      // writable; a real place, like all of these
  std::string temporary{};               // writable; seen as /tmp under bubblewrap
  std::vector<std::string> hidden{};     // closed altogether, even below a writable folder
  std::vector<std::string> read_only{};  // the same, but readable
  std::vector<std::string> shown{};      // readable although they lie in something hidden
  std::vector<std::string> writable{};   // besides the root
  std::vector<std::string> readable{};   // and nothing else, wherever they lie
  bool network = true;
};

// Makes real places of `hidden`, which every sandbox can hide: none in another, and there if a
// command could make it. Returns the sentence that says why no command can run; empty: it can.
std::string settle_hidden(SandboxSpec& cell);

// Makes a program run in the sandbox: its arguments, which the command is added to, or its ruleset,
// which must stay open until it was started; its sockets and its environment.
Fd confine(process::Program& program, Sandbox sandbox, const SandboxSpec& cell);
// Says in which folders Landlock lets a command create nothing; empty: there are none.
std::string landlock_gap(const SandboxSpec& cell);

// Landlock can only grant, and a grant reaches down to the last file. So that something inside
// stays out: `top`, or, if something of `out` is in it, its children but that one, and so on
// down. All are real places. Links are left out: what they lead to has its place.
std::vector<std::string> grants_around(const std::string& top, const std::vector<std::string>& out);

// The folders that had to be opened child by child: no right is granted on them as such.
std::vector<std::string> folders_opened(const std::string& top,
                                        const std::vector<std::string>& out);

// Keys in this process's memory: no core dump, no ptrace, no /proc/PID/environ for others.
void hide_process_memory();

}  // namespace skein::sandbox
