// What the index says of a few sessions, if that is what a look at all of them would say: for the
// first page of a list, and for a name. Where it cannot be sure it says nothing, and all of them
// must be looked at.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "core/store/backend.h"
#include "core/store/home/index.h"
#include "core/store/home/index_scan.h"
#include "core/store/home/unsettled.h"

namespace skein::store::home {

struct QuickEntry {
  IndexEntry now{};
  IndexEntry known{};  // as it is in the index: what was written since may not be on the disk
};

// Whether the index has so many sessions that a look at all of them takes noticeably longer than a
// look at the few that are new.
bool is_large_index(files::Files& files);

class QuickIndex {
 public:
  QuickIndex(files::Files& files, const Unsettled& unsettled)
      : files_(files), unsettled_(unsettled) {}

  // The session with this key or whole id, as it was when the index was written: whoever opens it
  // reads on from there, and sees whether it still has that key.
  std::optional<IndexEntry> known_as(std::string_view name) const;
  // The session that has this key or whole id now. Nothing: that cannot be told.
  std::optional<NameOwner> owner_of(std::string_view name) const;
  // Files that are called as transcripts are, and of which the index has nothing.
  std::vector<Id> without_row() const;
  // The first of a list, the one used last first.
  std::optional<std::vector<QuickEntry>> newest(const ListFilter& filter) const;
  // All that `name` may mean, in the same order.
  std::optional<std::vector<QuickEntry>> called(std::string_view name) const;

 private:
  struct Scanned {
    std::vector<QuickEntry> newcomers{};  // sessions that have no row yet
    bool lost = false;                    // see IndexHead
  };
  std::optional<Scanned> scan(const VisitRow& visit) const;
  struct KnownRows;
  std::optional<std::vector<Id>> without_row(std::vector<Id> known) const;
  std::optional<std::vector<QuickEntry>> newcomers(KnownRows known) const;
  struct Chosen {
    std::vector<QuickEntry> entries{};
    bool lost = false;
  };
  std::optional<Chosen> choose(const VisitRow& fits, std::size_t most) const;
  enum class Look { as_known, anew };
  std::optional<QuickEntry> entry_of(std::string_view row, Look look) const;
  bool refresh(IndexEntry& entry) const;
  bool is_current(const IndexEntry& entry) const;

  files::Files& files_;
  const Unsettled& unsettled_;
};

}  // namespace skein::store::home
