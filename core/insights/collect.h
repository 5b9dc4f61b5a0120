// Counting over all sessions of a store, every answer once: branches share entries, and forks and
// imports copy them with their ids.
#pragma once

#include "core/insights/tally.h"
#include "core/store/session_store.h"

namespace skein::insights {

struct CollectRequest {
  std::string since{};  // only what was said from this timestamp on; empty: all
  // Passes over sessions to which nothing was added since then.
  bool only_changed = false;
  Prices prices = [](const std::string&, const model::Usage&) { return std::nullopt; };
};

// What several sessions share is counted for the oldest of them. Throws Error if there is no list
// of sessions; one that cannot be read is named in what is returned. Closes every session it opens
// but `open`.
Insights collect(store::SessionStore& store, const CollectRequest& request,
                 std::optional<Id> open = {});

}  // namespace skein::insights
