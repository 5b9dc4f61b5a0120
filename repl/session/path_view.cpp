#include "repl/session/path_view.h"

#include "core/model/scrub.h"
#include "core/text/text.h"

namespace skein::session {

using store::value_or_throw;

namespace {

using Entries = std::vector<store::StoredEntry>;

constexpr std::size_t a_glance = 4u << 20;  // of payload, before the first prompt

bool is_shown(const model::Entry& entry) {
  return entry.type == model::type::message || entry.type == model::type::compaction_summary ||
         model::may_be_aside(entry.type, entry.payload);
}

bool is_result(const model::Entry& entry) {
  const std::optional<model::Message> message = model::message_of(entry);
  return message && message->role == model::Role::tool;
}

// Where the last `most` begin, with the call of a result. A single entry is never left out.
std::size_t first_of_last(const Entries& path, std::size_t most) {
  std::size_t first = most == 0 || path.size() <= most ? 0 : path.size() - most;
  while (first > 0 && is_result(path[first].entry)) --first;
  return first == 2 ? 1 : first;
}

void show(const PathView& view, const store::StoredEntry& placed) {
  if (placed.altered)
    view.screen.print(std::string(store::altered_mark) + " altered after it was written, entry " +
                      to_string(placed.entry.id).substr(0, 6) + ":\n");
  view.screen.replay(model::masked(placed.entry, view.conversation.state().redacted));
}

// They are on no path: each is shown behind the entry after which it was asked.
// Those that are further from the end of a long file than is worth reading are left out.
Entries with_asides(const PathView& view, Entries path, std::size_t most_bytes) {
  if (path.empty()) return path;
  std::map<Id, Entries> asides;
  const Id first = path.front().entry.id;
  std::size_t bytes = 0;
  value_or_throw(view.store.transcripts().load_back(
      view.conversation.session(), [&](const store::StoredEntry& placed) {
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
    const auto asked = asides.find(id);
    if (asked == asides.end()) continue;
    std::ranges::reverse_copy(asked->second, std::back_inserter(out));
  }
  return out;
}

Entries shown_path(const PathView& view, Id leaf, std::size_t most_bytes,
                   const std::function<bool(const model::Entry&)>& ends) {
  Entries path = with_asides(
      view, value_or_throw(view.store.path_until(view.conversation.session(), leaf, ends)).entries,
      most_bytes);
  std::erase_if(path, [](const store::StoredEntry& each) { return !is_shown(each.entry); });
  return path;
}

// The last so many with the prompt that the first of them answers: an answer alone says little.
Entries end_of_path(const PathView& view, std::size_t entries) {
  if (!view.conversation.head()) return {};
  std::size_t count = 0;
  const std::size_t most = entries == 0 ? std::numeric_limits<std::size_t>::max() : a_glance;
  return shown_path(view, *view.conversation.head(), most, [&](const model::Entry& each) {
    if (is_shown(each)) ++count;
    return entries > 0 && count >= entries && (model::is_prompt(each) || !each.parent);
  });
}

// Those between the first and the last `most` are only counted. Blank lines separate turns.
void show_some(const PathView& view, const Entries& path, std::size_t most, std::size_t from,
               std::size_t to) {
  const std::size_t first = first_of_last(path, most);
  for (std::size_t i = from; i < to; ++i) {
    if (i == first && first > 1)
      view.screen.print("… " + counted(first - 1, "entry", "entries") +
                        " in between; /history all shows everything\n");
    if (i != 0 && i < first) continue;
    show(view, path[i]);
    if (!view.screen.look().live || i + 1 < first || i + 1 == path.size()) continue;
    const model::Entry& next = path[i + 1].entry;
    if (model::is_prompt(next) && !model::is_steered(next)) view.screen.print("\n");
  }
}

}  // namespace

// Two before it and two after, on the way to the head if possible, with its prompt.
void show_around(const PathView& view, Id wanted) {
  constexpr std::size_t before = 2, after = 2;
  const auto path_to = [&](Id leaf) {
    std::size_t met = 0;
    bool seen = false;
    return shown_path(view, leaf, a_glance, [&](const model::Entry& each) {
      seen = seen || each.id == wanted;
      if (seen && is_shown(each)) ++met;
      return met > before && model::is_prompt(each);
    });
  };
  const auto place_in = [&](const Entries& path) {
    return static_cast<std::size_t>(
        std::ranges::find_if(path, [&](const auto& each) { return each.entry.id == wanted; }) -
        path.begin());
  };
  Entries path = path_to(view.conversation.head().value_or(wanted));
  if (place_in(path) == path.size()) path = path_to(wanted);
  const std::size_t at = place_in(path);
  const std::size_t end = std::min(path.size(), at + after + 1);
  for (std::size_t i = 0; i < end; ++i) {
    if (i == at) view.screen.print("▸ " + to_string(wanted).substr(0, 8) + ":\n");
    show(view, path[i]);
  }
  view.screen.flush();
  if (end < path.size())
    view.screen.print("… " + counted(path.size() - end, "entry", "entries") + " after this\n");
}

void show_end(const PathView& view, std::size_t entries) {
  const Entries path = end_of_path(view, entries);
  show_some(view, path, entries, 0, path.size());
  view.screen.flush();
}

void show_last(const PathView& view) {
  constexpr std::size_t most = 4, kept_free = 8, least = 6;
  // Where nothing scrolls away nothing is left out.
  if (!view.screen.look().live && !view.screen.look().labels) return show_end(view, most);
  const Entries path = end_of_path(view, most);
  std::size_t at = path.size();  // where the last question is
  while (at > 0 && !model::is_prompt(path[--at].entry)) continue;
  const auto part = [&](std::size_t from, std::size_t to) {
    return view.screen.drawn([&] { show_some(view, path, most, from, to); });
  };
  const std::string before = part(0, at), question = part(at, std::min(at + 1, path.size())),
                    rest = part(std::min(at + 1, path.size()), path.size());
  const std::size_t height = view.screen.height();
  const std::size_t rows = std::max(layout::left_of(height, kept_free), least);
  const std::size_t width = view.screen.width();
  if (layout::rows_of(before + question + rest, width) <= rows)
    return view.screen.print_drawn(before + question + rest);
  // A third for the question, if it needs that much.
  const layout::Cut start = layout::first_rows(question, rows / 3, width);
  const std::size_t left = layout::left_of(rows, layout::rows_of(start.text, width));
  const layout::Cut end = layout::last_rows(rest, left, width);
  view.screen.print_drawn(start.text);
  if (const std::size_t out = start.lines_out + end.lines_out; out > 0) {
    const std::string key = view.screen.look().live ? view.screen.look().unfold_key : "";
    view.screen.note("… " + counted(out, "more line") + " (" + (key.empty() ? "" : key + " or ") +
                     "/history shows " + (out == 1 ? "it)" : "them)"));
    view.screen.fold("what was said last", question + rest);
  }
  view.screen.print_drawn(end.text);
}

}  // namespace skein::session
