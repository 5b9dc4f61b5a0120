// Any text as an address: one that is taken has a single spelling, which means the same again.
#include <cstdlib>

#include "core/web/url.h"

using namespace skein;

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const web::Url base{.host = "example.com", .target = "/a/b?c"};
  web::resolved(base, text);
  web::urls_in(text);
  const auto parsed = web::parse_url(text);
  const auto* url = std::get_if<web::Url>(&parsed);
  if (url == nullptr) return 0;
  if (url->host.empty() || !url->target.starts_with('/')) std::abort();
  web::private_host(*url);
  web::leak_warning(*url);
  if (web::parse_url(web::to_string(*url)) != parsed) std::abort();
  return 0;
}
