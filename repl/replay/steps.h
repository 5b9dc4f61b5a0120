// A transcript as it happened: every entry in the order it was written, whatever branch it is on,
// except those that mean nothing to a reader.
// Only where each one lies is kept in memory.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/store/session_store.h"

namespace skein::replay {

struct Step {
  model::Entry entry{};  // masked, if it was redacted
  bool altered = false;  // since it was written
  bool failed = false;   // the result of a call that failed
  // The step it follows, if that is not the one before: another branch begins or goes on.
  std::optional<std::size_t> follows{};
};

class Steps {
 public:
  // The store must outlive this. Throws Error if the session cannot be read.
  Steps(store::SessionStore& store, const store::SessionRecord& record);

  std::size_t size() const { return places_.size(); }
  Step at(std::size_t number) const;  // from 0; throws Error
  // Of the nearest step before it, if it is left out.
  std::optional<std::size_t> number_of(Id entry) const;
  // How long after the one before it was written; 0: at once, or not known.
  std::int64_t gap_ms(std::size_t number) const;

 private:
  struct Place {
    Id id{};
    std::optional<Id> parent{};
    store::Position at = 0;
    std::optional<std::int64_t> time_ms{};
    bool marginal = false;
  };

  // `entry`, or the nearest one before it that is not left out.
  std::optional<Id> shown_before(std::optional<Id> entry) const;

  store::SessionStore& store_;
  Id session_;
  std::set<Id> redacted_;
  std::vector<Place> places_{};
  std::map<Id, std::optional<Id>> left_out_{};  // and their parents; without the marginal ones
};

}  // namespace skein::replay
