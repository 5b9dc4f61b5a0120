#include "core/text/request_text.h"

#include "core/text/json.h"

namespace skein {

namespace {

constexpr std::string_view white_space[] = {
    " ",      "\n",     "\t",     "\r",     "\v",     "\f",     "\x1c",   "\x1d",
    "\x1e",   "\x1f",   "\u0085", "\u00a0", "\u1680", "\u2000", "\u2001", "\u2002",
    "\u2003", "\u2004", "\u2005", "\u2006", "\u2007", "\u2008", "\u2009", "\u200a",
    "\u2028", "\u2029", "\u202f", "\u205f", "\u3000", "\ufeff"};

constexpr std::string_view nul_symbol = "\u2400";
constexpr std::string_view nul_escape = "\\u0000";

// Where the next \u0000 escape begins at or after `from`; an escaped backslash is not one.
std::size_t find_nul_escape(std::string_view json, std::size_t from) {
  for (std::size_t i = json.find('\\', from); i != json.npos; i = json.find('\\', i + 2))
    if (json.substr(i, nul_escape.size()) == nul_escape) return i;
  return json.npos;
}

JsonText without_nul_escapes(std::string_view json) {
  JsonText out;
  std::size_t from = 0;
  for (std::size_t i; (i = find_nul_escape(json, from)) != json.npos; from = i + nul_escape.size())
    out.append(json.substr(from, i - from)).append(nul_symbol);
  return out.append(json.substr(from));
}

}  // namespace

std::string sendable(std::string_view text) {
  if (is_sendable(text)) return std::string(text);
  std::string out;
  for (const char c : valid_utf8(text))
    if (c == '\0')
      out += nul_symbol;
    else
      out += c;
  return out;
}

bool is_sendable(std::string_view text) {
  return text.find('\0') == text.npos && is_valid_utf8(text);
}

bool is_blank(std::string_view text) {
  while (!text.empty()) {
    if (text[0] > ' ' && text[0] < 0x7f) return false;  // nearly always, at the first byte
    const auto space = std::ranges::find_if(
        white_space, [&](std::string_view each) { return text.starts_with(each); });
    if (space == std::end(white_space)) return false;
    text.remove_prefix(space->size());
  }
  return true;
}

bool is_base64(std::string_view text) {
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  if (text.empty() || text.size() % 4 != 0) return false;
  for (int padding = 0; padding < 2 && text.ends_with('='); ++padding) text.remove_suffix(1);
  return text.find_first_not_of(digits) == text.npos;
}

bool is_sendable_object(std::string_view json) {
  const std::size_t first = json.find_first_not_of(" \n\r\t");
  return first != json.npos && json[first] == '{' && is_sendable(json) &&
         find_nul_escape(json, 0) == json.npos && !is_deeper(json, sendable_depth) &&
         Json::accept(json);
}

JsonText sendable_object(std::string_view json) {
  if (is_sendable_object(json)) return JsonText(json);
  if (is_blank(json)) return "{}";
  const JsonText clean = without_nul_escapes(json_line(sendable(json)));
  if (is_sendable_object(clean)) return clean;
  if (clean == "null") return "{}";
  // The wrapping makes it one level deeper, so ask again.
  JsonText wrapped = "{\"value\":" + clean + "}";
  if (Json::accept(clean) && is_sendable_object(wrapped)) return wrapped;
  return "{\"raw\":" + json_string(sendable(json)) + "}";
}

}  // namespace skein
