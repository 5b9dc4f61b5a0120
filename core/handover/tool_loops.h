// Tool loops that one model began and another took over.
#pragma once

#include <vector>

#include "core/model/message.h"

namespace skein::handover {

// For each message: whether it is a reply in a tool loop that its author did not end. What such a
// model thought is the only word of what its calls were for, so whoever goes on may see it.
//
// It depends on nothing that a later request of the same model could change: a loop counts as
// unended from its first call until its author, and nobody else, goes on with it.
std::vector<bool> unended_loops(const std::vector<model::Message>& messages);

// The reply was cut: by the user, by the network or by the provider.
bool is_unfinished(const model::Message& message);

}  // namespace skein::handover
