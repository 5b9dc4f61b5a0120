#include "repl/replay/steps.h"

#include <algorithm>

#include "core/model/entry_words.h"
#include "core/model/redaction.h"
#include "core/text/base.h"

namespace skein::replay {

using store::value_or_throw;

Steps::Steps(store::SessionStore& store, const store::SessionRecord& record)
    : store_(store), session_(record.header.session), redacted_(record.state.redacted) {
  value_or_throw(store.survey(session_, [this](const model::EntryFacts& entry) {
    // The pieces of an answer are the answer's beginning once more.
    if (entry.type == model::type::session_header || entry.type == model::type::message_delta_batch)
      return;
    if (!model::is_for_readers(entry.type, entry.body)) {
      if (!model::is_marginal(entry.type)) left_out_[entry.id] = entry.parent;
      return;
    }
    places_.push_back({entry.id, shown_before(entry.parent), entry.at, ms_from_utc(entry.timestamp),
                       model::is_marginal(entry.type)});
  }));
}

std::optional<Id> Steps::shown_before(std::optional<Id> entry) const {
  while (entry) {
    const auto found = left_out_.find(*entry);
    if (found == left_out_.end()) break;
    entry = found->second;
  }
  return entry;
}

Step Steps::at(std::size_t number) const {
  const Place& place = places_.at(number);
  const store::StoredEntry stored = value_or_throw(store_.load_at(session_, place.at));
  Step step{.entry = model::masked(stored.entry, redacted_), .altered = stored.altered};
  step.failed = model::is_failed_result(step.entry);
  if (place.marginal || !place.parent) return step;
  // What stands beside the conversation does not come between two entries of it.
  std::size_t before = number;
  while (before > 0 && places_[before - 1].marginal) --before;
  if (before == 0 || places_[before - 1].id == *place.parent) return step;
  step.follows = number_of(*place.parent);
  return step;
}

std::optional<std::size_t> Steps::number_of(Id entry) const {
  const auto found = std::ranges::find(places_, shown_before(entry), &Place::id);
  if (found == places_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - places_.begin());
}

std::int64_t Steps::gap_ms(std::size_t number) const {
  if (number == 0 || number >= places_.size()) return 0;
  const auto &now = places_[number].time_ms, &before = places_[number - 1].time_ms;
  return now && before ? std::max<std::int64_t>(0, *now - *before) : 0;
}

}  // namespace skein::replay
