#include "core/store/log/seal.h"

#include <cstdio>

#include "core/store/log/crc32c.h"
#include "core/text/json.h"

namespace skein::store::log {

namespace {

constexpr std::size_t crc_from_end = 8 + 2;
constexpr char id_opening[] = R"({"id":")";
constexpr char parent_opening[] = R"(","parentId":)";

void append_member(std::string& out, std::string_view key, std::string_view json) {
  out += ',';
  append_quoted(out, key);
  out += ':';
  out += json;
}

// Everything of a line before its seal.
std::string line_start(const model::Entry& entry) {
  std::string out(id_opening);
  out += to_string(entry.id);
  out += parent_opening;
  if (entry.parent)
    out.append("\"").append(to_string(*entry.parent)).append("\"");
  else
    out += "null";
  append_member(out, "type", json_line(json_string(entry.type)));
  append_member(out, "timestamp", json_line(json_string(entry.timestamp)));
  if (!entry.run_id.empty()) append_member(out, "runId", json_line(json_string(entry.run_id)));
  append_member(out, "payload", json_line(entry.payload));
  if (!entry.meta.empty()) append_member(out, "meta", json_line(entry.meta));
  return out;
}

}  // namespace

std::uint32_t seal_seed(Id session) { return crc32c(0, to_string(session)); }

Result<SealedBatch> seal_batch(std::span<const model::Entry> entries, std::uint32_t seed,
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

std::uint32_t line_crc(std::uint32_t state, std::string_view text) {
  return crc32c(state, text.substr(0, text.size() - crc_from_end));
}

std::uint32_t state_after(std::uint32_t crc, std::string_view text) {
  return crc32c(crc32c(crc, text.substr(text.size() - crc_from_end)), "\n");
}

model::Entry entry_of(std::string_view text, const Line& line) {
  model::Entry entry{.id = line.id,
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

std::optional<model::Entry> entry_from_json(std::string_view text) {
  const std::optional<Json> json = parse_json(text);
  if (!json) return std::nullopt;
  const std::optional<Id> id = parse_id(string_at(*json, "id"));
  const JsonText payload = text_at(*json, "payload");
  const std::string type = string_at(*json, "type");
  if (!id || type.empty() || !payload.starts_with('{')) return std::nullopt;
  // Only a null that stands there makes a root. What cannot be read once named a parent: such an
  // entry names one that nobody is, so that it counts as an orphan and cuts no history off.
  std::optional<Id> parent;
  if (const auto named = json->find("parentId"); named == json->end() || !named->is_null())
    parent = parse_id(string_at(*json, "parentId")).value_or(Id{~id->value});
  return model::Entry{.id = *id,
                      .parent = parent,
                      .type = type,
                      .timestamp = string_at(*json, "timestamp"),
                      .run_id = string_at(*json, "runId"),
                      .payload = json_line(payload),
                      .meta = json_line(text_at(*json, "meta"))};
}

}  // namespace skein::store::log
