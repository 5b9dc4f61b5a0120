// What a change of model would lose, computed from the transcript before it is made.
#pragma once

#include "core/handover/target.h"
#include "core/model/message.h"

namespace skein::handover {

struct Compatibility {
  std::vector<std::string> warnings{};      // sentences for the user
  std::vector<std::string> lossy_fields{};  // what the target will not see unchanged
  bool operator==(const Compatibility&) const = default;
};

Compatibility check_compatibility(const std::vector<model::Message>& messages,
                                  const Target& target);

}  // namespace skein::handover
