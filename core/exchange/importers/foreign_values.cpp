#include "core/exchange/importers/foreign_values.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <system_error>
#include <utility>

#include "core/exchange/importers/json_members.h"
#include "core/exchange/importers/json_records.h"
#include "core/text/base.h"
#include "core/text/base64.h"
#include "core/text/image_type.h"
#include "core/text/sha256.h"
#include "core/text/text.h"

namespace skein::exchange::importers {

std::string time_from(std::string_view iso) {
  constexpr std::size_t longest = 40;
  if (iso.size() > longest) return {};
  const auto ms = ms_from_utc(iso);
  return ms ? utc_from_ms(*ms) : std::string{};
}

std::string time_from(const Json& value) {
  if (value.is_string()) return time_from(std::string_view(value.get_ref<const std::string&>()));
  if (!value.is_number()) return {};
  const double number = value.get<double>();
  if (!(number > 0) || number > 1e14) return {};
  // 1e11 seconds are the year 5138, 1e11 milliseconds 1973.
  return utc_from_ms(static_cast<std::int64_t>(number < 1e11 ? number * 1000 : number));
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

std::string ran_command(std::string_view command, std::string_view output,
                        std::optional<std::int64_t> exit_status) {
  const std::string fence = fenced(output);
  return "I ran `" + std::string(command) + "`" +
         (exit_status ? ", exit status " + std::to_string(*exit_status) : ", and stopped it") +
         ":\n\n" + fence.substr(0, fence.size() - 1);
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

std::string short_hash(std::initializer_list<std::string_view> parts, std::size_t digits) {
  std::string all;
  for (const std::string_view part : parts) {
    all += std::to_string(part.size());
    all += ':';
    all += part;
  }
  return sha256_hex(all).substr(0, digits);
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
  const std::string quoted = "\"" + string_at(message, "id") + "\"";
  const std::string_view id = raw_entry_id(quoted);
  if (!id.empty()) return std::string(id);
  return std::to_string(place) + "-" + sha256_hex(dump(message)).substr(0, 16);
}

}  // namespace skein::exchange::importers
