#include "core/web/fetcher.h"

#include <utility>

#include "core/text/text.h"
#include "core/web/address.h"

namespace skein::web {

namespace {

bool redirects(const Told& told) {
  constexpr int statuses[] = {301, 302, 303, 307, 308};
  for (const int each : statuses)
    if (told.status == each) return !told.location.empty();
  return false;
}

bool is_usual_port(const Url& url) { return url.port == 80 || url.port == 443; }

// Whether a redirect may be followed without asking anyone anew; if not, why.
std::string trouble_with_step(const Url& from, const Url& to, const Wish& wish) {
  if (wish.reach.forbidden(to)) return "a rule forbids it";
  const bool named = wish.reach.named(to);
  if (const std::string why = private_host(to); !why.empty() && !named) return why;
  if (!is_same_site(from.host, to.host)) return "it is another host";
  if (!is_usual_port(to) && to.port != wish.url.port && !named) return "it is another port";
  if (from.secure && !to.secure) return "it is not encrypted";
  return {};
}

}  // namespace

Told Fetcher::ask(const Url& url, const Wish& wish, PageCache::Clock::time_point due) const {
  Ask ask{
      .url = to_string(url),
      .most_bytes = limits_.bytes,
      .time = std::chrono::duration_cast<std::chrono::milliseconds>(due - PageCache::Clock::now()),
      .stopped = wish.stopped,
      .wake_fd = wish.wake_fd};
  // A name that means this machine was named as such; any other name must lead to a public address,
  // or to one that is named itself.
  const bool trusted = !url.is_address && is_private_name(url.host) && wish.reach.named(url);
  ask.refusal = [&wish, &url, trusted](const std::string& address, int port) -> std::string {
    const Url there{.secure = url.secure,
                    .host = canonical_address(address),
                    .port = static_cast<std::uint16_t>(port),
                    .target = url.target,
                    .is_address = true};
    if (wish.reach.forbidden(there)) return "a rule forbids " + there.host;
    const std::string why = private_host(there);
    if (why.empty() || trusted || wish.reach.named(there)) return {};
    return (url.is_address ? "" : url.host + " leads to " + there.host + ": ") + why;
  };
  return transport_(ask);
}

Fetched Fetcher::fetch(const Wish& wish) {
  const std::string key = (wish.raw ? "raw " : "") + to_string(wish.url);
  if (auto known = cache_.find(key, PageCache::Clock::now())) {
    const auto final = parse_url(known->url);
    const auto* url = std::get_if<Url>(&final);
    if (url != nullptr && !wish.reach.forbidden(*url)) return {.page = std::move(known)};
  }
  const auto due = PageCache::Clock::now() + limits_.time;
  Url url = wish.url;
  for (int steps = 0;; ++steps) {
    if (PageCache::Clock::now() >= due) return {.trouble = "it took too long"};
    Told told = ask(url, wish, due);
    if (told.stopped) return {.trouble = "cancelled by the user"};
    if (!told.trouble.empty()) return {.trouble = std::move(told.trouble)};
    if (!redirects(told)) {
      Page page = page_of({.url = url,
                           .status = told.status,
                           .type = std::move(told.type),
                           .modified = std::move(told.modified),
                           .body = std::move(told.body),
                           .cut = told.cut},
                          wish.raw, read_pdf_, wish.stopped);
      page.proxied = told.proxied;
      auto shared = std::make_shared<const Page>(std::move(page));
      if (!shared->failed()) cache_.keep(key, shared, PageCache::Clock::now());
      return {.page = std::move(shared)};
    }
    const auto parsed = parse_url(resolved(url, told.location));
    const auto* next = std::get_if<Url>(&parsed);
    if (next == nullptr) return {.trouble = "it redirects to what is no page of the web"};
    const Url to = upgraded(*next);
    if (const std::string why = trouble_with_step(url, to, wish); !why.empty())
      return {.elsewhere = to_string(to), .trouble = why};
    if (steps >= limits_.redirects)
      return {.trouble = "it redirects more than " + std::to_string(limits_.redirects) + " times"};
    url = to;
  }
}

}  // namespace skein::web
