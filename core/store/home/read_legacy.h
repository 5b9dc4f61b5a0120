// Sessions as they were kept in a home before this format: the forms of core/legacy, and our own
// lines before they were sealed.
#pragma once

#include <optional>
#include <string_view>

#include "core/legacy/session.h"

namespace skein::store::home {

// nullopt: none of them. The same bytes give the same entries, ids included.
std::optional<legacy::Session> read_legacy(Id session, std::string_view bytes);

}  // namespace skein::store::home
