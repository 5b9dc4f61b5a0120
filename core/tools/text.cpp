#include "core/tools/text.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>

#include "core/json.h"

namespace skein {

struct Arguments::Parsed {
  Json value;
};

Arguments::Arguments(const JsonText& input) : parsed_(std::make_unique<Parsed>()) {
  auto value = parse_json(input);
  if (value && value->is_object())
    parsed_->value = std::move(*value);
  else
    complaint_ = "the input is not a JSON object";
}

Arguments::~Arguments() = default;

std::string Arguments::text(std::string_view name) {
  const Json& value = at(parsed_->value, name);
  if (value.is_string()) return value.get<std::string>();
  if (complaint_.empty()) complaint_ = "`" + std::string(name) + "` is missing or not a string";
  return "";
}

std::string Arguments::text(std::string_view name, std::string_view fallback) {
  return at(parsed_->value, name).is_null() ? std::string(fallback) : text(name);
}

std::size_t Arguments::number(std::string_view name, std::size_t fallback) {
  const Json& value = at(parsed_->value, name);
  if (value.is_null()) return fallback;
  // Models write 10.0 where they mean 10.
  if (value.is_number()) {
    const double number = value.get<double>();
    if (number >= 0 && number <= 9e15 &&
        number == static_cast<double>(static_cast<std::uint64_t>(number)))
      return static_cast<std::size_t>(number);
  }
  if (complaint_.empty()) complaint_ = "`" + std::string(name) + "` is not a whole number";
  return fallback;
}

bool Arguments::flag(std::string_view name) {
  const Json& value = at(parsed_->value, name);
  if (value.is_boolean()) return value.get<bool>();
  if (!value.is_null() && complaint_.empty())
    complaint_ = "`" + std::string(name) + "` is neither true nor false";
  return false;
}

std::string one_line(std::string_view verb, std::string_view argument) {
  constexpr std::size_t longest = 200;
  std::string line = std::string(verb) + " ";
  for (const char c : utf8_prefix(argument, longest)) {
    const bool blank = static_cast<unsigned char>(c) <= ' ';
    if (!blank || line.back() != ' ') line += blank ? ' ' : c;
  }
  while (line.ends_with(' ')) line.pop_back();
  return valid_utf8(line) + (argument.size() > longest ? " …" : "");
}

bool looks_binary(std::string_view bytes) {
  return bytes.substr(0, 8192).find('\0') != std::string_view::npos;
}

std::string hex_head(std::string_view bytes) {
  const auto hex = [](std::size_t value, int digits) {
    std::string text;
    while (digits-- > 0) text += "0123456789abcdef"[value >> (4 * digits) & 15];
    return text;
  };
  std::string dump;
  bytes = bytes.substr(0, 256);
  for (std::size_t at = 0; at < bytes.size(); at += 16) {
    dump += hex(at, 4) + " ";
    std::string shown;
    for (const char c : bytes.substr(at, 16)) {
      dump += " " + hex(static_cast<unsigned char>(c), 2);
      shown += c >= ' ' && c <= '~' ? c : '.';
    }
    dump += "  " + shown + "\n";
  }
  return dump;
}

std::vector<std::string_view> split_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

bool read_pieces(int fd, std::size_t limit, const std::function<bool(std::string_view)>& piece) {
  std::vector<char> buffer(64 * 1024);
  while (limit > 0) {
    const ssize_t got = read(fd, buffer.data(), std::min(buffer.size(), limit));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return false;
    if (got == 0 || !piece({buffer.data(), static_cast<std::size_t>(got)})) break;
    limit -= static_cast<std::size_t>(got);
  }
  return true;
}

std::optional<std::string> read_all(int fd, std::size_t limit) {
  std::string bytes;
  const bool read = read_pieces(fd, limit + 1, [&](std::string_view piece) {
    bytes += piece;
    return true;
  });
  if (!read || bytes.size() > limit) return std::nullopt;
  return bytes;
}

}  // namespace skein
