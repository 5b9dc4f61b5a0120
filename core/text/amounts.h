// Numbers as people read them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace skein {

std::string short_count(std::int64_t count);  // 950, 6.2k, 45.2k, 123k, 1.2M
std::string short_duration(std::int64_t ms);  // 12 ms, 2.1 s, 14 s, 2 min 5 s, 2 h 5 min
// "1 turn", "3 turns"; `many` for what takes more than an s.
std::string counted(std::size_t count, std::string_view one, std::string_view many = {});
std::string short_bytes(std::uint64_t bytes);                // 700 bytes, 6.2 kB, 1.2 GB
std::string dollars(double amount);                          // $1.23, $0.011, $0.0012
std::string percent(std::int64_t part, std::int64_t whole);  // 25%; "-" of nothing

}  // namespace skein
