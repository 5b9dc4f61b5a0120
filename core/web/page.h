// What came from the web, as text for a model: decoded, converted, without hidden characters.
#pragma once

#include "core/text/std.h"

#include "core/web/url.h"

namespace skein::web {

// The answer to a request, as it came.
struct WebAnswer {
  int status = 0;  // 0: there was no answer
  std::string type{}, location{}, modified{};
  std::string body{};
  bool cut = false;       // the body is longer than was wanted
  bool stopped = false;   // by the user
  bool proxied = false;   // a proxy was asked, so addresses were not checked
  std::string trouble{};  // why there is nothing to show; empty: there is
};

struct Page {
  std::string url{};
  int status = 0;
  std::string type{};  // "text/html"
  std::size_t bytes = 0;
  bool cut = false;
  std::string title{}, date{};
  std::string text{};      // for the model; empty for an image
  std::string image{};     // its bytes; its kind is `type`
  std::string remark{};    // what became of it, where that is not plain
  std::size_t hidden = 0;  // characters that were removed because a reader would not see them
  bool proxied = false;    // which address was reached is known to the proxy alone
  bool failed() const { return status >= 400; }
};

struct PdfText {
  std::string text{};
  std::string trouble{};  // why there is none; empty: there is
};
using Stopped = std::function<bool()>;
using ReadPdf = std::function<PdfText(std::string_view bytes, const Stopped& stopped)>;

// `raw`: text as it is, not as Markdown.
Page page_of(
    const Url& url, const WebAnswer& received, bool raw, const ReadPdf& read_pdf,
    const Stopped& stopped = [] { return false; });

// A page of HTML as Markdown: what a reader of the page came for, without its furniture and without
// what the page hides from its readers.
struct MarkdownPage {
  std::string title{};
  std::string date{};  // as the page states it; empty: it does not
  std::string text{};
};

// Never fails, whatever the bytes are; takes time and room in proportion to them. Links become
// absolute, from `url`.
MarkdownPage to_markdown(std::string_view html, const Url& url);

// What is before the text of a page, a line for each fact.
std::string head_of(const Page& page);

// A piece of a text: from the character `offset` on, about `most` of them, cut behind a line. Laid
// end to end the pieces are the text.
struct PagePiece {
  std::string_view text{};
  std::size_t next = 0;   // the offset of the rest; 0: there is none
  std::size_t total = 0;  // characters of the whole
};
PagePiece piece_of(std::string_view text, std::size_t offset, std::size_t most);

// The value of a parameter in a header: charset in "text/html; charset=latin1", in lower case and
// without quotes; empty: there is none.
std::string parameter(std::string_view header, std::string_view name);

// By what the header says, else by a byte order mark or by what the page says of itself; else it is
// UTF-8 if it can be, and Windows-1252 if not. Bytes that mean nothing become U+FFFD.
std::string decoded(std::string_view bytes, std::string_view content_type);

// Text that a person does not see but a model reads: the usual way to smuggle orders into a page.
struct Visible {
  std::string text;
  std::size_t removed = 0;  // characters
};

// Without control characters (but for newlines and tabs), tags (U+E0000 to U+E007F), characters
// that turn the reading direction, and runs of more than three that take no room. `text` is UTF-8.
Visible without_hidden(std::string_view text);

}  // namespace skein::web
