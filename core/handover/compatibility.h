// What a hand-over costs, said before it is done: computed from the transcript as it is.
#pragma once

#include <string>
#include <vector>

#include "core/handover/target.h"
#include "core/model/message.h"

namespace skein::handover {

struct Compatibility {
  std::vector<std::string> warnings{};      // sentences for the user
  std::vector<std::string> lossy_fields{};  // what the target will not see as it was
  bool operator==(const Compatibility&) const = default;
};

Compatibility check_compatibility(const std::vector<model::Message>& messages,
                                  const Target& target);

}  // namespace skein::handover
