#include "core/text/encoding.h"

#include "core/text/std.h"

namespace skein {

namespace {

constexpr std::string_view digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

constexpr std::int8_t none = -1, passed_over = -2;

constexpr std::array<std::int8_t, 256> values = [] {
  std::array<std::int8_t, 256> table{};
  table.fill(none);
  for (std::size_t i = 0; i < digits.size(); ++i)
    table[static_cast<unsigned char>(digits[i])] = static_cast<std::int8_t>(i);
  table['-'] = table['+'];
  table['_'] = table['/'];
  for (const char c : {'=', '\n', '\r'}) table[static_cast<unsigned char>(c)] = passed_over;
  return table;
}();

struct ImageKind {
  std::string_view magic;
  std::size_t at;
  std::string_view mime_type;
};
constexpr ImageKind kinds[] = {
    {"\x89PNG\r\n\x1a\n", 0, "image/png"},
    {"\xff\xd8\xff", 0, "image/jpeg"},
    {"GIF8", 0, "image/gif"},
    {"WEBP", 8, "image/webp"},
};

}  // namespace

std::string base64(std::string_view bytes) {
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (; !bytes.empty(); bytes.remove_prefix(std::min<std::size_t>(3, bytes.size()))) {
    unsigned group = 0;
    for (std::size_t i = 0; i < 3; ++i)
      group = group << 8 | (i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0u);
    for (std::size_t i = 0; i < 4; ++i)
      out += i <= bytes.size() ? digits[group >> (18 - 6 * i) & 63] : '=';
  }
  return out;
}

std::optional<std::string> from_base64(std::string_view text) {
  std::string out;
  out.reserve(text.size() / 4 * 3 + 3);
  unsigned bits = 0;
  int have = 0;
  for (const char c : text) {
    const std::int8_t value = values[static_cast<unsigned char>(c)];
    if (value == passed_over) continue;
    if (value == none) return std::nullopt;
    bits = bits << 6 | static_cast<unsigned>(value);
    if ((have += 6) < 8) continue;
    have -= 8;
    out += static_cast<char>(bits >> have & 0xFF);
  }
  return out;
}

std::string_view image_type(std::string_view bytes) {
  for (const ImageKind& kind : kinds)
    if (bytes.size() > kind.at && bytes.substr(kind.at).starts_with(kind.magic))
      return kind.mime_type;
  return {};
}

std::string percent_decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned char byte = 0;
    const char* digits = text.data() + i + 1;
    if (text[i] == '%' && i + 2 < text.size() &&
        std::from_chars(digits, digits + 2, byte, 16).ptr == digits + 2) {
      out += static_cast<char>(byte);
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

std::string html_escaped(std::string_view text, std::string_view kept, std::string_view instead) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      default:
        if (static_cast<unsigned char>(c) < ' ' && kept.find(c) == std::string_view::npos)
          out += instead;
        else
          out += c;
    }
  return out;
}

bool is_document(std::string_view name, std::string_view head) {
  return head.starts_with(pdf_magic) || name.ends_with(".ipynb");
}

bool looks_binary(std::string_view bytes) {
  return bytes.substr(0, 8192).find('\0') != std::string_view::npos;
}

std::string_view binary_kind(std::string_view bytes) {
  struct Kind {
    std::string_view magic, name;
    std::size_t at = 0;
  };
  using namespace std::string_view_literals;
  static constexpr Kind known[] = {{"\x7f"
                                    "ELF"sv,
                                    "an ELF program or library"},
                                   {"MZ"sv, "a Windows program"},
                                   {"PK\3\4"sv, "a ZIP archive or office document"},
                                   {"\x1f\x8b"sv, "gzip data"},
                                   {"\xfd"
                                    "7zXZ"sv,
                                    "xz data"},
                                   {"\x28\xb5\x2f\xfd"sv, "zstd data"},
                                   {"BZh"sv, "bzip2 data"},
                                   {"7z\xbc\xaf"sv, "a 7z archive"},
                                   {"ustar"sv, "a tar archive", 257},
                                   {"!<arch>"sv, "an ar archive"},
                                   {"SQLite format 3"sv, "an SQLite database"},
                                   {"\xca\xfe\xba\xbe"sv, "a Java class or macOS program"},
                                   {"\0asm"sv, "a WebAssembly module"},
                                   {"\xd0\xcf\x11\xe0"sv, "an old office document"},
                                   {"OggS"sv, "Ogg audio or video"},
                                   {"fLaC"sv, "FLAC audio"},
                                   {"ID3"sv, "MP3 audio"},
                                   {"WAVE"sv, "WAV audio", 8},
                                   {"ftyp"sv, "MP4 video or audio", 4},
                                   {"\0\0\1\0"sv, "an icon"},
                                   {"BM"sv, "a BMP image"},
                                   {"II*\0"sv, "a TIFF image"},
                                   {"MM\0*"sv, "a TIFF image"},
                                   {"wOF2"sv, "a web font"},
                                   {"\0\1\0\0"sv, "a TrueType font"}};
  for (const Kind& kind : known)
    if (bytes.size() > kind.at && bytes.substr(kind.at).starts_with(kind.magic)) return kind.name;
  return "a binary file";
}

std::string hex_head(std::string_view bytes) {
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

}  // namespace skein
