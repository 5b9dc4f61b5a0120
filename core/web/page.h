// What came from the web, as text for a model: converted, decoded, without what it hides.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "core/web/url.h"

namespace skein::web {

// The answer to a request, as it came.
struct Received {
  Url url{};
  int status = 0;
  std::string type{};      // the Content-Type
  std::string modified{};  // the Last-Modified
  std::string body{};
  bool cut = false;  // there is more than is taken
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
  std::size_t hidden = 0;  // characters that were removed because nobody would see them
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
    const Received& received, bool raw, const ReadPdf& read_pdf,
    const Stopped& stopped = [] { return false; });

// What lies before the text of a page, a line for each fact.
std::string head_of(const Page& page);

// A piece of a text: from the character `offset` on, about `most` of them, cut behind a line. Laid
// end to end the pieces are the text.
struct Piece {
  std::string_view text{};
  std::size_t next = 0;   // the offset of the rest; 0: there is none
  std::size_t total = 0;  // characters of the whole
};
Piece piece_of(std::string_view text, std::size_t offset, std::size_t most);

}  // namespace skein::web
