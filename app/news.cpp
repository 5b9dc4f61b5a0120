#include "app/news.h"

#include <algorithm>
#include <utility>

namespace skein::app {

void News::enter(Id session) {
  const std::lock_guard lock(mutex_);
  entered_ = session;
}

void News::put(Id session, Item item) {
  const std::lock_guard lock(mutex_);
  inbox_.put(item.entry, session);
  items_[session].push_back(std::move(item));
}

void News::tell(const std::string& notice) {
  const std::lock_guard lock(mutex_);
  if (!notice.empty()) told_ += notice + "\n";
}

void News::seen(Id session, const std::string& about) {
  const std::lock_guard lock(mutex_);
  std::erase_if(items_[session], [&](const Item& each) {
    if (each.about != about) return false;
    inbox_.take_back(each.entry.id);
    return true;
  });
}

News::Notices News::take_notices() {
  const std::lock_guard lock(mutex_);
  Notices out{.text = std::exchange(told_, "")};
  if (!entered_) return out;
  for (Item& each : items_[*entered_])
    if (const std::string line = std::exchange(each.notice, ""); !line.empty()) {
      out.text += line + "\n";
      out.wake = out.wake || each.wakes;
    }
  return out;
}

bool News::has_notices() const {
  const std::lock_guard lock(mutex_);
  if (!told_.empty()) return true;
  const auto found = entered_ ? items_.find(*entered_) : items_.end();
  return found != items_.end() &&
         std::ranges::any_of(found->second, [](const Item& each) { return !each.notice.empty(); });
}

}  // namespace skein::app
