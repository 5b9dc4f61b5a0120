// The token counts of a message or a summary as JSON. For .cpp files only.
#pragma once

#include "core/model/usage.h"
#include "core/text/json.h"

namespace skein::model {

inline std::optional<Usage> usage_from(const Json& usage) {
  if (!usage.is_object()) return std::nullopt;
  return Usage{int_at(usage, "input"), int_at(usage, "output"), int_at(usage, "cacheRead"),
               int_at(usage, "cacheWrite"), int_at(usage, "reasoning")};
}

inline Json usage_json(const Usage& usage) {
  return {{"input", usage.input},
          {"output", usage.output},
          {"cacheRead", usage.cache_read},
          {"cacheWrite", usage.cache_write},
          {"reasoning", usage.reasoning}};
}

}  // namespace skein::model
