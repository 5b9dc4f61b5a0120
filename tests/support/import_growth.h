// That a session read again, whole after it was read in part, keeps the ids it had.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace skein::test {

// Reads `bytes` twice, and cut after each line: everything a shorter one gives is there in the
// whole, except for `unfinished` ids, which the whole must not have.
void check_growth(std::string_view format, const std::string& bytes,
                  const std::vector<std::string>& unfinished = {});

}  // namespace skein::test
