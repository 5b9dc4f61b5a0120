// The one way JSON text becomes a value and back. For .cpp files only: headers speak JsonText.
#pragma once

#include <nlohmann/json.hpp>

#include "core/text/base.h"

// Compiled once, with the speed of this folder, and not by every file that includes this.
extern template class nlohmann::basic_json<nlohmann::ordered_map>;

namespace skein {

// Members keep their order, so texts and caches stay stable. Each is found by looking through all
// before it: never build an object of very many by name, or of what others say how many.
using Json = nlohmann::ordered_json;

inline constexpr int json_max_depth = 256;

// Strict, at most json_max_depth deep, never throws, in time linear in the text. nullopt: not JSON.
std::optional<Json> parse_json(std::string_view text);
// Whether objects and arrays are nested deeper than that.
bool is_deeper(std::string_view json, int depth);
// Whether that is an object, without making a value of what is in it.
bool is_json_object(std::string_view text);

// Where the string that begins at `open` ends, by leaps from quote to quote; npos: it does not.
inline std::size_t closing_quote(std::string_view text, std::size_t open) {
  for (std::size_t at = text.find('"', open + 1);; at = text.find('"', at + 1)) {
    if (at == std::string_view::npos) return at;
    std::size_t escapes = 0;
    while (text[at - escapes - 1] == '\\') ++escapes;
    if (escapes % 2 == 0) return at;
  }
}

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
// The elements of a list, or of a member that is one; of anything else there are none.
const std::vector<Json>& elements(const Json& value);
inline const std::vector<Json>& list_at(const Json& object, std::string_view key) {
  return elements(at(object, key));
}
// Those elements of a list that are strings.
std::vector<std::string> strings_in(const Json& list);
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

// Writes a JSON object member by member into a string. Raw JSON goes in as it is, and a document
// of nodes would take ten times as long. Keys are words of ours, with nothing to escape.
class JsonWriter {
 public:
  explicit JsonWriter(std::string& out) : out_(out) { out_ += '{'; }

  void raw(std::string_view key, std::string_view json) {
    open(key);
    out_ += json;
  }
  void text(std::string_view key, std::string_view value) {
    open(key);
    append_quoted(out_, value);
  }
  void number(std::string_view key, std::int64_t value) {
    char digits[24];
    const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
    raw(key, {digits, static_cast<std::size_t>(end - digits)});
  }
  void truth(std::string_view key, bool value) { raw(key, value ? "true" : "false"); }
  void number_if(std::string_view key, std::int64_t value) {
    if (value != 0) number(key, value);
  }
  void raw_if(std::string_view key, std::string_view json) {
    if (!json.empty()) raw(key, json);
  }
  void text_if(std::string_view key, std::string_view value) {
    if (!value.empty()) text(key, value);
  }
  void id(std::string_view key, const std::optional<Id>& id) {
    raw(key, id ? '"' + to_string(*id) + '"' : "null");
  }
  // What follows is the member's value, written by another.
  void open(std::string_view key) {
    out_ += out_.back() != '{' ? ",\"" : "\"";
    out_ += key;
    out_ += "\":";
  }
  void end() { out_ += '}'; }

 private:
  std::string& out_;
};

}  // namespace skein
