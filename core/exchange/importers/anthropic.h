// Conversations as they are sent to Anthropic: a JSON file with an array of messages, or an object
// with one. Also a shape that tutorials write, with `tool_calls` and `thinking` beside the content.
#pragma once

#include "core/exchange/importers/format.h"

namespace skein::exchange::importers {

Format anthropic();

}  // namespace skein::exchange::importers
