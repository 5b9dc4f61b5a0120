// The ends of a session's branches, in order of their last growth.
#pragma once

#include <initializer_list>
#include <unordered_set>
#include <vector>

#include "core/text/base.h"

namespace skein::model {

class Leaves {
 public:
  Leaves() = default;
  Leaves(std::initializer_list<Id> ids) { assign(ids.begin(), ids.end()); }
  Leaves(const std::vector<Id>& ids) { assign(ids.begin(), ids.end()); }

  std::size_t size() const { return order_.size(); }
  const Id& front() const { return order_.front(); }
  auto begin() const { return order_.begin(); }
  auto end() const { return order_.end(); }
  void push_back(Id id);
  void remove(Id id);  // if it is one
  void clear();
  bool operator==(const Leaves& other) const { return order_ == other.order_; }

 private:
  template <class Iterator>
  void assign(Iterator from, Iterator to) {
    for (; from != to; ++from) push_back(*from);
  }

  // Where there are many, most entries of a damaged file name a parent that is none of them: to
  // look through all for each would take a minute for 200,000.
  static constexpr std::size_t many = 64;
  std::vector<Id> order_{};
  std::unordered_set<Id> known_{};  // the same ids, once there are many
};

}  // namespace skein::model
