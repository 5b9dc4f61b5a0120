#include "core/exchange/importers/json_records.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "core/exchange/importers/json_members.h"

namespace skein::exchange::importers {

namespace {

std::string_view without_mark(std::string_view text) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  return text.starts_with(byte_order_mark) ? text.substr(byte_order_mark.size()) : text;
}

constexpr std::size_t head_bytes = 256 * 1024;
constexpr std::size_t most_beside = 1 << 20;

// The objects of a line; false: `each` has had enough. `damaged` is called for what is none.
bool split_line(std::string_view line,
                const std::function<bool(const Json&, std::string_view)>& each,
                const std::function<void()>& damaged) {
  if (const auto whole = read_json(line); whole && whole->is_object()) return each(*whole, line);
  while (!line.empty()) {
    const std::size_t length = bracketed_length(line);
    const auto piece = length == 0 ? std::nullopt : read_json(line.substr(0, length));
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

bool is_blank_line(std::string_view line) {
  return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

}  // namespace

std::optional<Json> read_json(std::string_view text) {
  if (auto value = parse_json(text)) return value;
  return parse_json(json_line(text));
}

void each_record(const SourceFile& file, const ReadOptions& options, Receiver& receiver,
                 const std::function<bool(const Json& record, std::string_view text)>& each) {
  const std::size_t too_long = file.lines([&](const SourceFile::Line& line) {
    if (is_blank_line(line.text)) return true;
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

Json first_record(const SourceFile& file) {
  const std::string head = file.head();
  const std::string_view text = after_blanks(without_mark(head));
  auto record =
      text.starts_with('{') ? read_json(text.substr(0, bracketed_length(text))) : std::nullopt;
  return record ? std::move(*record) : Json(nullptr);
}

Json whole_json(const SourceFile& file) {
  constexpr std::uint64_t most = std::uint64_t{256} << 20;
  if (file.size() > most) return nullptr;
  const std::string bytes = file.read(0, static_cast<std::size_t>(file.size()));
  return read_json(without_mark(bytes)).value_or(Json(nullptr));
}

Json json_beside(const std::string& path) {
  const auto file = SourceFile::open(path);
  const auto* found = std::get_if<SourceFile>(&file);
  if (found == nullptr || found->size() > most_beside) return {};
  return parse_json(found->read(0, most_beside)).value_or(Json{});
}

}  // namespace skein::exchange::importers
