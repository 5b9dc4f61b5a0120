#include "core/tools/sandbox/sandbox.h"

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <cstring>

#include <algorithm>
#include <filesystem>

#include "core/text/log.h"
#include "core/text/text.h"
#include "core/tools/sandbox/process.h"
#include "core/tools/sandbox/socket_filter.h"
#include "core/tools/workspace/real_place.h"

namespace skein::tools::sandbox {

using workspace::is_below, workspace::real_place;

namespace {

namespace fs = std::filesystem;

std::string bubblewrap_path() {
  for (const char* path : {"/usr/bin/bwrap", "/usr/local/bin/bwrap", "/bin/bwrap"})
    if (access(path, X_OK) == 0) return path;
  return "";
}

// Alone with its own processes and devices, without rights, dead when we are.
constexpr std::string_view walls =
    "--unshare-user --unshare-pid --unshare-ipc --unshare-uts --unshare-cgroup-try --cap-drop ALL "
    "--die-with-parent --new-session --ro-bind / / --dev /dev --proc /proc";

std::vector<std::string> bubblewrap_with_walls() {
  std::vector<std::string> arguments{bubblewrap_path()};
  for (const std::string_view word : split(walls, ' ')) arguments.emplace_back(word);
  return arguments;
}

struct Facts {
  Sandbox sandbox;
  std::string_view name;
  std::string_view sentence;
};
constexpr Facts facts[] = {
    {Sandbox::bubblewrap, "bubblewrap",
     "commands run in a bubblewrap sandbox: they can write only in the workspace and in a "
     "temporary folder of their own, and cannot see skein's own files"},
    {Sandbox::landlock, "landlock",
     "commands run under Landlock: they can write only in the workspace and in a temporary "
     "folder, and cannot read skein's own files"},
    {Sandbox::none, "none", "commands run without a sandbox, so each one is asked about"},
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

struct Gap {
  int closed_by;  // the version of Landlock
  std::string_view what;
};
constexpr Gap gaps[] = {
    {3, "empty files elsewhere"},
    {5, "control devices"},
    {6, "signal your other processes and talk to their abstract sockets"},
};

// Ours alone, each missing folder on the way. Returns the errno of what failed.
int make_folders(const fs::path& folder) {
  struct stat info {};
  if (stat(folder.c_str(), &info) == 0) return S_ISDIR(info.st_mode) ? 0 : ENOTDIR;
  if (const int error = make_folders(folder.parent_path())) return error;
  return mkdir(folder.c_str(), 0700) == 0 || errno == EEXIST ? 0 : errno;
}

}  // namespace

std::string_view name(Sandbox sandbox) { return facts_about(sandbox).name; }
std::optional<Sandbox> parse_sandbox(std::string_view name) {
  const auto found = std::ranges::find(facts, name, &Facts::name);
  return found == std::end(facts) ? std::nullopt : std::optional(found->sandbox);
}
std::string describe(Sandbox sandbox) {
  std::string out(facts_about(sandbox).sentence);
  if (sandbox == Sandbox::landlock) out += landlock_weakness(landlock_version());
  return sandbox == Sandbox::bubblewrap ? out : out + "; " + way_to_the_best();
}

std::string landlock_weakness(int version) {
  std::string list;
  for (const Gap& gap : gaps)
    if (version < gap.closed_by) list += (list.empty() ? "" : ", ") + std::string(gap.what);
  return list.empty() ? "" : "; this kernel's Landlock still lets them " + list;
}

std::string describe_network(Sandbox sandbox, bool wanted) {
  if (wanted) return "open to commands (`sandbox-network = false` closes it)";
  if (sandbox == Sandbox::bubblewrap) return "closed to commands";
  if (socket_filter_works()) return "closed to commands, connections within this machine too";
  return "open to commands, although `sandbox-network` is false: this kernel cannot close it";
}

std::string describe(const ProgramLimits& limits) {
  std::string out = limits.processes == 0
                        ? "a command may start any number of processes"
                        : "a command may start about " + std::to_string(limits.processes) +
                              " processes (the kernel does not hold root to it)";
  return out + (limits.memory == 0
                    ? ", each with any amount of memory"
                    : ", each with " + std::to_string(limits.memory >> 20) + " MiB of memory");
}

bool bubblewrap_works() {
  if (bubblewrap_path().empty()) return false;
  Program program{.arguments = bubblewrap_with_walls(), .environment = {}};
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

std::vector<std::string> writable_folders(const SandboxSpec& cell) {
  std::vector<std::string> out{cell.root};
  out.insert(out.end(), cell.writable.begin(), cell.writable.end());
  return out;
}

std::string settle_hidden(SandboxSpec& cell) {
  std::vector<std::string> places, links;
  for (const std::string& path : cell.hidden) places.push_back(real_place(path, &links));
  std::ranges::sort(places);
  cell.hidden.clear();
  for (const std::string& place : places)  // the outer comes before the inner, which it hides too
    if (std::ranges::none_of(cell.hidden,
                             [&](const auto& outer) { return is_below(place, outer); }))
      cell.hidden.push_back(place);

  const std::vector<std::string> writable = writable_folders(cell);
  const auto is_writable = [&](const std::string& place) {
    return std::ranges::any_of(writable, [&](const auto& top) { return is_below(place, top); });
  };
  // No mount covers a link: a command could put a home or a configuration of its own in its place.
  if (const auto link = std::ranges::find_if(links, is_writable); link != links.end())
    return "commands do not run, because they could replace the link " + *link +
           ", which leads to skein's own files; choose another workspace (-C), or name the real "
           "folder (SKEIN_HOME, XDG_DATA_HOME, XDG_CONFIG_HOME, XDG_STATE_HOME)";
  for (const std::string& place : cell.hidden) {
    if (is_below(cell.root, place))
      return "commands do not run in " + cell.root + ", because it lies in " + place +
             ", where skein keeps its own files; choose another workspace (-C)";
    // What a command could make itself must be there first: only what is there can be closed.
    struct stat info {};
    if (stat(place.c_str(), &info) == 0 || !is_writable(place)) continue;
    if (const int error = make_folders(place))
      return "commands do not run, because " + place +
             ", where skein keeps its own files, cannot be closed to them: " + std::strerror(error);
  }
  return "";
}

std::vector<std::string> bubblewrap_arguments(const SandboxSpec& cell) {
  std::vector<std::string> arguments = bubblewrap_with_walls();
  const auto add = [&](std::initializer_list<std::string> more) {
    arguments.insert(arguments.end(), more);
  };
  if (!cell.network) add({"--unshare-net"});
  // Sockets ignore read-only mounts: those of the container runtime or the bus would be doors.
  add({"--tmpfs", "/run", "--ro-bind-try", "/run/systemd/resolve", "/run/systemd/resolve"});
  if (!cell.temporary.empty()) add({"--bind", cell.temporary, "/tmp"});
  const std::vector<std::string> writable = writable_folders(cell);
  std::vector<std::string> open = writable;
  open.insert(open.end(), cell.readable.begin(), cell.readable.end());
  std::ranges::sort(open);  // the outer before the inner
  for (const std::string& folder : open)
    add({std::ranges::count(writable, folder) > 0 ? "--bind-try" : "--ro-bind-try", folder,
         folder});
  const auto top_of = [&](const std::string& path) -> const std::string* {
    const auto found =
        std::ranges::find_if(writable, [&](const auto& top) { return is_below(path, top); });
    return found == writable.end() ? nullptr : &*found;
  };

  // A protected name is a mount point and so cannot be renamed; the folders above it could be, and
  // another put in their place, unless they are mount points too.
  std::vector<std::string> pinned;
  const auto pin_above = [&](const std::string& path) {
    std::vector<std::string> above;
    const std::string* const top = top_of(path);
    if (top == nullptr) return;
    for (fs::path up = fs::path(path).parent_path();
         up != up.root_path() && up != *top && is_below(up.string(), *top); up = up.parent_path())
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
    if (!exists && top_of(path) == nullptr) continue;
    pin_above(path);
    if (exists && !S_ISDIR(info.st_mode)) {
      add({"--ro-bind", "/dev/null", path});
      continue;
    }
    add({"--tmpfs", path});
    for (const std::string& inner : cell.shown)
      if (is_below(inner, path)) add({"--ro-bind-try", inner, inner});
    add({"--remount-ro", path});
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
