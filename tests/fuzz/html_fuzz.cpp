// Bytes of any kind as a page from the web: the text for the model is valid UTF-8 without control
// characters, and nothing hidden is left in it.
#include <algorithm>
#include <cstdlib>

#include "core/text/base.h"
#include "core/web/page.h"

using namespace skein;

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  for (const char* type : {"text/html", "text/html; charset=utf-16", "text/plain"}) {
    const web::Page page =
        web::page_of({.host = "example.com"}, {.status = 200, .type = type, .body = bytes},
                     /*raw=*/false, {});
    for (const std::string& text : {page.text, page.title, page.date}) {
      const auto is_control = [](char c) {
        return static_cast<unsigned char>(c) < ' ' && c != '\n' && c != '\t';
      };
      if (!is_valid_utf8(text) || std::ranges::any_of(text, is_control)) std::abort();
      if (web::without_hidden(text).removed > 0) std::abort();
    }
  }
  return 0;
}
