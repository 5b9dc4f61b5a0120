// A small file beside a session's, by its name in a folder that we know.
#pragma once

#include <optional>
#include <string>

namespace skein::exchange::importers {

// None if it is not there, lies elsewhere in truth (a symbolic link), is no file, or has more than
// 64 MiB. `name` has no folder in it.
std::optional<std::string> read_plain_file(const std::string& folder, const std::string& name);

}  // namespace skein::exchange::importers
