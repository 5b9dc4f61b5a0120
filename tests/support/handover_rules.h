// The rules a conversation must keep so that no server refuses it, said one by one. It is the
// judge of core/handover/normalize and shares no code with it but the words for text, names and
// ids.
#pragma once

#include <string>
#include <vector>

#include "core/handover/target.h"
#include "core/model/message.h"

namespace skein::test {

// One sentence for every rule broken; empty for whatever normalize() gave for this target.
std::vector<std::string> violations(const std::vector<model::Message>& messages,
                                    const handover::Target& target);

}  // namespace skein::test
