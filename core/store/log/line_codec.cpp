#include "core/store/log/line_codec.h"

#include "core/text/checksum.h"
#include "core/text/encoding.h"
#include "core/text/json.h"

namespace skein::store::log {

namespace {

constexpr std::size_t crc_from_end = 8 + 2;

// Everything of a line before its seal.
std::string line_start(const Entry& entry) {
  std::string out;
  JsonWriter writer(out);
  writer.text("id", to_string(entry.id));
  writer.id("parentId", entry.parent);
  writer.raw("type", json_line(json_string(entry.type)));
  writer.raw("timestamp", json_line(json_string(entry.timestamp)));
  if (!entry.run_id.empty()) writer.raw("runId", json_line(json_string(entry.run_id)));
  writer.raw("payload", json_line(entry.payload));
  if (!entry.meta.empty()) writer.raw("meta", json_line(entry.meta));
  return out;
}

constexpr std::uint64_t ones = 0x0101010101010101;

// Four decimal digits at once.
bool parse_decimal4(const char* digits, unsigned& value) {
  std::uint32_t text = 0;
  std::memcpy(&text, digits, sizeof text);
  text ^= 0x30303030;  // digits become 0 to 9, everything else something larger
  if (((text | (text + 0x06060606)) & 0xF0F0F0F0) != 0) return false;
  value = (text & 15) * 1000 + (text >> 8 & 15) * 100 + (text >> 16 & 15) * 10 + (text >> 24);
  return true;
}

// What is left of a line. By value, in two registers: each step returns whether it could be taken.
struct Rest {
  const char* at;
  const char* end;

  // The length is known to the compiler.
  template <std::size_t size>
  bool take(const char (&expected)[size]) {
    constexpr std::size_t length = size - 1;
    if (end - at < static_cast<std::ptrdiff_t>(length)) return false;
    // In two halves that may overlap: g++ calls a function to compare more than eight bytes.
    constexpr std::size_t half = std::min<std::size_t>(length, 8);
    if (std::memcmp(at, expected, half) != 0 ||
        std::memcmp(at + length - half, expected + length - half, half) != 0)
      return false;
    static_assert(length <= 16);
    at += length;
    return true;
  }
  bool take_id(Id& id) {
    if (end - at < 16 || !parse_hex16(at, id.value)) return false;
    at += 16;
    return true;
  }
  // A string's text up to its closing quote; our own writer never escapes in these.
  [[gnu::always_inline]] bool take_plain_string(std::string_view& value) {
    const char* const begin = at;
    const auto zero_bytes = [](std::uint64_t word) { return (word - ones) & ~word & ones * 0x80; };
    // Eight bytes at a look; something always follows such a member.
    for (std::uint64_t word = 0; end - at >= 8 && at - begin < 256; at += 8) {
      std::memcpy(&word, at, sizeof word);
      const std::uint64_t found = zero_bytes(word ^ ones * '"') | zero_bytes(word ^ ones * '\\');
      if (found == 0) continue;
      at += std::countr_zero(found) / 8;
      value = {begin, static_cast<std::size_t>(at - begin)};
      return *at++ == '"';
    }
    return false;
  }
};

// ,"seal":"iiii/nnnn:pppppppp:cccccccc"}
bool read_seal(const char* text, Seal& seal) {
  return std::memcmp(text, R"(,"seal":")", 9) == 0 && parse_decimal4(text + 9, seal.place) &&
         text[13] == '/' && parse_decimal4(text + 14, seal.count) && text[18] == ':' &&
         parse_hex8(text + 19, seal.previous) && text[27] == ':' &&
         parse_hex8(text + 28, seal.crc) && std::memcmp(text + 36, "\"}", 2) == 0 &&
         seal.place < seal.count;
}

}  // namespace

std::uint32_t seal_seed(Id session) { return crc32c(0, to_string(session)); }

Result<SealedBatch> seal_batch(std::span<const Entry> entries, std::uint32_t seed,
                               std::uint32_t previous) {
  if (entries.size() > max_batch_entries)
    return Failure{Failure::Kind::refused,
                   "a batch holds at most " + std::to_string(max_batch_entries) + " entries"};
  SealedBatch batch;
  std::uint32_t state = seed;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    std::string line = line_start(entries[i]);
    if (line.size() + seal_width > max_line_bytes)
      return Failure{Failure::Kind::refused,
                     "entry " + to_string(entries[i].id) + " is larger than 16 MiB"};
    char seal[64];  // room for numbers a compiler cannot know to be small
    std::snprintf(seal, sizeof seal, R"(,"seal":"%04zu/%04zu:%08x:)", i, entries.size(), previous);
    line += seal;
    batch.last_crc = crc32c(state, line);
    std::snprintf(seal, sizeof seal, "%08x\"}\n", batch.last_crc);
    line += seal;
    state = crc32c(state, line);
    batch.bytes += line;
    if (batch.bytes.size() > max_batch_bytes)
      return Failure{Failure::Kind::refused, "a batch holds at most 32 MiB; split it"};
  }
  return batch;
}

