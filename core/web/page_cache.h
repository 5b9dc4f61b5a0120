// Pages that were fetched a short while ago, so that reading on in one costs no request. In memory
// only, and forgotten with the process.
#pragma once

#include <chrono>
#include <list>
#include <memory>
#include <string>

#include "core/web/page.h"

namespace skein::web {

class PageCache {
 public:
  using Clock = std::chrono::steady_clock;
  struct Limits {
    std::chrono::seconds age{15 * 60};
    std::size_t entries = 50;
    std::size_t bytes = 64 * 1024 * 1024;
  };

  PageCache() = default;
  explicit PageCache(const Limits& limits) : limits_(limits) {}

  // Null: it is not there, or too old. Shared with whoever reads in it while it is dropped here.
  std::shared_ptr<const Page> find(const std::string& key, Clock::time_point now);
  void keep(const std::string& key, std::shared_ptr<const Page> page, Clock::time_point now);

 private:
  struct Entry {
    std::string key;
    std::shared_ptr<const Page> page;
    Clock::time_point since;
    std::size_t bytes() const { return page->text.size() + page->image.size(); }
  };
  Limits limits_{};
  std::list<Entry> entries_{};  // oldest first
  std::size_t bytes_ = 0;
};

}  // namespace skein::web
