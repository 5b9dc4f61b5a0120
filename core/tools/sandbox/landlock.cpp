// Landlock by raw system calls: the kernel's interface is older in many headers than the kernel.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <algorithm>
#include <filesystem>
#include <iterator>

#include <cerrno>
#include <cstdint>
#include <cstring>

#include "core/text/base.h"
#include "core/text/fd.h"
#include "core/text/text.h"
#include "core/tools/sandbox/sandbox.h"
#include "core/tools/workspace/real_place.h"

namespace skein::tools::sandbox {

namespace {

namespace fs = std::filesystem;

void collect(const std::string& path, const std::vector<std::string>& out,
             std::vector<std::string>& whole) {
  const auto holds = [&](const std::string& place) { return workspace::is_below(place, path); };
  const auto is_in = [&](const std::string& place) { return workspace::is_below(path, place); };
  if (std::ranges::any_of(out, is_in)) return;
  if (std::ranges::none_of(out, holds)) {
    whole.push_back(path);
    return;
  }
  std::error_code error;
  for (fs::directory_iterator entry(path, error), end; !error && entry != end;
       entry.increment(error))
    if (std::error_code ignored; !entry->is_symlink(ignored)) collect(entry->path(), out, whole);
}

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

}  // namespace

std::vector<std::string> grants_around(const std::string& top,
                                       const std::vector<std::string>& out) {
  std::vector<std::string> whole;
  collect(top, out, whole);
  return whole;
}

std::vector<std::string> folders_opened(const std::string& top,
                                        const std::vector<std::string>& out) {
  std::vector<std::string> folders;
  for (fs::path place : out)
    while (place.native() != top && workspace::is_below(place.native(), top)) {
      place = place.parent_path();
      folders.push_back(place);
    }
  std::ranges::sort(folders);
  const auto repeated = std::ranges::unique(folders);
  folders.erase(repeated.begin(), repeated.end());
  return folders;
}

int landlock_version() {
  constexpr unsigned ask_version = 1;
  const long version = syscall(SYS_landlock_create_ruleset, nullptr, 0, ask_version);
  return version > 0 ? static_cast<int>(version) : 0;
}

Fd landlock_rules(const SandboxSpec& cell) {
  const int version = landlock_version();
  const std::uint64_t all = rights_of(version);
  const RulesetAttributes attributes{all, cell.network ? 0 : tcp_bind_and_connect,
                                     abstract_sockets_and_signals};
  Fd rules(
      static_cast<int>(syscall(SYS_landlock_create_ruleset, &attributes, known_size(version), 0)));
  if (!rules) throw Error(std::string("Landlock does not work: ") + std::strerror(errno));
  // Names can be listed everywhere: withheld from a hidden folder, that right would be missing in
  // every folder above it too, the workspace among them.
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

}  // namespace skein::tools::sandbox
