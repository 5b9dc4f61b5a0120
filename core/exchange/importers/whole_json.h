// Files that are one JSON value, read whole.
#pragma once

#include <cstddef>
#include <string>

#include "core/exchange/importers/source_file.h"
#include "core/text/json.h"

namespace skein::exchange::importers {

// Null if it is not JSON. Throws Error if it is too large to be held in memory.
Json whole_json(const SourceFile& file);

// Its name without what tells the kind of file.
std::string name_without_ending(const SourceFile& file);

// `id` if it may be one, else an id made of what the message says and its place.
std::string id_or_hash(const Json& message, std::size_t place);

}  // namespace skein::exchange::importers
