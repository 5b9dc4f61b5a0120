#include "core/model/leaves.h"

#include <algorithm>

namespace skein::model {

void Leaves::push_back(Id id) {
  order_.push_back(id);
  if (order_.size() > many && known_.empty()) known_.insert(order_.begin(), order_.end());
  if (!known_.empty()) known_.insert(id);
}

void Leaves::remove(Id id) {
  if (!known_.empty() && !known_.contains(id)) return;
  // The one that grew last is nearly always the one that grows.
  const auto found = std::ranges::find(order_.rbegin(), order_.rend(), id);
  if (found == order_.rend()) return;
  order_.erase(std::prev(found.base()));
  if (!known_.empty() && std::ranges::find(order_, id) == order_.end()) known_.erase(id);
}

void Leaves::clear() {
  order_.clear();
  known_.clear();
}

}  // namespace skein::model
