// Writes a JSON object member by member into a string. Raw JSON goes in as it
// is, and a document of nodes would take ten times as long. Keys are words of ours, with nothing to
// escape.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/text/json.h"

namespace skein {

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
  void id_if(std::string_view key, const std::optional<Id>& id) {
    if (id) text(key, to_string(*id));
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
