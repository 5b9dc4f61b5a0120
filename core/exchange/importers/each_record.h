// Files of one JSON object a line, read once from top to bottom.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "core/exchange/importers/receiver.h"
#include "core/exchange/importers/source_file.h"
#include "core/text/json.h"

namespace skein::exchange::importers {

// Every object of the file, also those glued to each other on one line, with its text. What cannot
// be read is lost and counted; a last line that is not whole is not, while the file grows.
void each_record(const SourceFile& file, bool growing, Receiver& receiver,
                 const std::function<void(const Json& record, std::string_view text)>& each);

// The first object of the file; null: it does not begin with one.
Json first_record(const SourceFile& file);

}  // namespace skein::exchange::importers
