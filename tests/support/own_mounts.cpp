#include "tests/support/own_mounts.h"

#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include "tests/support/temp_dir.h"

namespace skein::test {

bool enter_own_mounts() {
  const std::string user = std::to_string(getuid()), group = std::to_string(getgid());
  if (unshare(CLONE_NEWNS) != 0) {
    // Without privileges a user may still be root in a name space of his own.
    if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
    write_file("/proc/self/setgroups", "deny");
    write_file("/proc/self/uid_map", user + " " + user + " 1");
    write_file("/proc/self/gid_map", group + " " + group + " 1");
  }
  return mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
}

bool mount_memory(const std::string& folder, const std::string& options) {
  return mount("tmpfs", folder.c_str(), "tmpfs", 0, ("mode=700," + options).c_str()) == 0;
}

bool make_read_only(const std::string& folder) {
  return mount(folder.c_str(), folder.c_str(), nullptr, MS_BIND, nullptr) == 0 &&
         mount(nullptr, folder.c_str(), nullptr, MS_BIND | MS_REMOUNT | MS_RDONLY, nullptr) == 0;
}

void unmount(const std::string& folder) { umount2(folder.c_str(), MNT_DETACH); }

}  // namespace skein::test
