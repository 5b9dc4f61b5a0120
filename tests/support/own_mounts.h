// Mounts that nobody else sees and that are gone with the process.
#pragma once

#include <string>

namespace skein::test {

// Gives this process a mount table of its own; false where the system does not allow it.
bool enter_own_mounts();
bool mount_memory(const std::string& folder, const std::string& options);  // a tmpfs, size=64k …
bool make_read_only(const std::string& folder);
void unmount(const std::string& folder);

}  // namespace skein::test
