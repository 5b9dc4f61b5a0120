// Messages of opencode 2 in the form of opencode 1's, which the reader knows. For .cpp files only.
#pragma once

#include <optional>
#include <string>

#include "core/exchange/importers/opencode_session.h"

namespace skein::exchange::importers {

// `message` has no parts, and the data of a row with that type. nullopt: it says nothing.
std::optional<OpencodeMessage> as_first_opencode(OpencodeMessage message, const std::string& type);

}  // namespace skein::exchange::importers
