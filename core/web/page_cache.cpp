#include "core/web/page_cache.h"

#include <algorithm>
#include <utility>

namespace skein::web {

std::shared_ptr<const Page> PageCache::find(const std::string& key, Clock::time_point now) {
  while (!entries_.empty() && now - entries_.front().since > limits_.age) {
    bytes_ -= entries_.front().bytes();
    entries_.pop_front();
  }
  const auto found = std::ranges::find(entries_, key, &Entry::key);
  return found == entries_.end() ? nullptr : found->page;
}

void PageCache::keep(const std::string& key, std::shared_ptr<const Page> page,
                     Clock::time_point now) {
  if (const auto old = std::ranges::find(entries_, key, &Entry::key); old != entries_.end()) {
    bytes_ -= old->bytes();
    entries_.erase(old);
  }
  entries_.push_back({key, std::move(page), now});
  bytes_ += entries_.back().bytes();
  while (entries_.size() > limits_.entries || bytes_ > limits_.bytes) {
    bytes_ -= entries_.front().bytes();
    entries_.pop_front();
  }
}

}  // namespace skein::web
