// The file system the sessions are on: how much room there is, and whether it can be relied on.
#include <sys/statfs.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "app/doctor/checks.h"
#include "core/text/amounts.h"
#include "core/text/json.h"

namespace skein::doctor {

namespace {

namespace fs = std::filesystem;

enum class Kind { local, network, memory };
struct FileSystem {
  std::uint32_t magic;
  std::string_view name;
  Kind kind = Kind::local;
};
// By the number statfs(2) tells; some of them are in no header.
constexpr FileSystem known[] = {
    {0xEF53, "ext4"},
    {0x58465342, "xfs"},
    {0x9123683E, "btrfs"},
    {0x2FC12FC1, "zfs"},
    {0xF2F52010, "f2fs"},
    {0x794C7630, "overlay"},
    {0x65735546, "fuse"},
    {0xCA451A4E, "bcachefs"},
    {0x01021994, "tmpfs", Kind::memory},
    {0x858458F6, "ramfs", Kind::memory},
    {0x6969, "nfs", Kind::network},
    {0xFF534D42, "cifs", Kind::network},
    {0xFE534D42, "smb2", Kind::network},
    {0x517B, "smb", Kind::network},
    {0x01021997, "9p", Kind::network},
    {0x00C36400, "ceph", Kind::network},
    {0x5346414F, "afs", Kind::network},
    {0x0BD00BD0, "lustre", Kind::network},
    {0x47504653, "gpfs", Kind::network},
};

FileSystem file_system_at(const std::string& path) {
  struct statfs facts {};
  if (statfs(path.c_str(), &facts) != 0) return {0, ""};
  const auto magic = static_cast<std::uint32_t>(facts.f_type);
  const auto found = std::ranges::find(known, magic, &FileSystem::magic);
  return found == std::end(known) ? FileSystem{magic, ""} : *found;
}

// The folder itself, or the nearest above it that is there.
std::string nearest_existing(fs::path path) {
  std::error_code ignored;
  path = fs::absolute(path, ignored);
  while (path.has_relative_path() && !fs::exists(path, ignored)) path = path.parent_path();
  return path.string();
}

constexpr std::uint64_t little_room = 100'000'000;
constexpr fsfilcnt_t few_files = 1000;

void look_at_room(const struct statvfs& facts, Finding& found) {
  const std::uint64_t free = facts.f_bavail * facts.f_frsize;
  if (free < little_room)
    found.problems.push_back("only " + short_bytes(free) +
                             " are free where the sessions are: make room (`skein sessions "
                             "empty-trash`, `skein sessions archive --older-than 30d`)");
  if (facts.f_files > 0 && facts.f_favail < few_files)
    found.problems.push_back("only " + counted(facts.f_favail, "file") +
                             " more can be made where the sessions are");
}

}  // namespace

Finding look_at_disk(const Surroundings& here) {
  Finding found;
  const std::string path = nearest_existing(here.home);
  struct statvfs facts {};
  if (statvfs(path.c_str(), &facts) != 0) {
    found.note = "nothing is known about " + path;
    found.problems.push_back("cannot look at " + path + ": " + std::strerror(errno));
    return found;
  }
  const FileSystem system = file_system_at(path);
  const std::uint64_t free = facts.f_bavail * facts.f_frsize;
  const bool read_only = (facts.f_flag & ST_RDONLY) != 0;
  found.note = here.home + ": " + short_bytes(free) + " free" +
               (system.name.empty() ? "" : ", " + std::string(system.name)) +
               (system.kind == Kind::memory ? ", which a restart of the machine empties" : "");
  if (read_only)
    found.problems.push_back(here.home +
                             " is on a file system that is mounted read-only: sessions can be "
                             "read, nothing is saved; --home names another place");
  else
    look_at_room(facts, found);
  if (system.kind == Kind::network)
    found.problems.push_back(here.home + " is on a network file system (" +
                             std::string(system.name) +
                             "): where its locks do not reach other machines, use it from one at "
                             "a time, or keep sessions on a disk of this one (--home)");
  found.facts = dump({{"home", here.home},
                      {"free_bytes", free},
                      {"file_system", system.name.empty() ? Json(nullptr) : Json(system.name)},
                      {"read_only", read_only},
                      {"network", system.kind == Kind::network},
                      {"memory", system.kind == Kind::memory}});
  return found;
}

}  // namespace skein::doctor
