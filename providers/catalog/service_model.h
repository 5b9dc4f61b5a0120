// What a service itself says of one of its models. It outweighs the built-in row and is outweighed
// by the configuration; whatever it does not say stays as it was.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace skein::catalog {

struct ServiceModel {
  std::string name;
  std::int64_t window = 0;      // tokens; 0: not told
  std::int64_t max_output = 0;  // tokens; 0: not told
  std::optional<bool> images{};
  std::optional<double> input{}, output{}, cache_read{};  // dollars per million tokens
  std::string ends{};                                     // 2026-11-30
  bool operator==(const ServiceModel&) const = default;
};

}  // namespace skein::catalog
