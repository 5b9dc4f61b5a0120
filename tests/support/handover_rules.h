// The rules a conversation must keep so that no server refuses it, said one by one. It is the
// judge of core/normalize and shares no code with it but the words for text, names and ids.
#pragma once

#include <string>
#include <vector>

#include "core/message.h"
#include "core/target.h"

namespace skein::test {

// One sentence for every rule broken; empty for whatever normalize() gave for this target.
std::vector<std::string> violations(const std::vector<Message>& messages, const Target& target);

}  // namespace skein::test
