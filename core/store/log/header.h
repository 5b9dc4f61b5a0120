// The first line of a transcript, to and from its entry.
#pragma once

#include <optional>

#include "core/store/backend.h"

namespace skein::store::log {

Entry header_entry(const SessionHeader& header);
std::optional<SessionHeader> header_from(const Entry& entry);

}  // namespace skein::store::log
