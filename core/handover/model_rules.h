// Which rule a model has, read from its name by version number and not from a list: names that are
// newer than this file count as the newest.
#pragma once

#include <string_view>

#include "core/handover/target.h"

namespace skein::handover {

bool is_claude(std::string_view model);
// A Claude model of at least this version; one whose name tells none is taken for the newest.
bool is_claude_from(std::string_view model, int major, int minor);
// It cannot be told not to think: {"type":"disabled"} is refused.
bool always_thinks(std::string_view model);

// Sets the flags of `target` that depend on its provider and model.
void apply_model_rules(Target& target);

}  // namespace skein::handover
