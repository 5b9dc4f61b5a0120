#include "repl/session/path_view.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "core/model/aside.h"
#include "core/model/redaction.h"
#include "core/model/turns.h"
#include "core/store/backend.h"
#include "core/text/amounts.h"
#include "repl/layout/rows.h"

namespace skein::session {

using store::value_or_throw;

namespace {

constexpr std::size_t a_glance = 4u << 20;  // of payload, before the first prompt

bool is_shown(const model::Entry& entry) {
  return entry.type == model::type::message || entry.type == model::type::compaction_summary ||
         model::may_be_aside(entry.type, entry.payload);
}

bool begins_turn(const model::Entry& entry) {
  return model::is_prompt(entry) && !model::is_steered(entry);
}

bool is_result(const model::Entry& entry) {
  const std::optional<model::Message> message = model::message_of(entry);
  return message && message->role == model::Role::tool;
}

// Where the last `most` begin. A result is shown with its call, and one entry is not left out: the
// line that says so takes as much room.
std::size_t first_of_last(const std::vector<store::StoredEntry>& path, std::size_t most) {
  std::size_t first = most == 0 || path.size() <= most ? 0 : path.size() - most;
  while (first > 0 && is_result(path[first].entry)) --first;
  return first == 2 ? 1 : first;
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

// The last so many with the prompt that the first of them answers: an answer alone says little.
PathView::Entries PathView::end_of_path(std::size_t entries) const {
  if (!conversation_.head()) return {};
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
  return path;
}

// Those between the first one and the last `most` are only counted. A blank line stands between
// turns, as it does when they happen.
void PathView::show_some(const Entries& path, std::size_t most, std::size_t from,
                         std::size_t to) const {
  const std::size_t first = first_of_last(path, most);
  for (std::size_t i = from; i < to; ++i) {
    if (i == first && first > 1)
      screen_.print("… " + counted(first - 1, "entry", "entries") +
                    " in between; /history all shows everything\n");
    if (i != 0 && i < first) continue;
    show(path[i]);
    if (screen_.look().live && i + 1 >= first && i + 1 < path.size() &&
        begins_turn(path[i + 1].entry))
      screen_.print("\n");
  }
}

void PathView::show_end(std::size_t entries) const {
  const Entries path = end_of_path(entries);
  show_some(path, entries, 0, path.size());
  screen_.flush();
}

void PathView::show_last() const {
  constexpr std::size_t most = 4, kept_free = 8, least = 6;
  // Where nothing scrolls away nothing is left out.
  if (!screen_.look().live && !screen_.look().labels) return show_end(most);
  const Entries path = end_of_path(most);
  const auto asked = std::find_if(path.rbegin(), path.rend(), [](const store::StoredEntry& each) {
    return model::is_prompt(each.entry);
  });
  const auto at =
      asked == path.rend() ? std::size_t{0} : static_cast<std::size_t>(path.rend() - asked) - 1;
  const auto part = [&](std::size_t from, std::size_t to) {
    return screen_.drawn([&] { show_some(path, most, from, to); });
  };
  const std::string before = part(0, at), question = part(at, std::min(at + 1, path.size())),
                    rest = part(std::min(at + 1, path.size()), path.size());
  const std::size_t height = screen_.height();
  const std::size_t rows = height > kept_free + least ? height - kept_free : least;
  if (layout::rows_of(before + question + rest, screen_.width()) <= rows)
    screen_.print_drawn(before + question + rest);
  else
    show_folded(question, rest, rows);
}

// A third for the question, if it needs that much.
void PathView::show_folded(const std::string& question, const std::string& rest,
                           std::size_t rows) const {
  const std::size_t width = screen_.width();
  const layout::Cut asked = layout::first_rows(question, rows / 3, width);
  const std::size_t left = rows - std::min(rows, layout::rows_of(asked.text, width));
  const layout::Cut end = layout::last_rows(rest, left, width);
  screen_.print_drawn(asked.text);
  if (const std::size_t out = asked.lines_out + end.lines_out; out > 0) {
    const std::string key(screen_.look().live ? screen_.look().unfold_key : "");
    screen_.note("… " + counted(out, "more line") + " (" + (key.empty() ? "" : key + " or ") +
                 "/history shows " + (out == 1 ? "it)" : "them)"));
    screen_.fold("what was said last", question + rest);
  }
  screen_.print_drawn(end.text);
}

}  // namespace skein::session
