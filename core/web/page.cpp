#include "core/web/page.h"

#include <iconv.h>

#include "core/text/base.h"
#include "core/text/encoding.h"
#include "core/text/json.h"
#include "core/text/text.h"
#include "core/text/utf8.h"

namespace skein::web {

namespace {

constexpr std::size_t longest_unseen = 3;  // emoji join with a few; more spell something

bool is_unseen(char32_t c) {
  const bool control = (c < 0x20 && c != '\n' && c != '\t') || (c >= 0x7F && c < 0xA0);
  const bool direction = (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
  return control || direction || (c >= 0xE0000 && c <= 0xE007F);
}

bool takes_no_room(char32_t c) {
  return (c >= 0x200B && c <= 0x200F) || (c >= 0x2060 && c <= 0x2064) || c == 0xFEFF || c == 0xAD ||
         c == 0x34F || c == 0x180E || (c >= 0xFE00 && c <= 0xFE0F) ||
         (c >= 0xE0100 && c <= 0xE01EF);
}

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
  return bytes.starts_with("\xEF\xBB\xBF") ? "utf-8"
         : bytes.starts_with("\xFF\xFE")   ? "utf-16le"
         : bytes.starts_with("\xFE\xFF")   ? "utf-16be"
                                           : "";
}

// What pages call Latin-1 and ASCII is Windows-1252, by their own standard.
std::string meant_by(const std::string& name) {
  if (has_word("iso-8859-1 latin1 iso8859-1 us-ascii ascii iso_8859-1 l1 cp1252 x-cp1252", name))
    return "windows-1252";
  if (has_word("shift_jis shift-jis sjis x-sjis", name)) return "cp932";
  if (has_word("gb2312 gbk", name)) return "gb18030";
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
    out += "\uFFFD";
    if (why != EILSEQ) break;  // cut in a character
    ++in;
    --left;
  }
  return true;
}

constexpr std::size_t prettied_json = 200'000;

enum class PageKind { html, json, text, pdf, image, binary };

bool looks_like_html(std::string_view bytes) {
  const std::string start = lower(trimmed(bytes.substr(0, 1024)));
  return start.starts_with("<!doctype html") || start.starts_with("<html");
}

// By what the server says; by the bytes where it says nothing of use.
PageKind kind_of(std::string_view type, std::string_view body) {
  if (!image_type(body).empty()) return PageKind::image;
  if (type == "application/pdf" || body.starts_with("%PDF-")) return PageKind::pdf;
  if (type == "text/html" || type == "application/xhtml+xml") return PageKind::html;
  if (type == "application/json" || type.ends_with("+json")) return PageKind::json;
  constexpr std::string_view texts =
      "application/xml application/yaml application/x-yaml application/toml "
      "application/javascript application/x-javascript application/ecmascript application/x-sh "
      "application/sql application/graphql application/x-ndjson application/jsonl "
      "application/rtf application/x-tex image/svg+xml message/rfc822";
  if (type.starts_with("text/") || type.ends_with("+xml") || type.ends_with("+yaml") ||
      has_word(texts, type))
    return PageKind::text;
  const bool unsaid = type.empty() || type == "application/octet-stream";
  if (unsaid && looks_like_html(body)) return PageKind::html;
  return unsaid && !looks_binary(body) ? PageKind::text : PageKind::binary;
}

std::string prettied(const std::string& text) {
  if (text.size() >= prettied_json) return text;
  const auto json = parse_json(text);
  return json ? json->dump(2, ' ', false, Json::error_handler_t::replace) + "\n" : text;
}

// Nothing in the text may look as if what surrounds it ended there.
std::string kept_inside(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool mark = text[i] == '<' &&
                      (lower(text.substr(i, 5)) == "</web" || lower(text.substr(i, 4)) == "<web");
    if (mark)
      out += "&lt;";
    else
      out += text[i];
  }
  return out;
}

std::string plain_line(std::string_view text, std::size_t most) {
  std::string out = without_hidden(text).text;
  std::ranges::replace_if(out, is_space, ' ');
  return kept_inside(utf8_prefix(out, most));
}

void take_text(Page& page, std::string text) {
  Visible visible = without_hidden(text);
  page.hidden = visible.removed;
  page.text = kept_inside(visible.text);
}

