#include "core/web/charset.h"

#include <iconv.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>

#include "core/text/base.h"
#include "core/text/text.h"

namespace skein::web {

namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";

// <meta charset=…> and <meta http-equiv content="…; charset=…">, near the beginning of a page.
std::string declared(std::string_view bytes) {
  constexpr std::size_t looked_through = 4096;
  const std::string head = lower(bytes.substr(0, looked_through));
  for (std::size_t at = head.find("<meta"); at != std::string::npos;
       at = head.find("<meta", at + 1)) {
    const std::string tag = head.substr(at, head.find('>', at) - at);
    const std::size_t name = tag.find("charset");
    if (name == std::string::npos) continue;
    const std::size_t from = tag.find_first_not_of(" \t\n\r=\"'", name + 7);
    if (from == std::string::npos) continue;
    return tag.substr(from, tag.find_first_of(" \t\n\r\"';/>", from) - from);
  }
  return {};
}

std::string marked(std::string_view bytes) {
  if (bytes.starts_with("\xEF\xBB\xBF")) return "utf-8";
  if (bytes.starts_with("\xFF\xFE")) return "utf-16le";
  if (bytes.starts_with("\xFE\xFF")) return "utf-16be";
  return {};
}

// What pages call Latin-1 and ASCII is Windows-1252, by their own standard.
std::string meant_by(const std::string& name) {
  constexpr std::string_view western[] = {"iso-8859-1", "latin1", "iso8859-1", "us-ascii", "ascii",
                                          "iso_8859-1", "l1",     "cp1252",    "x-cp1252"};
  if (std::ranges::find(western, name) != std::end(western)) return "windows-1252";
  if (name == "shift_jis" || name == "shift-jis" || name == "sjis" || name == "x-sjis")
    return "cp932";
  if (name == "gb2312" || name == "gbk") return "gb18030";
  if (name == "utf-16") return "utf-16le";
  if (name == "utf8") return "utf-8";
  return name;
}

struct CloseConverter {
  void operator()(void* converter) const { iconv_close(converter); }
};

// Nothing: iconv does not know that name.
bool convert(std::string_view bytes, const std::string& from, std::string& out) {
  iconv_t opened = iconv_open("UTF-8", from.c_str());
  if (opened == reinterpret_cast<iconv_t>(-1)) return false;
  const std::unique_ptr<void, CloseConverter> converter(opened);
  std::array<char, 16384> piece{};
  char* in = const_cast<char*>(bytes.data());
  std::size_t left = bytes.size();
  while (left > 0) {
    char* to = piece.data();
    std::size_t room = piece.size();
    const std::size_t done = iconv(opened, &in, &left, &to, &room);
    const int why = errno;
    out.append(piece.data(), piece.size() - room);
    if (done != static_cast<std::size_t>(-1) || why == E2BIG) continue;
    out += replacement;
    if (why != EILSEQ) break;  // cut in a character
    ++in;
    --left;
  }
  return true;
}

}  // namespace

std::string parameter(std::string_view header, std::string_view name) {
  for (const std::string_view part : split(header, ';')) {
    const std::size_t equals = part.find('=');
    if (equals != std::string_view::npos && lower(trimmed(part.substr(0, equals))) == name)
      return lower(trimmed(part.substr(equals + 1), " \t\r\n\"'"));
  }
  return {};
}

std::string decoded(std::string_view bytes, std::string_view content_type) {
  std::string name = marked(bytes);
  const std::size_t mark = name.empty() ? 0 : name == "utf-8" ? 3 : 2;
  if (name.empty()) name = parameter(content_type, "charset");
  // A page whose declaration can be read byte by byte is not in UTF-16, whatever it says.
  if (name.empty()) name = declared(bytes), name = name.starts_with("utf-16") ? "utf-8" : name;
  name = meant_by(name);
  bytes.remove_prefix(mark);
  if (name == "utf-8") return valid_utf8(bytes);
  std::string out;
  if (!name.empty() && name.find_first_of("/,") == std::string::npos && convert(bytes, name, out))
    return valid_utf8(out);
  if (is_valid_utf8(bytes) || !convert(bytes, "windows-1252", out)) return valid_utf8(bytes);
  return valid_utf8(out);
}

}  // namespace skein::web
