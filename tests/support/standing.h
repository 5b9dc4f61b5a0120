// Where a text stands, as `grep -r` would find it, in archives too.
#pragma once

#include <string>
#include <vector>

namespace skein::test {

// The files beneath a folder that hold it. Of half an archive what can be unpacked counts; a file
// that cannot be read does not pass for one without it.
std::vector<std::string> standing(const std::string& folder, const std::string& text);

}  // namespace skein::test
