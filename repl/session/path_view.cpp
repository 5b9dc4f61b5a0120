#include "repl/session/path_view.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "core/model/aside.h"
#include "core/model/redaction.h"
#include "core/model/turns.h"
#include "core/store/backend.h"
#include "core/text/amounts.h"

namespace skein::session {

using store::value_or_throw;

namespace {

constexpr std::size_t a_glance = 4u << 20;  // of payload, before the first prompt

bool is_shown(const model::Entry& entry) {
  return entry.type == model::type::message || entry.type == model::type::compaction_summary ||
         model::may_be_aside(entry.type, entry.payload);
}

}  // namespace

void PathView::show(const store::StoredEntry& placed) const {
  if (placed.altered)
    screen_.print(std::string(store::altered_mark) + " altered after it was written, entry " +
                  to_string(placed.entry.id).substr(0, 6) + ":\n");
  screen_.replay(model::masked(placed.entry, conversation_.state().redacted));
}

// They are on no path: each stands behind the entry after which it was asked.
// Those that are further from the end of a long file than is worth reading are left out.
PathView::Entries PathView::with_asides(Entries path, std::size_t most_bytes) const {
  if (path.empty()) return path;
  std::map<Id, Entries> asides;
  const Id first = path.front().entry.id;
  std::size_t bytes = 0;
  value_or_throw(store_.load_back(conversation_.session(), [&](const store::StoredEntry& placed) {
    if (placed.entry.parent && model::may_be_aside(placed.entry.type, placed.entry.payload))
      asides[*placed.entry.parent].push_back(placed);
    bytes += placed.entry.payload.size();
    return placed.entry.id != first && bytes < most_bytes;
  }));
  if (asides.empty()) return path;
  Entries out;
  for (store::StoredEntry& each : path) {
    const Id id = each.entry.id;
    out.push_back(std::move(each));
    const auto beside = asides.find(id);
    if (beside == asides.end()) continue;
    std::ranges::reverse_copy(beside->second, std::back_inserter(out));
  }
  return out;
}

// Two before it and two after, on the way to the head if it is on that, with the prompt it belongs
// to.
void PathView::show_around(Id wanted) const {
  constexpr std::size_t before = 2, after = 2;
  const auto path_to = [&](Id leaf) {
    std::size_t met = 0;
    bool seen = false;
    Entries path = with_asides(value_or_throw(store_.path_until(conversation_.session(), leaf,
                                                                [&](const model::Entry& each) {
                                                                  seen = seen || each.id == wanted;
                                                                  if (seen && is_shown(each)) ++met;
                                                                  return met > before &&
                                                                         model::is_prompt(each);
                                                                }))
                                   .entries,
                               a_glance);
    std::erase_if(path, [](const store::StoredEntry& each) { return !is_shown(each.entry); });
    return path;
  };
  const auto place_in = [&](const Entries& path) {
    return static_cast<std::size_t>(
        std::ranges::find_if(path, [&](const auto& each) { return each.entry.id == wanted; }) -
        path.begin());
  };
  Entries path = path_to(conversation_.head().value_or(wanted));
  if (place_in(path) == path.size()) path = path_to(wanted);
  const std::size_t at = place_in(path);
  const std::size_t end = std::min(path.size(), at + after + 1);
  for (std::size_t i = 0; i < end; ++i) {
    if (i == at) screen_.print("▸ " + to_string(wanted).substr(0, 8) + ":\n");
    show(path[i]);
  }
  screen_.flush();
  if (end < path.size())
    screen_.print("… " + counted(path.size() - end, "entry", "entries") + " after this\n");
}

void PathView::show_end(std::size_t entries) const {
  if (!conversation_.head()) return;
  // Includes the prompt that the first of them answers: an answer alone says little.
  std::size_t count = 0;
  Entries path = with_asides(
      value_or_throw(store_.path_until(conversation_.session(), *conversation_.head(),
                                       [&](const model::Entry& each) {
                                         if (is_shown(each)) ++count;
                                         return entries > 0 && count >= entries &&
                                                (model::is_prompt(each) || !each.parent);
                                       }))
          .entries,
      entries == 0 ? std::numeric_limits<std::size_t>::max() : a_glance);
  std::erase_if(path, [&](const store::StoredEntry& each) { return !is_shown(each.entry); });
  const std::size_t first = entries == 0 || path.size() <= entries ? 0 : path.size() - entries;
  if (first > 0) show(path.front());
  if (first > 1)
    screen_.print("… " + counted(first - 1, "entry", "entries") +
                  " in between; /history all shows everything\n");
  for (std::size_t i = first; i < path.size(); ++i) show(path[i]);
  screen_.flush();
}

}  // namespace skein::session
