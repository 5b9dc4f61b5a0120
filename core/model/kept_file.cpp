#include "core/model/kept_file.h"

#include <charconv>

#include "core/text/json.h"
#include "core/text/utf8.h"

namespace skein::model {

namespace {

void append_escape(std::string& out, char byte) {
  constexpr std::string_view digits = "0123456789abcdef";
  const auto value = static_cast<unsigned char>(byte);
  out += "\\x";
  out += digits[value >> 4];
  out += digits[value & 15];
}

std::string hash_json(const std::optional<std::string>& hash) {
  return hash ? '"' + *hash + '"' : std::string("null");
}

std::optional<std::string> hash_from(const Json& value) {
  return value.is_string() ? std::optional(value.get<std::string>()) : std::nullopt;
}

// The fifth column, which older versions of skein read over: to them a link, and a file that is as
// in the commit, are files whose contents were not kept.
JsonText details_of(const KeptFile& file) {
  std::string out;
  const auto add = [&](std::string_view name, const std::string& value) {
    out += (out.empty() ? ",{\"" : ",\"") + std::string(name) + "\":" + value;
  };
  if (file.kind == FileKind::link) add("link", hash_json(file.hash));
  if (file.committed) add("committed", "true");
  if (file.changed_ns != 0) add("changed", std::to_string(file.changed_ns));
  if (const std::optional<Becomes>& next = file.becomes)
    add("becomes", "[" + std::to_string(next->mode) + "," + hash_json(next->hash) +
                       (next->kind == FileKind::link ? ",\"link\"]" : "]"));
  return out.empty() ? out : out + "}";
}

void take_details(const Json& details, KeptFile& file) {
  if (const std::string link = string_at(details, "link"); !link.empty()) {
    file.kind = FileKind::link;
    file.hash = link;
  }
  file.committed = bool_at(details, "committed");
  file.changed_ns = int_at(details, "changed");
  const Json& next = at(details, "becomes");
  if (!next.is_array() || next.size() < 2 || !next[0].is_number_unsigned()) return;
  file.becomes = {next[0].get<std::uint32_t>(), hash_from(next[1]),
                  next.size() > 2 ? FileKind::link : FileKind::file};
}

std::optional<KeptFile> file_from(const Json& row) {
  if (!row.is_array() || row.size() < 4 || !row[0].is_string()) return std::nullopt;
  if (!row[1].is_number_unsigned() || !row[3].is_number_unsigned()) return std::nullopt;
  if (!row[2].is_string() && !row[2].is_null()) return std::nullopt;
  KeptFile file{unescaped_path(row[0].get_ref<const std::string&>()), row[1].get<std::uint32_t>(),
                hash_from(row[2]), row[3].get<std::uint64_t>()};
  if (row.size() > 4) take_details(row[4], file);
  return file;
}

}  // namespace

std::string escaped_path(std::string_view path) {
  std::string out;
  while (!path.empty()) {
    const Utf8Character next = first_character(path);
    if (next.good && next.point != '\\')
      out += path.substr(0, next.length);
    else
      for (const char byte : path.substr(0, next.length)) append_escape(out, byte);
    path.remove_prefix(next.length);
  }
  return out;
}

std::string unescaped_path(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    unsigned value = 0;
    const char* const digits = text.data() + at + 2;
    if (text.substr(at, 2) == "\\x" && at + 4 <= text.size() &&
        std::from_chars(digits, digits + 2, value, 16).ptr == digits + 2) {
      out += static_cast<char>(value);
      at += 3;
    } else {
      out += text[at];
    }
  }
  return out;
}

JsonText files_json(std::span<const KeptFile> files) {
  std::string out = "[";
  for (const KeptFile& file : files) {
    out += out.size() > 1 ? ",[" : "[";
    append_quoted(out, escaped_path(file.path));
    out += "," + std::to_string(file.mode) + "," +
           (file.kind == FileKind::link ? "\"\"" : hash_json(file.hash)) + "," +
           std::to_string(file.size) + details_of(file) + "]";
  }
  return out + "]";
}

std::optional<std::vector<KeptFile>> files_from_json(std::string_view json) {
  const std::optional<Json> rows = parse_json(json);
  if (!rows || !rows->is_array()) return std::nullopt;
  std::vector<KeptFile> out;
  out.reserve(rows->size());
  for (const Json& row : *rows)
    if (std::optional<KeptFile> file = file_from(row)) out.push_back(*std::move(file));
  return out;
}

}  // namespace skein::model
