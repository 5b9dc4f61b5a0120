#include "core/web/typed_urls.h"

#include <variant>

#include "core/web/url.h"

namespace skein::web {

void TypedUrls::note(std::string_view text) {
  for (const std::string& each : urls_in(text)) {
    const auto parsed = parse_url(each);
    if (const auto* url = std::get_if<Url>(&parsed)) urls_.insert(to_string(upgraded(*url)));
  }
}

}  // namespace skein::web
