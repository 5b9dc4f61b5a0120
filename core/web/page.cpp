#include "core/web/page.h"

#include <algorithm>
#include <utility>

#include "core/text/base.h"
#include "core/text/image_type.h"
#include "core/text/json.h"
#include "core/text/text.h"
#include "core/text/utf8.h"
#include "core/web/charset.h"
#include "core/web/hidden_text.h"
#include "core/web/markdown.h"

namespace skein::web {

namespace {

constexpr std::size_t prettied_json = 200'000;

enum class Kind { html, json, text, pdf, image, binary };

bool looks_like_text(std::string_view bytes) {
  return bytes.substr(0, 8192).find('\0') == std::string_view::npos;
}

bool looks_like_html(std::string_view bytes) {
  const std::string start = lower(trimmed(bytes.substr(0, 1024)));
  return start.starts_with("<!doctype html") || start.starts_with("<html");
}

// By what the server says; by the bytes where it says nothing of use.
Kind kind_of(std::string_view type, std::string_view body) {
  if (!image_type(body).empty()) return Kind::image;
  if (type == "application/pdf" || body.starts_with("%PDF-")) return Kind::pdf;
  if (type == "text/html" || type == "application/xhtml+xml") return Kind::html;
  if (type == "application/json" || type.ends_with("+json")) return Kind::json;
  constexpr std::string_view texts =
      "application/xml application/yaml application/x-yaml application/toml "
      "application/javascript application/x-javascript application/ecmascript application/x-sh "
      "application/sql application/graphql application/x-ndjson application/jsonl "
      "application/rtf application/x-tex image/svg+xml message/rfc822";
  if (type.starts_with("text/") || type.ends_with("+xml") || type.ends_with("+yaml") ||
      has_word(texts, type))
    return Kind::text;
  const bool unsaid = type.empty() || type == "application/octet-stream";
  if (unsaid && looks_like_html(body)) return Kind::html;
  return unsaid && looks_like_text(body) ? Kind::text : Kind::binary;
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
  for (char& c : out)
    if (c == '\n' || c == '\t') c = ' ';
  return kept_inside(utf8_prefix(out, most));
}

void take_text(Page& page, std::string text) {
  Visible visible = without_hidden(text);
  page.hidden = visible.removed;
  page.text = kept_inside(visible.text);
}

void take_html(Page& page, const Received& received) {
  MarkdownPage made = to_markdown(decoded(received.body, received.type), received.url);
  page.title = plain_line(made.title, 300);
  if (!made.date.empty()) page.date = plain_line(made.date, 40);
  take_text(page, std::move(made.text));
  if (page.text.empty()) page.remark = "the page has no text of its own; a script may make it";
}

}  // namespace

Page page_of(const Received& received, bool raw, const ReadPdf& read_pdf, const Stopped& stopped) {
  Page page{.url = to_string(received.url),
            .status = received.status,
            .type = lower(trimmed(received.type.substr(0, received.type.find(';')))),
            .bytes = received.body.size(),
            .cut = received.cut,
            .date = plain_line(received.modified, 40)};
  page.type = plain_line(page.type, 80);
  const Kind kind = kind_of(page.type, received.body);
  switch (kind) {
    case Kind::html:
      if (raw)
        take_text(page, decoded(received.body, received.type));
      else
        take_html(page, received);
      break;
    case Kind::json: {
      std::string text = decoded(received.body, received.type);
      take_text(page, raw ? std::move(text) : prettied(text));
      break;
    }
    case Kind::text: take_text(page, decoded(received.body, received.type)); break;
    case Kind::image:
      page.type = image_type(received.body);
      if (received.cut || received.body.size() > most_image_bytes)
        page.remark = "the image is too large for a model";
      else
        page.image = received.body;
      break;
    case Kind::pdf: {
      PdfText read = received.cut ? PdfText{.trouble = "the PDF is longer than is fetched"}
                     : read_pdf   ? read_pdf(received.body, stopped)
                                  : PdfText{.trouble = "a PDF, which is not read here"};
      page.remark = std::move(read.trouble);
      take_text(page, valid_utf8(read.text));
      break;
    }
    case Kind::binary: page.remark = "binary, and so not shown"; break;
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
  if (page.proxied) out += "\nvia a proxy, which alone knows the address that was reached";
  if (!page.remark.empty()) out += "\nnote: " + page.remark;
  return out + "\n";
}

Piece piece_of(std::string_view text, std::size_t offset, std::size_t most) {
  std::size_t at = 0, begin = text.size(), end = text.size(), characters = 0;
  for (; at < text.size(); ++characters) {
    if (characters == offset) begin = at;
    if (characters == offset + most) end = at;
    at += first_character(text.substr(at)).length;
  }
  Piece piece{.total = characters};
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
