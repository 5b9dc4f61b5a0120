// Fetches a page: follows redirects as long as they stay on the same site, checks every address
// before a connection is made to it, and converts what comes.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/web/page.h"
#include "core/web/page_cache.h"

namespace skein::web {

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

struct Told {
  int status = 0;  // 0: there was no answer
  std::string type{}, location{}, modified{};
  std::string body{};
  bool cut = false;       // the body is longer than was wanted
  bool stopped = false;   // by the user
  bool proxied = false;   // a proxy was asked, so `refusal` was not
  std::string trouble{};  // why there is nothing to show; empty: there is
};
using Transport = std::function<Told(const Ask&)>;

// What rules say of addresses, besides that the first one may be fetched.
struct Reach {
  std::function<bool(const Url&)> forbidden = [](const Url&) { return false; };
  // Whether a rule names this host, with this port, by its very name: only then it may be private.
  std::function<bool(const Url&)> named = [](const Url&) { return false; };
};

struct Wish {
  Url url{};
  bool raw = false;
  Reach reach{};
  std::function<bool()> stopped = [] { return false; };
  int wake_fd = -1;
};

struct Fetched {
  std::shared_ptr<const Page> page{};
  std::string elsewhere{};  // where it leads, which was not followed
  std::string trouble{};    // why there is nothing
};

class Fetcher {
 public:
  struct Limits {
    std::size_t bytes = 5 * 1024 * 1024;
    std::chrono::milliseconds time{30'000};
    int redirects = 5;
  };
  explicit Fetcher(Transport transport, ReadPdf read_pdf = {})
      : Fetcher(std::move(transport), std::move(read_pdf), Limits{}) {}
  Fetcher(Transport transport, ReadPdf read_pdf, const Limits& limits)
      : transport_(std::move(transport)), read_pdf_(std::move(read_pdf)), limits_(limits) {}

  Fetched fetch(const Wish& wish);

 private:
  Told ask(const Url& url, const Wish& wish, PageCache::Clock::time_point due) const;

  Transport transport_;
  ReadPdf read_pdf_;
  Limits limits_;
  PageCache cache_{};
};

}  // namespace skein::web
