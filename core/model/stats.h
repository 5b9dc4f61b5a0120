// A session's statistics as one line for people: messages, tokens, cache, tools, time, cost.
#pragma once

#include <optional>
#include <string>

#include "core/model/state.h"

namespace skein::model {

// "3 messages · 45.2k tokens (38% cached) · 7 tool calls · 2 min 5 s · $0.12". Older sessions did
// not count everything: what is not known is "-". A cost that is not known is left out; one that
// may be higher says so.
std::string stats_line(const SessionState& state, std::optional<double> cost_usd,
                       bool at_least = false);

}  // namespace skein::model
