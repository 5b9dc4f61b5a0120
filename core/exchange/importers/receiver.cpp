#include "core/exchange/importers/receiver.h"

#include <charconv>

#include "core/text/sha256.h"

namespace skein::exchange::importers {

namespace {

// The lengths keep ("ab", "c") apart from ("a", "bc").
void add_part(std::string& text, std::string_view part) {
  text += std::to_string(part.size());
  text += ':';
  text += part;
}

Id id_from(const std::string& text) {
  const std::string digits = sha256_hex(text).substr(0, 16);
  Id id;
  std::from_chars(digits.data(), digits.data() + digits.size(), id.value, 16);
  return id;
}

}  // namespace

Id session_id(std::string_view format, std::string_view session) {
  std::string text;
  add_part(text, format);
  add_part(text, session);
  return id_from(text);
}

Id entry_id(std::string_view format, std::string_view session, std::string_view entry) {
  std::string text;
  add_part(text, format);
  add_part(text, session);
  add_part(text, entry);
  return id_from(text);
}

}  // namespace skein::exchange::importers
