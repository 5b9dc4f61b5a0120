#include "core/sandbox/sandbox.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "core/process/environment.h"
#include "core/process/running_program.h"
#include "core/text/base.h"
#include "core/text/log.h"
#include "core/text/text.h"
#include "core/workspace/real_place.h"

namespace skein::sandbox {

namespace {

namespace fs = std::filesystem;
using workspace::is_below, workspace::real_place;

// The rights on files, as the kernel numbers them, and the version that brought each.
namespace right {
constexpr std::uint64_t execute = 1 << 0, write_file = 1 << 1, read_file = 1 << 2,
                        read_dir = 1 << 3, truncate = 1 << 14, ioctl_dev = 1 << 15;
constexpr std::uint64_t first_version = (1 << 13) - 1;  // bits 0 … 12
constexpr std::uint64_t refer = 1 << 13;
constexpr std::uint64_t on_files = execute | write_file | read_file | truncate | ioctl_dev;
}  // namespace right

struct RulesetAttributes {
  std::uint64_t files = 0;
  std::uint64_t network = 0;  // version 4
  std::uint64_t scoped = 0;   // version 6
};
struct [[gnu::packed]] PathRule {
  std::uint64_t allowed = 0;
  std::int32_t folder = -1;
};
constexpr int rule_beneath_path = 1;
constexpr std::uint64_t tcp_bind_and_connect = 3;
constexpr std::uint64_t abstract_sockets_and_signals = 3;

std::uint64_t rights_of(int version) {
  std::uint64_t rights = right::first_version;
  if (version >= 2) rights |= right::refer;
  if (version >= 3) rights |= right::truncate;
  if (version >= 5) rights |= right::ioctl_dev;
  return rights;
}

std::size_t known_size(int version) { return version >= 6 ? 24 : version >= 4 ? 16 : 8; }

void allow(const Fd& rules, const std::string& path, std::uint64_t rights) {
  const Fd place(open(path.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
  struct stat info {};
  if (!place || fstat(place.get(), &info) != 0) return;  // what is not there needs no right
  if (S_ISLNK(info.st_mode)) return;  // would grant a right on an unchecked place
  if (!S_ISDIR(info.st_mode)) rights &= right::on_files;
  const PathRule rule{rights, place.get()};
  if (syscall(SYS_landlock_add_rule, rules.get(), rule_beneath_path, &rule, 0) != 0)
    throw Error("Landlock refuses a rule for " + path + ": " + std::strerror(errno));
}

std::vector<std::string> kept_out(const SandboxSpec& cell) {
  std::vector<std::string> out = cell.hidden;
  out.insert(out.end(), cell.read_only.begin(), cell.read_only.end());
  return out;
}

constexpr const char* devices[] = {"/dev/null", "/dev/zero", "/dev/full", "/dev/random",
                                   "/dev/urandom"};

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
  const std::vector<std::string_view> words = split(walls, ' ');
  std::vector<std::string> arguments(words.begin(), words.end());
  arguments.insert(arguments.begin(), bubblewrap_path());
  return arguments;
}

struct SandboxFacts {
  Sandbox sandbox;
  std::string_view name;
  std::string_view sentence;
};
constexpr SandboxFacts facts[] = {
    {Sandbox::bubblewrap, "bubblewrap",
     "commands run in a bubblewrap sandbox: they can write only in the workspace and in a "
     "temporary folder of their own, and cannot see skein's own files"},
    {Sandbox::landlock, "landlock",
     "commands run under Landlock: they can write only in the workspace and in a temporary "
     "folder, and cannot read skein's own files"},
    {Sandbox::none, "none", "commands run without a sandbox, so skein asks before each one"},
};
static_assert(std::ranges::is_sorted(facts, {}, &SandboxFacts::sandbox));

const SandboxFacts& facts_about(Sandbox sandbox) {
  return facts[static_cast<std::size_t>(sandbox)];
}

std::string way_to_the_best() {
  if (bubblewrap_path().empty()) return "install bubblewrap (package `bubblewrap`)";
  if (best_sandbox() == Sandbox::bubblewrap)
    return "bubblewrap works here, but the configuration chooses another sandbox (`sandbox`)";
  return "bubblewrap is installed, but cannot create a sandbox on this machine (is it a container, "
         "or are user namespaces turned off?)";
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

// The root, and what is writable besides.
std::vector<std::string> writable_folders(const SandboxSpec& cell) {
  std::vector<std::string> out{cell.root};
  out.insert(out.end(), cell.writable.begin(), cell.writable.end());
  return out;
}

// The sockets of a command that may use the network or not. Without the socket filter: all.
process::Sockets sockets_for(Sandbox sandbox, bool network) {
  if (network || !process::socket_filter_works()) return process::Sockets::all;
  return sandbox == Sandbox::bubblewrap ? process::Sockets::in_namespace : process::Sockets::local;
}

// bubblewrap's command line up to and including "--"; the command follows. What is to be read-only
// and does not exist is passed over: nothing is made in its place.
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
  std::set<std::string> pinned;
  const auto pin_above = [&](const std::string& path) {
    const std::string* const top = top_of(path);
    if (top == nullptr) return;
    std::vector<std::string> above;
    for (fs::path up = fs::path(path).parent_path();
         up != up.root_path() && up != *top && is_below(up.string(), *top); up = up.parent_path())
      above.push_back(up.string());
    for (const std::string& up : above | std::views::reverse)
      if (pinned.insert(up).second) add({"--bind-try", up, up});
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

// A ruleset for Program::landlock. It can only grant, and a grant reaches down: the folders above
// something protected are opened child by child, so that no name can be made in them. Names in
// `hidden` can be listed, nothing there can be read. Throws Error if the kernel refuses.
Fd landlock_rules(const SandboxSpec& cell) {
  const int version = landlock_version();
  const std::uint64_t all = rights_of(version);
  const RulesetAttributes attributes{all, cell.network ? 0 : tcp_bind_and_connect,
                                     abstract_sockets_and_signals};
  Fd rules(
      static_cast<int>(syscall(SYS_landlock_create_ruleset, &attributes, known_size(version), 0)));
  if (!rules) throw Error(std::string("Landlock does not work: ") + std::strerror(errno));
  // Names can be listed everywhere: otherwise they could not be in any folder above a hidden one.
  allow(rules, "/", right::read_dir);
  for (const std::string& path : grants_around("/", cell.hidden))
    allow(rules, path, right::execute | right::read_file);
  for (const std::string& path : cell.shown) allow(rules, path, right::execute | right::read_file);
  for (const char* device : devices)
    allow(rules, device, all & (right::read_file | right::write_file | right::ioctl_dev));
  if (!cell.temporary.empty()) allow(rules, cell.temporary, all);
  for (const std::string& top : writable_folders(cell))
    for (const std::string& path : grants_around(top, kept_out(cell))) allow(rules, path, all);
  return rules;
}

}  // namespace

std::string_view name(Sandbox sandbox) { return facts_about(sandbox).name; }
std::optional<Sandbox> parse_sandbox(std::string_view name) {
  const auto found = std::ranges::find(facts, name, &SandboxFacts::name);
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
  if (process::socket_filter_works())
    return "closed to commands, connections within this machine too";
  return "open to commands, although `sandbox-network` is false: this kernel cannot close it";
}

std::string describe(const process::ProgramLimits& limits) {
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
  process::Program program{.arguments = bubblewrap_with_walls()};
  program.arguments.insert(program.arguments.end(), {"--", "/bin/true"});
  return process::run_program(program, {.time = std::chrono::seconds(10)}) == process::ProgramEnd{};
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
  // No mount covers a link: a command could put another home or configuration in its place.
  if (const auto link = std::ranges::find_if(links, is_writable); link != links.end())
    return "commands do not run, because they could replace the link " + *link +
           ", which leads to skein's own files; choose another workspace (-C), or name the real "
           "folder (SKEIN_HOME, XDG_DATA_HOME, XDG_CONFIG_HOME, XDG_STATE_HOME)";
  for (const std::string& place : cell.hidden) {
    if (is_below(cell.root, place))
      return "commands do not run in " + cell.root + ", because it is in " + place +
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

void hide_process_memory() {
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
}

std::vector<std::string> grants_around(const std::string& top,
                                       const std::vector<std::string>& out) {
  if (std::ranges::any_of(out, [&](const auto& place) { return is_below(top, place); })) return {};
  if (std::ranges::none_of(out, [&](const auto& place) { return is_below(place, top); }))
    return {top};
  std::vector<std::string> whole;
  std::error_code error;
  for (fs::directory_iterator entry(top, error), end; !error && entry != end;
       entry.increment(error))
    if (std::error_code ignored; !entry->is_symlink(ignored))
      std::ranges::copy(grants_around(entry->path(), out), std::back_inserter(whole));
  return whole;
}

std::vector<std::string> folders_opened(const std::string& top,
                                        const std::vector<std::string>& out) {
  std::set<std::string> folders;
  for (fs::path place : out)
    while (place.native() != top && is_below(place.native(), top)) {
      place = place.parent_path();
      folders.insert(place);
    }
  return {folders.begin(), folders.end()};
}

int landlock_version() {
  constexpr unsigned ask_version = 1;
  const long version = syscall(SYS_landlock_create_ruleset, nullptr, 0, ask_version);
  return version > 0 ? static_cast<int>(version) : 0;
}

Fd confine(process::Program& program, Sandbox sandbox, const SandboxSpec& cell) {
  program.sockets = sockets_for(sandbox, cell.network);
  program.environment = process::command_environment(
      process::own_environment(), sandbox == Sandbox::bubblewrap ? "/tmp" : cell.temporary);
  if (sandbox == Sandbox::bubblewrap) program.arguments = bubblewrap_arguments(cell);
  if (sandbox != Sandbox::landlock) return {};
  Fd rules = landlock_rules(cell);
  program.landlock = rules.get();
  return rules;
}

std::string landlock_gap(const SandboxSpec& cell) {
  std::vector<std::string> folders;
  for (const std::string& top : writable_folders(cell))
    std::ranges::copy(folders_opened(top, kept_out(cell)), std::back_inserter(folders));
  if (folders.empty()) return "";
  return "under Landlock commands cannot create, rename or remove anything directly in " +
         listed(folders) +
         ", because something there is protected; they can in other folders, and the write tool "
         "can create files";
}

}  // namespace skein::sandbox
