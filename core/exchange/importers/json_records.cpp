#include "core/exchange/importers/json_records.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>
#include <variant>

#include "core/text/sha256.h"

namespace skein::exchange::importers {

namespace {

constexpr std::size_t head_bytes = 256 * 1024;
constexpr std::size_t most_beside = 1 << 20;

// The objects of a line; false: `each` has had enough. `damaged` is called for what is none.
bool split_line(std::string_view line,
                const std::function<bool(const Json&, std::string_view)>& each,
                const std::function<void()>& damaged) {
  if (const auto whole = parse_json(line); whole && whole->is_object()) return each(*whole, line);
  while (!line.empty()) {
    const std::size_t length = bracketed_length(line);
    const auto piece = length == 0 ? std::nullopt : parse_json(line.substr(0, length));
    if (!piece || !piece->is_object()) {
      damaged();
      return true;
    }
    if (!each(*piece, line.substr(0, length))) return false;
    line.remove_prefix(length);
    line.remove_prefix(std::min(line.find_first_not_of(" \t\r"), line.size()));
  }
  return true;
}

bool is_blank(std::string_view line) {
  return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

}  // namespace

void each_record(const SourceFile& file, const ReadOptions& options, Receiver& receiver,
                 const std::function<bool(const Json& record, std::string_view text)>& each) {
  const std::size_t too_long = file.lines([&](const SourceFile::Line& line) {
    if (is_blank(line.text)) return true;
    return split_line(line.text, each, [&] {
      if (line.ended || !options.growing) receiver.lose("damaged lines");
    });
  });
  for (std::size_t i = 0; i < too_long; ++i) receiver.lose("lines of more than 64 MiB");
}

std::vector<Json> first_records(const SourceFile& file, std::size_t most) {
  std::vector<Json> out;
  std::string bytes = file.read(0, head_bytes);
  // A first line that is longer tells as much as a short one.
  if (bytes.size() < file.size() && bytes.find('\n') == std::string::npos &&
      bytes.starts_with('{') && file.size() <= SourceFile::longest_line)
    bytes = file.read(0, SourceFile::longest_line);
  const SourceFile head = SourceFile::of_bytes(file.path(), std::move(bytes));
  std::size_t damaged = 0;
  head.lines([&](const SourceFile::Line& line) {
    return split_line(
               line.text,
               [&](const Json& record, std::string_view) {
                 out.push_back(record);
                 return out.size() < most;
               },
               [&] { ++damaged; }) &&
           damaged < most;
  });
  return out;
}

std::optional<Json> whole_json(const SourceFile& file) {
  if (file.size() > SourceFile::longest_line) return std::nullopt;
  const std::string bytes = file.read(0, SourceFile::longest_line);
  std::string_view text = bytes;
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  return parse_json(text);
}

Json json_beside(const std::string& path) {
  const auto file = SourceFile::open(path);
  const auto* found = std::get_if<SourceFile>(&file);
  if (found == nullptr || found->size() > most_beside) return {};
  return parse_json(found->read(0, most_beside)).value_or(Json{});
}

std::int64_t count_at(const Json& object, std::string_view key) {
  return std::clamp<std::int64_t>(int_at(object, key), 0, 1'000'000'000'000);
}

JsonText call_input(const Json& given) {
  if (given.is_object()) return dump(given);
  if (given.is_null()) return "{}";
  if (!given.is_string()) return dump({{"_raw", dump(given)}});
  const auto& text = given.get_ref<const std::string&>();
  if (is_blank(text)) return "{}";
  const auto parsed = parse_json(text);
  return parsed && parsed->is_object() ? dump(*parsed) : dump({{"_raw", text}});
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

std::string stem_of(const SourceFile& file) {
  const std::string name = file.name();
  const std::string stem = name.substr(0, name.rfind('.'));
  return !stem.empty() ? stem : name.empty() ? "session" : name;
}

std::string folder_name_of(const SourceFile& file) {
  const std::string name = std::filesystem::path(absolute_path(file)).parent_path().filename();
  return name.empty() ? "session" : name;
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

}  // namespace skein::exchange::importers
