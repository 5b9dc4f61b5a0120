// What recovery says where another process has not finished: whoever has said so in other words
// need not repeat it.
#pragma once

#include <string_view>

namespace skein::agent {

inline constexpr std::string_view other_at_work =
    "another process is working in this session; its unfinished calls are left to it";

}  // namespace skein::agent