void take_html(Page& page, const Url& url, const WebAnswer& received) {
  MarkdownPage made = to_markdown(decoded(received.body, received.type), url);
  page.title = plain_line(made.title, 300);
  if (!made.date.empty()) page.date = plain_line(made.date, 40);
  take_text(page, std::move(made.text));
  if (page.text.empty()) page.remark = "the page itself has no text; a script may make it";
}

}  // namespace

Visible without_hidden(std::string_view text) {
  Visible out;
  out.text.reserve(text.size());
  std::size_t run = 0, run_begin = 0;  // of characters that take no room, and where they were put
  while (!text.empty()) {
    const Utf8Character c = first_character(text);
    const std::string_view bytes = text.substr(0, c.length);
    text.remove_prefix(c.length);
    if (is_unseen(c.point)) {
      // A CR LF is a newline to everyone.
      if (c.point != '\r') ++out.removed;
      continue;
    }
    if (!takes_no_room(c.point)) {
      run = 0;
    } else if (run++ == 0) {
      run_begin = out.text.size();
    } else if (run > longest_unseen) {
      out.removed += out.text.size() > run_begin ? longest_unseen + 1 : 1;
      out.text.resize(run_begin);
      continue;
    }
    out.text += bytes;
  }
  return out;
}

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

Page page_of(const Url& url, const WebAnswer& received, bool raw, const ReadPdf& read_pdf,
             const Stopped& stopped) {
  Page page{.url = to_string(url),
            .status = received.status,
            .type = lower(trimmed(received.type.substr(0, received.type.find(';')))),
            .bytes = received.body.size(),
            .cut = received.cut,
            .date = plain_line(received.modified, 40),
            .proxied = received.proxied};
  page.type = plain_line(page.type, 80);
  const PageKind kind = kind_of(page.type, received.body);
  switch (kind) {
    case PageKind::html:
      raw ? take_text(page, decoded(received.body, received.type)) : take_html(page, url, received);
      break;
    case PageKind::json: {
      std::string text = decoded(received.body, received.type);
      take_text(page, raw ? std::move(text) : prettied(text));
      break;
    }
    case PageKind::text: take_text(page, decoded(received.body, received.type)); break;
    case PageKind::image:
      page.type = image_type(received.body);
      if (received.cut || received.body.size() > most_image_bytes)
        page.remark = "the image is too large for a model";
      else
        page.image = received.body;
      break;
    case PageKind::pdf: {
      PdfText read = received.cut ? PdfText{.trouble = "the PDF is too long to be fetched"}
                     : read_pdf   ? read_pdf(received.body, stopped)
                                  : PdfText{.trouble = "a PDF, which cannot be read here"};
      page.remark = std::move(read.trouble);
      take_text(page, valid_utf8(read.text));
      break;
    }
    case PageKind::binary: page.remark = "binary, not shown"; break;
  }
  return page;
}

std::string head_of(const Page& page) {
  std::string out = "url: " + page.url + "\nstatus: " + std::to_string(page.status);
  if (!page.type.empty()) out += "\ntype: " + page.type;
  out += "\nbytes: " + with_separators(page.bytes) +
         (page.cut ? " (cut there; the rest was not fetched)" : "");
  if (!page.title.empty()) out += "\ntitle: " + page.title;
  if (!page.date.empty()) out += "\ndate: " + page.date;
  if (page.hidden > 0) out += "\nhidden characters removed: " + with_separators(page.hidden);
  if (page.proxied) out += "\nfetched via a proxy: only the proxy knows the address it reached";
  if (!page.remark.empty()) out += "\nnote: " + page.remark;
  return out + "\n";
}

PagePiece piece_of(std::string_view text, std::size_t offset, std::size_t most) {
  std::size_t at = 0, begin = text.size(), end = text.size(), characters = 0;
  for (; at < text.size(); ++characters) {
    if (characters == offset) begin = at;
    if (characters == offset + most) end = at;
    at += first_character(text.substr(at)).length;
  }
  PagePiece piece{.total = characters};
  if (begin == text.size()) return piece;
  piece.text = text.substr(begin, end - begin);
  if (end == text.size()) return piece;
  // A line longer than a piece is cut where it is.
  if (const std::size_t line = piece.text.rfind('\n'); line != std::string_view::npos)
    piece.text = piece.text.substr(0, line + 1);
  piece.next = offset;
  for (std::string_view rest = piece.text; !rest.empty(); ++piece.next)
    rest.remove_prefix(first_character(rest).length);
  return piece;
}

}  // namespace skein::web
