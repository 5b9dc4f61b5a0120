// What a user is told of a session that is not as it was written.
#pragma once

#include <string>

#include "core/store/backend.h"

namespace skein::store {

// What is marked with it in every view.
inline constexpr std::string_view altered_mark = "[altered]";

// One sentence: what was found, what it means, where to look. Empty if there is no damage.
std::string damage_notice(const DamageCount& damage, const std::string& key);

}  // namespace skein::store
