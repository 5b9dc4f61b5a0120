// The JSON in another program's file, whatever happened to it: lines that are cut, glued together
// or damaged, or one value over the whole file. For .cpp files only.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/exchange/importers/format.h"
#include "core/text/json.h"

namespace skein::exchange::importers {

// As parse_json; what only fails for lone surrogates or bytes that are not UTF-8 is mended first.
std::optional<Json> read_json(std::string_view text);

// Every object of a file of lines, with its text, until `each` returns false; both are valid until
// the next. What is none is lost, except for a last line that may still be under way.
void each_record(const SourceFile& file, const ReadOptions& options, Receiver& receiver,
                 const std::function<bool(const Json& record, std::string_view text)>& each);

// The first objects of a file of lines, as far as they lie in its head; for telling whose it is.
std::vector<Json> first_records(const SourceFile& file, std::size_t most);

// The first object of the file; null: it does not begin with one.
Json first_record(const SourceFile& file);

// The file as one value; null if it is none, or too large to be held in memory.
Json whole_json(const SourceFile& file);

// A small file with a fixed name, as one value; null if it cannot be read.
Json json_beside(const std::string& path);

}  // namespace skein::exchange::importers
