// The one way JSON text becomes a value and back. For .cpp files only: headers speak JsonText.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "core/text/base.h"

namespace skein {

// Members keep their order, so texts and caches stay stable. Each is found by looking through all
// before it: never build an object of very many by name, or of what others say how many.
using Json = nlohmann::ordered_json;

inline constexpr int json_max_depth = 256;

// Strict, at most json_max_depth deep, never throws, in time linear in the text. nullopt: not JSON.
std::optional<Json> parse_json(std::string_view text);
// Whether that is an object, without making a value of what is in it.
bool is_json_object(std::string_view text);

// The length of the object or array at the start of `text`, by its brackets alone; 0: none, or it
// has no end.
std::size_t bracketed_length(std::string_view text);

// Compact text. Strings that are not UTF-8 come out with U+FFFD instead of an exception.
JsonText dump(const Json& value);

// `text` as a JSON string with its quotes.
void append_quoted(std::string& out, std::string_view text);
JsonText json_string(std::string_view text);

// A member if it is there and of that type; else the fallback. Never throws, whatever `object` is.
std::string string_at(const Json& object, std::string_view key, std::string_view fallback = {});
std::int64_t int_at(const Json& object, std::string_view key, std::int64_t fallback = 0);
bool bool_at(const Json& object, std::string_view key, bool fallback = false);
// The member, or null if there is none.
const Json& at(const Json& object, std::string_view key);
// An object's or array's compact text; empty if the member is missing or something else.
JsonText text_at(const Json& object, std::string_view key);

// JSON text made fit to be a line: lone surrogate escapes become \ufffd, malformed UTF-8 U+FFFD,
// white space between tokens goes, and every control character that could drive a terminal or end
// a line (C0, DEL, C1, U+2028, U+2029, U+FEFF) is escaped. `text` must be valid JSON otherwise.
JsonText json_line(std::string_view text);

// JSON for standard output: the same value with everything outside of ASCII that a terminal may
// obey (DEL, C1, bidirectional controls, U+2028, U+2029, U+FEFF) written as \uXXXX, and malformed
// UTF-8 as U+FFFD.
JsonText printable_json(std::string_view json);

}  // namespace skein
