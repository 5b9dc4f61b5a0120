#include "core/import/source/foreign_json.h"

#include "core/text/checksum.h"
#include "core/text/encoding.h"
#include "core/text/text.h"

namespace skein::importers {

namespace {

// Behind blanks, and the byte order mark that some files begin with.
std::string_view after_blanks(std::string_view text) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  return text.substr(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
}

template <class Kind>
bool has_block(const std::vector<model::Block>& blocks) {
  return std::ranges::any_of(
      blocks, [](const model::Block& block) { return std::holds_alternative<Kind>(block); });
}

constexpr std::size_t head_bytes = 256 * 1024;
constexpr std::uint64_t most_beside = std::uint64_t{64} << 20;

}  // namespace

bool is_id(std::string_view text) {
  constexpr std::size_t longest = 128;
  return !text.empty() && text.size() <= longest && std::ranges::all_of(text, [](char c) {
    return c > 0x20 && c < 0x7F && c != '"' && c != '\\';
  });
}

bool is_entry_id(std::string_view text) {
  return is_id(text) && text.find_first_of("/+#") == std::string_view::npos;
}

std::string id_at(const Json& object, std::string_view key) {
  std::string id = string_at(object, key);
  return is_id(id) ? id : std::string{};
}

std::optional<Json> read_json(std::string_view text) {
  if (auto value = parse_json(text)) return value;
  return parse_json(json_line(text));
}

bool each_object(std::string_view line, const EachRecord& each, std::uint64_t begin) {
  const char* const first = line.data();
  const auto give = [&](std::string_view written) {
    std::string mended;
    std::string_view text = written;
    auto value = parse_json(text);
    if (!value) value = parse_json(text = mended = json_line(written));
    if (!value || !value->is_object()) return false;
    each({*value, text, written, begin + static_cast<std::uint64_t>(written.data() - first)});
    return true;
  };
  if (give(line)) return true;
  while (!line.empty()) {
    const std::size_t length = bracketed_length(line);
    if (length == 0 || !give(line.substr(0, length))) return false;
    line = after_blanks(line.substr(length));
  }
  return true;
}

void each_record(const SourceFile& file, const ReadOptions& options, Receiver& receiver,
                 const EachRecord& each, std::uint64_t end) {
  const std::size_t too_long = file.lines([&](const SourceFile::Line& line) {
    if (line.offset + line.text.size() > end) return false;
    const std::string_view text = trimmed(line.text);
    const auto begin = line.offset + static_cast<std::uint64_t>(text.data() - line.text.data());
    if (!text.empty() && !each_object(text, each, begin) && (line.ended || !options.growing))
      receiver.lose("damaged lines");
    return true;
  });
  for (std::size_t i = 0; i < too_long; ++i) receiver.lose("lines of more than 64 MiB");
}

std::vector<Json> first_records(const SourceFile& file, std::size_t most) {
  std::vector<Json> out;
  std::string bytes = file.read(0, head_bytes);
  // A first line that is longer tells as much as a short one.
  if (bytes.size() < file.size() && bytes.find('\n') == std::string::npos && bytes.starts_with('{'))
    bytes = file.read(
        0, file.size() <= SourceFile::longest_line ? SourceFile::longest_line : 16 * head_bytes);
  const SourceFile head = SourceFile::of_bytes(file.path(), std::move(bytes));
  std::size_t damaged = 0;
  head.lines([&](const SourceFile::Line& line) {
    const bool whole = each_object(line.text, [&](const ForeignRecord& record) {
      if (out.size() < most) out.push_back(std::move(record.json));
    });
    if (!whole) ++damaged;
    return out.size() < most && damaged < most;
  });
  return out;
}

std::string json_head(const SourceFile& file) {
  const std::string head = file.head();
  const std::string_view text = after_blanks(head);
  return text.starts_with('{') || text.starts_with('[') ? std::string(text) : std::string{};
}

bool begins_with_object_of(const SourceFile& file, std::initializer_list<std::string_view> names) {
  const std::string head = json_head(file);
  return head.starts_with('{') && std::ranges::all_of(names, [&](std::string_view name) {
           return head.find('"' + std::string(name) + '"') != std::string::npos;
         });
}

Json first_record(const SourceFile& file) {
  const std::string text = json_head(file);
  auto record = text.starts_with('{')
                    ? read_json(std::string_view(text).substr(0, bracketed_length(text)))
                    : std::nullopt;
  return record ? std::move(*record) : Json(nullptr);
}

Json whole_json(const SourceFile& file, std::uint64_t most) {
  if (file.size() > most) return nullptr;
  const std::string bytes = file.read(0, static_cast<std::size_t>(file.size()));
  return read_json(after_blanks(bytes)).value_or(Json(nullptr));
}

Json plain_json(const std::string& folder, const std::string& name) {
  const auto text = read_plain_file(folder, name);
  return (text ? read_json(*text) : std::nullopt).value_or(Json(nullptr));
}

Json json_beside(const std::string& path) {
  const auto file = SourceFile::open(path);
  const auto* found = std::get_if<SourceFile>(&file);
  return found == nullptr ? Json(nullptr) : whole_json(*found, most_beside);
}

std::string first_string(const Json& object, std::initializer_list<const char*> keys) {
  for (const char* key : keys)
    if (std::string text = string_at(object, key); !text.empty()) return text;
  return {};
}

std::int64_t count_at(const Json& object, std::string_view key) {
  constexpr std::int64_t most = 1'000'000'000'000;
  const Json& member = at(object, key);
  if (member.is_number_float()) {
    const double number = member.get<double>();
    return std::isfinite(number) && number > 0 && number < static_cast<double>(most)
               ? static_cast<std::int64_t>(number)
               : 0;
  }
  return std::clamp<std::int64_t>(int_at(object, key), 0, most);
}

model::Usage usage_named(const Json& counts, const std::array<const char*, 4>& names) {
  return {.input = count_at(counts, names[0]),
          .output = count_at(counts, names[1]),
          .cache_read = count_at(counts, names[2]),
          .cache_write = count_at(counts, names[3])};
}

model::Stop stop_named(std::string_view name, std::initializer_list<NamedStop> stops,
                       model::Stop otherwise) {
  const auto* const found = std::ranges::find(stops, name, &NamedStop::first);
  return found == stops.end() ? otherwise : found->second;
}

std::string_view context_label(std::string_view text,
                               std::span<const ContextBeginning> beginnings) {
  text = trimmed(text);
  for (const ContextBeginning& each : beginnings)
    if (text.starts_with(each.text)) return each.label;
  return {};
}

std::string line_id(std::string_view written) {
  return "line-" + sha256_hex(written).substr(0, 16);
}

void add_raw(JsonText& raw, std::string_view record) {
  if (raw.empty())
    raw = json_line(record);
  else if (raw.starts_with('['))
    raw.replace(raw.size() - 1, 1, "," + json_line(record) + "]");
  else
    raw = "[" + raw + "," + json_line(record) + "]";
}

JsonText call_input(const Json& value) {
  if (value.is_object()) return dump(value);
  if (value.is_null()) return "{}";
  if (value.is_string()) {
    const auto& text = value.get_ref<const std::string&>();
    if (const auto parsed = read_json(text); parsed && parsed->is_object()) return dump(*parsed);
    if (text.empty()) return "{}";
    return "{\"_raw\":" + json_string(text) + "}";
  }
  return "{\"_raw\":" + json_string(dump(value)) + "}";
}

std::optional<model::Image> kept_image(Receiver& receiver, std::string_view mime_type,
                                       std::string_view base64) {
  const std::optional<std::string> bytes = from_base64(base64);
  if (!bytes || bytes->empty()) return std::nullopt;
  const std::string_view found = image_type(*bytes);
  if (found.empty() && !mime_type.starts_with("image/")) return std::nullopt;
  std::string blob = receiver.keep(*bytes);
  if (blob.empty()) return std::nullopt;
  return model::Image{.mime_type = std::string(found.empty() ? mime_type : found),
                      .blob = std::move(blob)};
}

std::optional<model::Image> kept_image_at(Receiver& receiver, std::string_view url) {
  constexpr std::string_view scheme = "data:", encoding = ";base64";
  const std::size_t comma = url.find(',');
  if (!url.starts_with(scheme) || comma == std::string_view::npos) return std::nullopt;
  std::string_view type = url.substr(scheme.size(), comma - scheme.size());
  if (!type.ends_with(encoding)) return std::nullopt;
  type = type.substr(0, type.find(';'));
  return kept_image(receiver, type, url.substr(comma + 1));
}

std::string joined_texts(const Json& content, std::string_view between) {
  if (content.is_string()) return content.get<std::string>();
  std::string out;
  for (const Json& part : elements(content)) {
    const std::string text = part.is_string() ? part.get<std::string>() : string_at(part, "text");
    if (!text.empty() && !out.empty()) out += between;
    out += text;
  }
  return out;
}

void add_thinking(std::vector<model::Block>& blocks, std::string text) {
  if (!text.empty()) blocks.emplace_back(model::Thinking{.thinking = std::move(text)});
}

std::string ran_command(std::string_view command, std::string_view output,
                        const Json& exit_status) {
  const std::string fence = fenced(output);
  return "I ran `" + std::string(command) + "`" +
         (exit_status.is_number_integer()
              ? ", exit status " + std::to_string(exit_status.get<std::int64_t>())
              : ", and stopped it") +
         ":\n\n" + fence.substr(0, fence.size() - 1);
}

bool says_failed(std::string_view text, std::initializer_list<std::string_view> words) {
  for (const std::string_view word : words) {
    const std::size_t found = text.find(word);
    if (found == std::string_view::npos) continue;
    int code = 0;
    const std::string_view digits = text.substr(found + word.size());
    if (std::from_chars(digits.data(), digits.data() + digits.size(), code).ec == std::errc{})
      return code != 0;
  }
  return false;
}

bool is_plain_name(std::string_view name) {
  constexpr std::size_t longest = 255;
  return !name.empty() && name.size() <= longest && name != "." && name != ".." &&
         name.find('/') == std::string_view::npos && name.find('\0') == std::string_view::npos;
}

std::string folder_named(std::string_view text) {
  const std::size_t end = text.find_last_not_of(" \t\r\n");
  text = text.substr(0, end == std::string_view::npos ? 0 : end + 1);
  const bool plain = std::ranges::none_of(
      text, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; });
  if (!text.starts_with('/') || text.size() > 4096 || !plain || !is_valid_utf8(text)) return {};
  return std::string(text);
}

