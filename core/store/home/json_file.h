// A small JSON file of the user's own data that several processes may change.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "core/text/json.h"

namespace skein::store::home {

// An empty object if there is no such file; nullopt: it is not what we wrote.
std::optional<Json> read_json_file(const std::string& file);

// One process at a time; what cannot be read is replaced. Makes the folder, for the user alone.
// Returns why nothing was written; empty: it was.
std::string change_json_file(const std::string& file, const std::function<void(Json&)>& change);

}  // namespace skein::store::home
