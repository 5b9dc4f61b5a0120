// The answer that was coming when a process ended, as far as it was written down.
#pragma once

#include <optional>

#include "core/agent/conversation.h"

namespace skein::agent {

// none: there is no such answer at the conversation's head, or nothing of it can be read.
std::optional<model::Entry> unfinished_answer(store::SessionStore& store,
                                              const Conversation& conversation);

}  // namespace skein::agent
