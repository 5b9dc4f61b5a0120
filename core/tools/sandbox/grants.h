// What may be given away whole so that something inside stays out, for a sandbox that can only
// grant and whose grants reach down to the last file.
#pragma once

#include <string>
#include <vector>

namespace skein::tools::sandbox {

// `top`, or, if something of `out` lies in it, its children but that one, and so on down. All are
// real places. Links are left out: what they lead to has a place of its own.
std::vector<std::string> grants_around(const std::string& top, const std::vector<std::string>& out);

// The folders that had to be opened child by child: nobody gets a right on them as such.
std::vector<std::string> folders_opened(const std::string& top,
                                        const std::vector<std::string>& out);

}  // namespace skein::tools::sandbox
