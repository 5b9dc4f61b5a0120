#include "core/text/json.h"

#include <simdjson.h>

#include "core/text/encoding.h"
#include "core/text/utf8.h"

template class nlohmann::basic_json<nlohmann::ordered_map>;

namespace skein {

namespace {

// The depth after each bracket and at each colon outside of strings, and where that is, until
// `visit` returns false.
template <class Visit>
void each_mark(std::string_view text, Visit visit) {
  int depth = 0;
  for (std::size_t at = 0; at < text.size(); ++at) switch (text[at]) {
      case '"':
        at = closing_quote(text, at);
        if (at == std::string_view::npos) return;
        break;
      case '{':
      case '[':
        if (!visit(++depth, at)) return;
        break;
      case '}':
      case ']':
        if (!visit(--depth, at)) return;
        break;
      case ':':
        if (!visit(depth, at)) return;
        break;
    }
}

// Whether nlohmann's parser, which looks through the members of an object for each new one, would
// take more than a moment.
bool too_many_members(std::string_view text) {
  constexpr std::size_t most_looks = 200'000'000;
  std::size_t members[json_max_depth + 1] = {}, looks = 0;
  each_mark(text, [&](int depth, std::size_t at) {
    if (depth < 0 || depth > json_max_depth) return false;
    if (text[at] == ':') looks += members[depth]++;
    if (text[at] == '{') members[depth] = 0;
    return looks <= most_looks;
  });
  return looks > most_looks;
}

Json value_of(simdjson::dom::element element);

// The library's way of adding a member looks through all there are, and moves them one by one when
// there is no room. So there is room from the start, and among many a member is found by a hash.
Json object_of(simdjson::dom::object object) {
  constexpr std::size_t many = 32;
  Json out = Json::object();
  auto& members = out.get_ref<Json::object_t&>();
  members.reserve(object.size());
  std::unordered_map<std::string_view, std::size_t> places;
  const auto place_of = [&](std::string_view key) {
    if (object.size() >= many) return places.emplace(key, members.size()).first->second;
    std::size_t at = 0;
    while (at < members.size() && members.data()[at].first != key) ++at;
    return at;
  };
  for (const auto& [key, value] : object)
    if (const std::size_t at = place_of(key); at == members.size())
      members.emplace_back(std::string(key), value_of(value));
    else
      members.data()[at].second = value_of(value);
  return out;
}

// As nlohmann would have read it: numbers that are not negative are unsigned, of members with the
// same name the last counts.
Json value_of(simdjson::dom::element element) {
  using Type = simdjson::dom::element_type;
  switch (element.type()) {
    case Type::OBJECT: return object_of(element);
    case Type::ARRAY: {
      Json out = Json::array();
      const simdjson::dom::array values(element);
      out.get_ref<Json::array_t&>().reserve(values.size());
      for (const auto& each : values) out.push_back(value_of(each));
      return out;
    }
    case Type::STRING: return std::string(std::string_view(element));
    case Type::INT64:
      if (const std::int64_t number(element); number < 0) return number;
      return static_cast<std::uint64_t>(std::int64_t(element));
    case Type::UINT64: return std::uint64_t(element);
    case Type::DOUBLE: return double(element);
    case Type::BOOL: return bool(element);
    case Type::NULL_VALUE: return nullptr;
  }
  return nullptr;
}

// nlohmann's parser does not recurse but its printer does, so depth is bounded here, for all.
// Nothing at all may have no place in memory, which the parser copies from. A raw NUL is never
// JSON, but the parser takes one for the end of its input.
bool may_be_json(std::string_view text) {
  return !text.empty() && text.find('\0') == std::string_view::npos &&
         !is_deeper(text, json_max_depth);
}

// `root` lives until the next text is parsed; with `passing`, which is used for what would make the
// buffers large for good.
bool parse_fast(std::string_view text, simdjson::dom::parser& passing,
                simdjson::dom::element& root) {
  constexpr std::size_t most_kept = 1u << 20;
  static thread_local simdjson::dom::parser kept;
  simdjson::dom::parser& parser = text.size() <= most_kept ? kept : passing;
  return parser.parse(text.data(), text.size()).get(root) == simdjson::SUCCESS;
}

// What only nlohmann's parser takes.
std::optional<Json> parse_slowly(std::string_view text) {
  if (too_many_members(text)) return std::nullopt;
  Json value = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (value.is_discarded()) return std::nullopt;
  return value;
}

struct NumberRange {
  char32_t first, last;
};
// Legal in a JSON string but not in a line of a transcript.
constexpr NumberRange not_in_lines[] = {
    {0, 0x1F}, {0x7F, 0x9F}, {0x2028, 0x2029}, {0xFEFF, 0xFEFF}};
// What a terminal may obey.
constexpr NumberRange obeyed[] = {
    {0x7F, 0x9F},      // DEL, C1
    {0x61C, 0x61C},    // Arabic letter mark
    {0x200E, 0x200F},  // left-to-right and right-to-left mark
    {0x2028, 0x202E},  // line and paragraph separator, embeddings and overrides
    {0x2066, 0x2069},  // isolates
    {0xFEFF, 0xFEFF},
};

// Appends the first character of `text`, which is valid UTF-8, escaped if it is in `ranges`.
// Returns its length.
std::size_t append_character(std::string& out, std::string_view text,
                             std::span<const NumberRange> ranges) {
  const Utf8Character next = first_character(text);
  const bool escaped = std::ranges::any_of(ranges, [&](const NumberRange& range) {
    return next.point >= range.first && next.point <= range.last;
  });
  if (escaped)
    out += "\\u" + hex(next.point, 4);
  else
    out += text.substr(0, next.length);
  return next.length;
}

// How many bytes at the start of a string's text need no second look.
std::size_t plain_run(std::string_view text) {
  const auto is_plain = [](char c) { return c >= 0x20 && c < 0x7F && c != '"' && c != '\\'; };
  return static_cast<std::size_t>(std::ranges::find_if_not(text, is_plain) - text.begin());
}

}  // namespace

// simdjson reads what is common in half the time (4.3 µs a message against 9.5); what it refuses,
// as numbers of more than 64 bits, is nlohmann's.
std::optional<Json> parse_json(std::string_view text) {
  if (!may_be_json(text)) return std::nullopt;
  simdjson::dom::parser passing;
  simdjson::dom::element root;
  return parse_fast(text, passing, root) ? value_of(root) : parse_slowly(text);
}

bool is_deeper(std::string_view json, int most) {
  bool deeper = false;
  each_mark(json, [&](int depth, std::size_t) { return !(deeper = depth > most); });
  return deeper;
}

bool is_json_object(std::string_view text) {
  if (!may_be_json(text)) return false;
  simdjson::dom::parser passing;
  simdjson::dom::element root;
  if (parse_fast(text, passing, root)) return root.is_object();
  const std::optional<Json> json = parse_slowly(text);
  return json && json->is_object();
}

std::size_t bracketed_length(std::string_view text) {
  std::size_t length = 0;
  if (text.starts_with('{') || text.starts_with('['))
    each_mark(text, [&](int depth, std::size_t at) {
      if (depth == 0) length = at + 1;
      return depth > 0;
    });
  return length;
}

JsonText dump(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void append_quoted(std::string& out, std::string_view text) {
  const auto special = [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\';
  };
  out += '"';
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::size_t begin = at;
    while (at < text.size() && !special(text[at])) ++at;
    out += text.substr(begin, at - begin);
    if (at == text.size()) break;
    switch (const char c = text[at]) {
      case '"': out += "\\\""; break;
      case '\\': out += "\\\\"; break;
      case '\n': out += "\\n"; break;
      case '\r': out += "\\r"; break;
      case '\t': out += "\\t"; break;
      default: out += "\\u" + hex(static_cast<unsigned char>(c), 4);
    }
  }
  out += '"';
}

JsonText json_string(std::string_view text) {
  std::string out;
  append_quoted(out, text);
  return out;
}

const Json& at(const Json& object, std::string_view key) {
  static const Json null;
  if (!object.is_object()) return null;
  const auto found = object.find(key);
  return found == object.end() ? null : *found;
}

const std::vector<Json>& elements(const Json& value) {
  static const std::vector<Json> none;
  return value.is_array() ? value.get_ref<const std::vector<Json>&>() : none;
}

std::vector<std::string> strings_in(const Json& list) {
  std::vector<std::string> out;
  for (const Json& each : elements(list))
    if (each.is_string()) out.push_back(each.get<std::string>());
  return out;
}

std::string string_at(const Json& object, std::string_view key, std::string_view fallback) {
  const Json& member = at(object, key);
  return member.is_string() ? member.get<std::string>() : std::string(fallback);
}

std::int64_t int_at(const Json& object, std::string_view key, std::int64_t fallback) {
  const Json& member = at(object, key);
  return member.is_number_integer() ? member.get<std::int64_t>() : fallback;
}

bool bool_at(const Json& object, std::string_view key, bool fallback) {
  const Json& member = at(object, key);
  return member.is_boolean() ? member.get<bool>() : fallback;
}

JsonText text_at(const Json& object, std::string_view key) {
  const Json& member = at(object, key);
  return member.is_structured() ? dump(member) : JsonText{};
}

JsonText json_line(std::string_view text) {
  std::string clean;
  if (!is_valid_utf8(text)) text = clean = valid_utf8(text);
  std::string out;
  out.reserve(text.size());
  bool in_string = false;
  for (std::size_t i = 0; i < text.size();) {
    const std::string_view rest = text.substr(i);
    if (!in_string) {
      in_string = rest[0] == '"';
      if (rest[0] != ' ' && rest[0] != '\n' && rest[0] != '\r' && rest[0] != '\t') out += rest[0];
      ++i;
      continue;
    }
    if (const std::size_t plain = plain_run(rest)) {
      out += rest.substr(0, plain);
      i += plain;
    } else if (rest[0] == '\\') {
      const std::optional<char32_t> unit = escaped_unit(rest);
      std::size_t length = unit ? escaped_unit_length : 2;
      const bool pair = unit && is_high_surrogate(*unit) &&
                        is_low_surrogate(escaped_unit(rest.substr(length)).value_or(0));
      if (unit && is_surrogate(*unit) && !pair)
        out += "\\ufffd";
      else
        out += rest.substr(0, length = pair ? 2 * length : length);
      i += length;
    } else {
      in_string = rest[0] != '"';
      i += append_character(out, rest, not_in_lines);
    }
  }
  return out;
}

JsonText printable_json(std::string_view json) {
  std::string clean;
  if (!is_valid_utf8(json)) json = clean = valid_utf8(json);
  std::string out;
  out.reserve(json.size());
  const auto plain = [](char c) { return static_cast<unsigned char>(c) < 0x7F; };
  while (!json.empty()) {
    const auto run = static_cast<std::size_t>(std::ranges::find_if_not(json, plain) - json.begin());
    out += json.substr(0, run);
    json.remove_prefix(run);
    if (!json.empty()) json.remove_prefix(append_character(out, json, obeyed));
  }
  return out;
}

}  // namespace skein
