// Fetches a page: follows redirects as long as they stay on the same site, checks every address
// before a connection is made to it, and converts what comes.
#pragma once

#include "core/text/std.h"

#include "core/web/page.h"

namespace skein::web {

struct CacheLimits {
  std::chrono::seconds age{15 * 60};
  std::size_t entries = 50;
  std::size_t bytes = 64 * 1024 * 1024;
};

// Pages that were fetched a short while ago, so that reading on in one costs no request. In memory
// only, and forgotten with the process.
class PageCache {
 public:
  using Clock = std::chrono::steady_clock;

  explicit PageCache(const CacheLimits& limits = {}) : limits_(limits) {}

  // Null: it is not there, or too old. Shared with a caller that still reads it when it is dropped
  // here.
  std::shared_ptr<const Page> find(const std::string& key, Clock::time_point now);
  void keep(const std::string& key, std::shared_ptr<const Page> page, Clock::time_point now);

 private:
  struct Entry {
    std::string key;
    std::shared_ptr<const Page> page;
    Clock::time_point since;
    std::size_t bytes() const { return page->text.size() + page->image.size(); }
  };
  void drop(std::list<Entry>::iterator entry) {
    bytes_ -= entry->bytes();
    entries_.erase(entry);
  }

  CacheLimits limits_;
  std::list<Entry> entries_{};  // oldest first
  std::size_t bytes_ = 0;
};

// One request, redirects not followed.
struct Ask {
  std::string url;
  // Why no connection may be made to this IP address; empty: one may. Asked for every address that
  // is tried, right before it is.
  std::function<std::string(const std::string& address, int port)> refusal{};
  std::size_t most_bytes = 0;        // of the body, uncompressed
  std::chrono::milliseconds time{};  // in all
  std::function<bool()> stopped = [] { return false; };
  int wake_fd = -1;  // readable when `stopped` may have changed
};

using Transport = std::function<WebAnswer(const Ask&)>;

// What rules say of addresses, besides that the first one may be fetched.
struct Reach {
  std::function<bool(const Url&)> forbidden = [](const Url&) { return false; };
  // Whether a rule names this host, with this port, by its very name: only then it may be private.
  std::function<bool(const Url&)> named = [](const Url&) { return false; };
};

struct PageRequest {
  Url url{};
  bool raw = false;
  Reach reach{};
  std::function<bool()> stopped = [] { return false; };
  int wake_fd = -1;
};

struct FetchedPage {
  std::shared_ptr<const Page> page{};
  std::string elsewhere{};  // where it leads, which was not followed
  std::string trouble{};    // why there is nothing
};

struct FetchLimits {
  std::size_t bytes = 5 * 1024 * 1024;
  std::chrono::milliseconds time{30'000};
  int redirects = 5;
};

class Fetcher {
 public:
  explicit Fetcher(Transport transport, ReadPdf read_pdf = {}, const FetchLimits& limits = {})
      : transport_(std::move(transport)), read_pdf_(std::move(read_pdf)), limits_(limits) {}

  FetchedPage fetch(const PageRequest& request);

 private:
  WebAnswer ask(const Url& url, const PageRequest& request, PageCache::Clock::time_point due) const;

  Transport transport_;
  ReadPdf read_pdf_;
  FetchLimits limits_;
  PageCache cache_{};
};

}  // namespace skein::web
