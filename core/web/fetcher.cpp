#include "core/web/fetcher.h"

#include "core/text/std.h"

#include "core/text/text.h"

namespace skein::web {

std::shared_ptr<const Page> PageCache::find(const std::string& key, Clock::time_point now) {
  while (!entries_.empty() && now - entries_.front().since > limits_.age) drop(entries_.begin());
  const auto found = std::ranges::find(entries_, key, &Entry::key);
  return found == entries_.end() ? nullptr : found->page;
}

void PageCache::keep(const std::string& key, std::shared_ptr<const Page> page,
                     Clock::time_point now) {
  if (const auto old = std::ranges::find(entries_, key, &Entry::key); old != entries_.end())
    drop(old);
  entries_.push_back({key, std::move(page), now});
  bytes_ += entries_.back().bytes();
  while (entries_.size() > limits_.entries || bytes_ > limits_.bytes) drop(entries_.begin());
}

namespace {

bool redirects(const WebAnswer& answer) {
  constexpr int statuses[] = {301, 302, 303, 307, 308};
  return std::ranges::find(statuses, answer.status) != std::end(statuses) &&
         !answer.location.empty();
}

bool is_usual_port(const Url& url) { return url.port == 80 || url.port == 443; }

// Whether a redirect may be followed without asking again; if not, why.
std::string trouble_with_step(const Url& from, const Url& to, const PageRequest& request) {
  if (request.reach.forbidden(to)) return "a rule forbids it";
  const bool named = request.reach.named(to);
  if (const std::string why = private_host(to); !why.empty() && !named) return why;
  if (!is_same_site(from.host, to.host)) return "it is another host";
  if (!is_usual_port(to) && to.port != request.url.port && !named) return "it is another port";
  if (from.secure && !to.secure) return "it is not encrypted";
  return {};
}

}  // namespace

WebAnswer Fetcher::ask(const Url& url, const PageRequest& request,
                       PageCache::Clock::time_point due) const {
  Ask ask{
      .url = to_string(url),
      .most_bytes = limits_.bytes,
      .time = std::chrono::duration_cast<std::chrono::milliseconds>(due - PageCache::Clock::now()),
      .stopped = request.stopped,
      .wake_fd = request.wake_fd};
  // A name that means this machine was named as such; any other name must lead to a public address,
  // or to one that is named itself.
  const bool trusted = !url.is_address && is_private_name(url.host) && request.reach.named(url);
  ask.refusal = [&request, &url, trusted](const std::string& address, int port) -> std::string {
    const Url there{.secure = url.secure,
                    .host = canonical_address(address),
                    .port = static_cast<std::uint16_t>(port),
                    .target = url.target,
                    .is_address = true};
    if (request.reach.forbidden(there)) return "a rule forbids " + there.host;
    const std::string why = private_host(there);
    if (why.empty() || trusted || request.reach.named(there)) return {};
    return (url.is_address ? "" : url.host + " leads to " + there.host + ": ") + why;
  };
  return transport_(ask);
}

FetchedPage Fetcher::fetch(const PageRequest& request) {
  const std::string key = (request.raw ? "raw " : "") + to_string(request.url);
  if (auto known = cache_.find(key, PageCache::Clock::now())) {
    const auto final = parse_url(known->url);
    const auto* url = std::get_if<Url>(&final);
    if (url != nullptr && !request.reach.forbidden(*url)) return {.page = std::move(known)};
  }
  const auto due = PageCache::Clock::now() + limits_.time;
  Url url = request.url;
  for (int steps = 0;; ++steps) {
    if (PageCache::Clock::now() >= due) return {.trouble = "it took too long"};
    WebAnswer answer = ask(url, request, due);
    if (answer.stopped) return {.trouble = "cancelled by the user"};
    if (!answer.trouble.empty()) return {.trouble = std::move(answer.trouble)};
    if (!redirects(answer)) {
      auto shared = std::make_shared<const Page>(
          page_of(url, answer, request.raw, read_pdf_, request.stopped));
      if (!shared->failed()) cache_.keep(key, shared, PageCache::Clock::now());
      return {.page = std::move(shared)};
    }
    const auto parsed = parse_url(resolved(url, answer.location));
    const auto* next = std::get_if<Url>(&parsed);
    if (next == nullptr) return {.trouble = "it redirects to something that is not a web page"};
    const Url to = upgraded(*next);
    if (const std::string why = trouble_with_step(url, to, request); !why.empty())
      return {.elsewhere = to_string(to), .trouble = why};
    if (steps >= limits_.redirects)
      return {.trouble = "it redirects more than " + std::to_string(limits_.redirects) + " times"};
    url = to;
  }
}

}  // namespace skein::web