std::string absolute_path(const SourceFile& file) {
  std::error_code ignored;
  return std::filesystem::absolute(file.path(), ignored).lexically_normal().string();
}

std::string name_without_ending(const SourceFile& file) {
  std::string name = file.name();
  for (const std::string_view ending : {".zst", ".jsonl", ".json"})
    if (name.ends_with(ending)) name.resize(name.size() - ending.size());
  return name.empty() ? "session" : name;
}

std::string folder_name_of(const SourceFile& file) {
  const std::string name = std::filesystem::path(absolute_path(file)).parent_path().filename();
  return name.empty() ? "session" : name;
}

std::string id_or_hash(const Json& message, std::size_t place) {
  if (std::string id = string_at(message, "id"); is_entry_id(id)) return id;
  return std::to_string(place) + "-" + sha256_hex(dump(message)).substr(0, 16);
}

std::vector<model::ResultBlock> as_result(std::vector<model::Block> blocks) {
  std::vector<model::ResultBlock> out;
  for (model::Block& block : blocks) {
    if (auto* text = std::get_if<model::Text>(&block)) out.emplace_back(std::move(*text));
    if (auto* image = std::get_if<model::Image>(&block)) out.emplace_back(std::move(*image));
    if (auto* other = std::get_if<model::Opaque>(&block)) out.emplace_back(std::move(*other));
  }
  return out;
}

model::Message result_message(model::ToolResult result) {
  model::Message message{.role = model::Role::tool};
  message.content.emplace_back(std::move(result));
  return message;
}

std::string as_text(const std::vector<model::Block>& blocks) {
  std::string out;
  for (const model::Block& block : blocks) {
    if (!out.empty()) out += "\n";
    if (const auto* text = std::get_if<model::Text>(&block)) out += text->text;
    if (const auto* image = std::get_if<model::Image>(&block))
      out += "[" + image->mime_type + ", kept as the blob " + image->blob + "]";
    if (const auto* other = std::get_if<model::Opaque>(&block)) out += other->raw;
  }
  return out;
}

model::Stop stop_by_calls(const std::vector<model::Block>& blocks) {
  return has_block<model::ToolUse>(blocks) ? model::Stop::tool_use : model::Stop::stop;
}

model::Stop end_of(const std::vector<model::Block>& blocks) {
  if (has_block<model::ToolUse>(blocks)) return model::Stop::tool_use;
  return has_block<model::Text>(blocks) ? model::Stop::stop : model::Stop::interrupted;
}

}  // namespace skein::importers