// Without printf, which would take longer than all the rest of copying a line.
NewSeal seal_anew(std::string_view line, std::uint32_t seed, std::uint32_t previous) {
  NewSeal seal{};
  constexpr std::string_view form = R"(,"seal":"0000/0001:pppppppp:cccccccc"})"
                                    "\n";
  constexpr std::size_t previous_at = form.find('p'), crc_at = form.find('c');
  static_assert(form.size() == sizeof seal.text);
  const auto put_hex = [&seal](std::size_t at, std::uint32_t value) {
    for (int shift = 28; shift >= 0; shift -= 4)
      seal.text[at++] = "0123456789abcdef"[value >> shift & 15];
  };
  form.copy(seal.text, form.size());
  put_hex(previous_at, previous);
  seal.crc = crc32c(seed, line.substr(0, line.size() - seal_width));
  seal.crc = crc32c(seal.crc, {seal.text, crc_at});
  put_hex(crc_at, seal.crc);
  return seal;
}

// A scan does this for every line there is, so it is written for speed: nothing is searched for
// that has a fixed place, and nothing is copied.
std::optional<Line> read_line(std::string_view text) {
  std::optional<Line> out;
  if (text.size() < seal_width || text.size() > max_line_bytes) return out;
  Line line;
  Rest rest{text.data(), text.data() + text.size() - seal_width};
  if (!read_seal(rest.end, line.seal)) return out;

  if (!rest.take(R"({"id":")") || !rest.take_id(line.id) || !rest.take(R"(","parentId":)"))
    return out;
  if (rest.take("\"")) {
    Id parent;
    if (!rest.take_id(parent) || !rest.take("\"")) return out;
    line.parent = parent;
  } else if (!rest.take("null")) {
    return out;
  }
  std::string_view run_id;
  if (!rest.take(R"(,"type":")") || !rest.take_plain_string(line.type) ||
      !rest.take(R"(,"timestamp":")") || !rest.take_plain_string(line.timestamp) ||
      (rest.take(R"(,"runId":")") && !rest.take_plain_string(run_id)) ||
      !rest.take(R"(,"payload":)") || rest.at == rest.end || *rest.at != '{')
    return out;
  line.body = {rest.at, static_cast<std::size_t>(rest.end - rest.at)};
  out = line;
  return out;
}

std::uint32_t line_crc(std::uint32_t state, std::string_view text) {
  return crc32c(state, text.substr(0, text.size() - crc_from_end));
}

std::uint32_t state_after(std::uint32_t crc, std::string_view text) {
  return crc32c(crc32c(crc, text.substr(text.size() - crc_from_end)), "\n");
}

Entry entry_of(std::string_view text, const Line& line) {
  Entry entry{.id = line.id,
              .parent = line.parent,
              .type = std::string(line.type),
              .timestamp = std::string(line.timestamp)};
  const std::string_view start =
      text.substr(0, static_cast<std::size_t>(line.body.data() - text.data()));
  constexpr std::string_view run_opening = R"(,"runId":")", payload_opening = R"(","payload":)";
  if (const std::size_t run = start.rfind(run_opening); run != std::string_view::npos) {
    const std::size_t from = run + run_opening.size();
    entry.run_id = start.substr(from, start.size() - from - payload_opening.size());
  }
  const std::size_t length = bracketed_length(line.body);
  entry.payload = line.body.substr(0, length);
  std::string_view rest = line.body.substr(length);
  if (constexpr std::string_view opening = R"(,"meta":)"; rest.starts_with(opening))
    entry.meta = rest.substr(opening.size());
  return entry;
}

std::optional<Entry> entry_from_json(std::string_view text) {
  const std::optional<Json> json = parse_json(text);
  if (!json) return std::nullopt;
  const std::optional<Id> id = parse_id(string_at(*json, "id"));
  const JsonText payload = text_at(*json, "payload");
  const std::string type = string_at(*json, "type");
  if (!id || type.empty() || !payload.starts_with('{')) return std::nullopt;
  // Only a null makes a root. What cannot be read once named a parent: such an
  // entry names one that does not exist, so that it counts as an orphan and cuts no history off.
  std::optional<Id> parent;
  if (const auto named = json->find("parentId"); named == json->end() || !named->is_null())
    parent = parse_id(string_at(*json, "parentId")).value_or(Id{~id->value});
  return Entry{.id = *id,
               .parent = parent,
               .type = type,
               .timestamp = string_at(*json, "timestamp"),
               .run_id = string_at(*json, "runId"),
               .payload = json_line(payload),
               .meta = json_line(text_at(*json, "meta"))};
}

}  // namespace skein::store::log
