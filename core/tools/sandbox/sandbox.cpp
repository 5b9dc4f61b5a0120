#include "core/tools/sandbox/sandbox.h"

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "core/text/log.h"
#include "core/tools/sandbox/process.h"
#include "core/tools/workspace/real_place.h"

namespace skein::tools::sandbox {

namespace {

namespace fs = std::filesystem;

constexpr std::array bubblewrap_paths{"/usr/bin/bwrap", "/usr/local/bin/bwrap", "/bin/bwrap"};

std::string bubblewrap_path() {
  for (const char* path : bubblewrap_paths)
    if (access(path, X_OK) == 0) return path;
  return "";
}

// Alone with its own processes and devices, without rights, dead when we are.
const std::vector<std::string> walls{"--unshare-user",
                                     "--unshare-pid",
                                     "--unshare-ipc",
                                     "--unshare-uts",
                                     "--unshare-cgroup-try",
                                     "--cap-drop",
                                     "ALL",
                                     "--die-with-parent",
                                     "--new-session",
                                     "--ro-bind",
                                     "/",
                                     "/",
                                     "--dev",
                                     "/dev",
                                     "--proc",
                                     "/proc"};

struct Facts {
  Sandbox sandbox;
  std::string_view name;
  std::string_view sentence;
};
constexpr std::array facts{
    Facts{Sandbox::bubblewrap, "bubblewrap",
          "commands run in a bubblewrap sandbox: they can write only in the workspace and in a "
          "temporary folder of their own, and cannot see skein's own files"},
    Facts{Sandbox::landlock, "landlock",
          "commands run under Landlock: they can write only in the workspace and in a temporary "
          "folder, and cannot read skein's own files"},
    Facts{Sandbox::none, "none", "commands run without a sandbox, so each one is asked about"},
};
static_assert(std::ranges::is_sorted(facts, {}, &Facts::sandbox));

const Facts& facts_about(Sandbox sandbox) { return facts[static_cast<std::size_t>(sandbox)]; }

std::string way_to_the_best() {
  if (bubblewrap_path().empty()) return "install bubblewrap (package `bubblewrap`)";
  if (best_sandbox() == Sandbox::bubblewrap)
    return "bubblewrap works here, but the configuration says otherwise (`sandbox`)";
  return "bubblewrap is installed, but this machine does not let it build its walls (is it a "
         "container, or are user namespaces turned off?)";
}

}  // namespace

std::string_view name(Sandbox sandbox) { return facts_about(sandbox).name; }
std::optional<Sandbox> parse_sandbox(std::string_view name) {
  const auto found = std::ranges::find(facts, name, &Facts::name);
  return found == facts.end() ? std::nullopt : std::optional(found->sandbox);
}
std::string describe(Sandbox sandbox) {
  std::string out(facts_about(sandbox).sentence);
  if (sandbox == Sandbox::landlock) out += landlock_weakness(landlock_version());
  return sandbox == Sandbox::bubblewrap ? out : out + "; " + way_to_the_best();
}

bool bubblewrap_works() {
  const std::string path = bubblewrap_path();
  if (path.empty()) return false;
  Program program{.arguments = {path}, .environment = {}};
  program.arguments.insert(program.arguments.end(), walls.begin(), walls.end());
  program.arguments.insert(program.arguments.end(), {"--", "/bin/true"});
  Watch watch;
  watch.time = std::chrono::seconds(2);
  return run_program(program, watch) == ProgramEnd{};
}

Sandbox best_sandbox() {
  // A fact about the machine, the same for everyone who asks.
  static const Sandbox found = [] {
    const Sandbox best = bubblewrap_works()       ? Sandbox::bubblewrap
                         : landlock_version() > 0 ? Sandbox::landlock
                                                  : Sandbox::none;
    log_debug("sandbox", {{"best", name(best)}, {"landlock", landlock_version()}});
    return best;
  }();
  return found;
}

std::vector<std::string> bubblewrap_arguments(const SandboxSpec& cell) {
  std::vector<std::string> arguments{bubblewrap_path()};
  const auto add = [&](std::initializer_list<std::string> more) {
    arguments.insert(arguments.end(), more);
  };
  arguments.insert(arguments.end(), walls.begin(), walls.end());
  if (!cell.network) add({"--unshare-net"});
  // Sockets ignore read-only mounts: those of the container runtime or the bus would be doors.
  add({"--tmpfs", "/run", "--ro-bind-try", "/run/systemd/resolve", "/run/systemd/resolve"});
  if (!cell.temporary.empty()) add({"--bind", cell.temporary, "/tmp"});
  add({"--bind-try", cell.root, cell.root});

  // A protected name is a mount point and so cannot be renamed; the folders above it could be, and
  // another put in their place, unless they are mount points too.
  std::vector<std::string> pinned;
  const auto pin_above = [&](const std::string& path) {
    std::vector<std::string> above;
    for (fs::path up = fs::path(path).parent_path();
         up != up.root_path() && up != cell.root && workspace::is_below(up.string(), cell.root);
         up = up.parent_path())
      above.push_back(up.string());
    for (const std::string& up : std::vector<std::string>(above.rbegin(), above.rend()))
      if (!std::ranges::count(pinned, up)) {
        add({"--bind-try", up, up});
        pinned.push_back(up);
      }
  };
  std::vector<std::string> read_only = cell.read_only, hidden = cell.hidden;
  std::ranges::sort(read_only);  // the outer before the inner
  std::ranges::sort(hidden);
  for (const std::string& path : read_only) {
    if (access(path.c_str(), F_OK) != 0) continue;
    pin_above(path);
    add({"--ro-bind-try", path, path});
  }
  for (const std::string& path : hidden) {
    struct stat info {};
    const bool exists = stat(path.c_str(), &info) == 0;
    if (!exists && !workspace::is_below(path, cell.root)) continue;
    pin_above(path);
    if (exists && !S_ISDIR(info.st_mode))
      add({"--ro-bind", "/dev/null", path});
    else
      add({"--tmpfs", path, "--remount-ro", path});
  }
  add({"--chdir", cell.root, "--"});
  return arguments;
}

void hide_process_memory() {
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
}

}  // namespace skein::tools::sandbox
