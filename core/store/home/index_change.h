// The index of a home, locked for as long as this lives. Whatever changes the index, or moves the
// files it tells of, asks for one of these: so nobody else is at it meanwhile.
#pragma once

#include <cstdint>
#include <optional>

#include "core/store/home/home_index.h"

namespace skein::store::home {

class IndexChange {
 public:
  // Every session looked at: what the index says then is what is there.
  Result<Index*> settle();
  // Writes it down.
  Result<void> save();
  // The same for one who settled it and then made or moved sessions: that the folder changed since
  // is our own doing.
  Result<void> save_moved();
  // Both, for one who changed files. That it cannot be written down is no failure: it is a cache,
  // and the next one to look will notice.
  Result<void> finish();

 private:
  friend class HomeIndex;
  IndexChange(HomeIndex& index, files::OpenFile lock) : index_(&index), lock_(std::move(lock)) {}

  HomeIndex* index_;
  files::OpenFile lock_;
  std::optional<std::uint64_t> unsettled_{};  // that much of it was looked at
};

}  // namespace skein::store::home
