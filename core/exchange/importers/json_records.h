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

// Every object of a file of lines, with its text, until `each` returns false; both are valid until
// the next. What is none is lost, except for a last line that may still be under way.
void each_record(const SourceFile& file, const ReadOptions& options, Receiver& receiver,
                 const std::function<bool(const Json& record, std::string_view text)>& each);

// The first objects of a file of lines, as far as they lie in its head; for telling whose it is.
std::vector<Json> first_records(const SourceFile& file, std::size_t most);

// The file as one value; nullopt: it is none, or of more than longest_line bytes.
std::optional<Json> whole_json(const SourceFile& file);

// A small file with a fixed name, as one value; null if it cannot be read.
Json json_beside(const std::string& path);

// A count of tokens or the like: never negative, and small enough to be added to others.
std::int64_t count_at(const Json& object, std::string_view key);

// A call's input as an object; what was none is its member `_raw`.
JsonText call_input(const Json& given);

// Text of another program as the name of a folder: a whole path without control characters, or
// nothing.
std::string folder_named(std::string_view text);

// Where the file lies, from the root: the same whatever folder one is in.
std::string absolute_path(const SourceFile& file);
// Its name without the ending; that of its folder. Never empty.
std::string stem_of(const SourceFile& file);
std::string folder_name_of(const SourceFile& file);

// The first `digits` hex digits of the hash of these.
std::string short_hash(std::initializer_list<std::string_view> parts, std::size_t digits = 12);

}  // namespace skein::exchange::importers
