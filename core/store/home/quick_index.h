// What the index says of a few sessions, if that is what a look at all of them would say: for the
// first page of a list, and for a name. Where it cannot be sure it says nothing, and all of them
// must be looked at.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "core/store/backend.h"
#include "core/store/home/index.h"
#include "core/store/home/unsettled.h"

namespace skein::store::home {

struct QuickEntry {
  IndexEntry now{};
  IndexEntry known{};  // as it stands in the index: what was written since may not be on the disk
};

class QuickIndex {
 public:
  QuickIndex(files::Files& files, const Unsettled& unsettled)
      : files_(files), unsettled_(unsettled) {}

  // The session with this key or whole id, as it was when the index was written: whoever opens it
  // reads on from there.
  std::optional<IndexEntry> known_as(std::string_view name) const;
  // The first of a list, the one used last first.
  std::optional<std::vector<QuickEntry>> newest(const ListFilter& filter) const;
  // All that `name` may mean, in the same order.
  std::optional<std::vector<QuickEntry>> called(std::string_view name) const;

 private:
  template <class Visit>
  bool scan(Visit visit, bool looked_at) const;
  enum class Look { as_known, anew };
  std::optional<QuickEntry> entry_of(std::string_view row, Look look) const;
  bool refresh(IndexEntry& entry) const;
  bool is_current(const IndexEntry& entry) const;

  files::Files& files_;
  const Unsettled& unsettled_;
};

}  // namespace skein::store::home
