// Numbers as people read them: 12.3k, 1.2M, 3 min, $0.04.
#pragma once

#include <cstdint>
#include <string>

namespace skein {

std::string short_count(std::int64_t count);
std::string short_duration(std::int64_t ms);
std::string dollars(double amount);
std::string percent(std::int64_t part, std::int64_t whole);

}  // namespace skein
