#include "app/manual/pages.h"

#include <charconv>

#include "app/manual/markdown_page.h"
#include "core/text/base.h"
#include "core/text/text.h"

namespace skein::manual {

namespace {

constexpr Page table[] = {
    {"skein", 1, skein_page},
    {"skein.toml", 5, configuration_page},
    {"skein-format", 5, format_page},
};

}  // namespace

std::span<const Page> pages() { return table; }

std::string page_date() {
  const std::string given = env("SOURCE_DATE_EPOCH");
  std::int64_t seconds = 0;
  const auto [stopped, failed] =
      std::from_chars(given.data(), given.data() + given.size(), seconds);
  const bool fits = !given.empty() && failed == std::errc{} &&
                    stopped == given.data() + given.size() && seconds < 253'402'300'800;
  return utc_from_ms(fits ? seconds * 1000 : now_ms()).substr(0, 10);
}

std::string format_page() {
  Roff page("skein-format", 5, page_date());
  page.name("skein-format", title_of(format_document));
  add_markdown(page, format_document);
  page.heading("see also");
  page.paragraph("**skein**(1), **skein.toml**(5)");
  return page.text();
}

}  // namespace skein::manual
