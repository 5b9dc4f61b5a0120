// What is shown in place of a redacted entry.
#pragma once

#include <set>

#include "core/model/entry.h"
#include "core/model/message.h"

namespace skein::model {

inline constexpr const char* redacted_text = "[redacted]";

// `message` with everything that was said in it replaced; calls and results keep their ids, so that
// they still fit together.
Message masked(Message message);
// An entry as views, exports and requests may show it.
Entry masked(const Entry& entry, const std::set<Id>& redacted);

}  // namespace skein::model
