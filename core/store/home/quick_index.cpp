#include "core/store/home/quick_index.h"

#include <algorithm>
#include <string>
#include <tuple>

#include "core/store/files/named_files.h"
#include "core/store/home/gzip.h"
#include "core/store/home/index_scan.h"
#include "core/store/home/parse_index.h"
#include "core/store/home/transcript.h"
#include "core/text/json.h"

namespace skein::store::home {

namespace {

// A row that was kept: its text lasts no longer than the visit.
struct Kept {
  std::uint64_t time = 0;
  Id session{};
  std::string text{};
};
bool is_newer(const Kept& a, const Kept& b) {
  return std::tie(b.time, b.session) < std::tie(a.time, a.session);
}

bool is_newer_entry(const QuickEntry& a, const QuickEntry& b) {
  const auto used = [](const QuickEntry& each) {
    const log::LogMemory& memory = each.now.memory;
    return std::tuple(digits_of(used_at(memory.header, memory.state)), memory.header.session);
  };
  return used(b) < used(a);
}

// The rows used last, of all that are offered: a heap with the oldest of them at its front.
class Newest {
 public:
  explicit Newest(std::size_t most) : most_(most) {}
  void offer(const IndexRow& row, std::string_view used_at, Id session) {
    Kept one{digits_of(used_at), session};
    if (kept_.size() == most_) {
      if (!is_newer(one, kept_.front())) return;
      std::ranges::pop_heap(kept_, is_newer);
      kept_.pop_back();
    }
    one.text = row.text;
    kept_.push_back(std::move(one));
    std::ranges::push_heap(kept_, is_newer);
  }
  const std::vector<Kept>& rows() const { return kept_; }

 private:
  const std::size_t most_;
  std::vector<Kept> kept_{};
};

}  // namespace

// Whether every row that matters was visited, and none has come or gone since; with `looked_at`,
// also whether only those named in `unsettled` can have changed.
template <class Visit>
bool QuickIndex::scan(Visit visit, bool looked_at) const {
  const auto folder = files::stat(files_, "transcripts");
  const auto head = folder ? scan_index(files_, visit) : std::nullopt;
  return head && head->folder_mtime_ns == folder->mtime_ns &&
         (!looked_at || (!head->boot.empty() && head->boot == boot_id()));
}

bool QuickIndex::is_current(const IndexEntry& entry) const {
  const auto [place, now] = transcript_place(files_, entry.memory.header.session);
  return now && now->same_version(entry.memory.stat) && is_packed(place) == entry.archived;
}

// As the transcript is now. False: that may change more than this row.
bool QuickIndex::refresh(IndexEntry& entry) const {
  if (is_current(entry)) return true;
  const Id session = entry.memory.header.session;
  const std::string own = effective_key(entry.memory);
  const Result<Transcript> opened =
      open_transcript(files_, session, transcript_place(files_, session).path, &entry.memory);
  if (!opened) return false;
  entry.memory = opened->memory();
  entry.archived = opened->archived();
  return effective_key(entry.memory) == own;
}

std::optional<QuickEntry> QuickIndex::entry_of(std::string_view row, Look look) const {
  const std::optional<IndexEntry> known = parse_index_row(row);
  if (!known) return std::nullopt;
  QuickEntry out{*known, *known};
  const bool sure = look == Look::anew ? refresh(out.now) : is_current(out.now);
  return sure ? std::optional(std::move(out)) : std::nullopt;
}

std::optional<IndexEntry> QuickIndex::known_as(std::string_view name) const {
  std::string text;
  const bool sure = scan(
      [&](const IndexRow& row) {
        if (row.key == name || row.session() == name) text = row.text;
        return true;
      },
      false);
  return sure && !text.empty() ? parse_index_row(text) : std::nullopt;
}

std::optional<std::vector<QuickEntry>> QuickIndex::newest(const ListFilter& filter) const {
  // Before the index: whoever clears this has written that.
  const std::optional<std::set<Id>> changed = unsettled_.sessions();
  if (!changed || filter.limit == 0) return std::nullopt;
  const std::string cwd = ",\"cwd\":" + json_string(filter.cwd) + ",";
  Newest newest(filter.limit), written(changed->size());
  const bool sure = scan(
      [&](const IndexRow& row) {
        const auto more = row.more();
        const auto session = parse_id(row.session());
        if (!more || !session) return false;
        // No title has this in it: its quotes would be escaped.
        if (!filter.cwd.empty() && more->rest.find(cwd) == std::string_view::npos) return true;
        Newest& list = !changed->empty() && changed->contains(*session) ? written : newest;
        list.offer(row, more->used_at, *session);
        return true;
      },
      true);
  if (!sure) return std::nullopt;
  std::vector<QuickEntry> out;
  for (const Kept& row : written.rows()) {
    std::optional<QuickEntry> entry = entry_of(row.text, Look::anew);
    if (!entry) return std::nullopt;
    out.push_back(*std::move(entry));
  }
  for (const Kept& row : newest.rows()) {
    std::optional<QuickEntry> entry = entry_of(row.text, Look::as_known);
    if (!entry) return std::nullopt;
    out.push_back(*std::move(entry));
  }
  std::ranges::sort(out, is_newer_entry);
  if (out.size() > filter.limit) out.resize(filter.limit);
  return out;
}

std::optional<std::vector<QuickEntry>> QuickIndex::called(std::string_view name) const {
  constexpr std::size_t most = 50;  // more are no name, and all of them are read faster at once
  const std::optional<std::set<Id>> changed = unsettled_.sessions();
  if (!changed || name.empty()) return std::nullopt;
  const std::string quoted = json_string(name);
  const std::string_view spelled = std::string_view(quoted).substr(1, quoted.size() - 2);
  const std::string title = ",\"title\":" + quoted + ",";
  std::vector<std::string> rows;
  const bool sure = scan(
      [&](const IndexRow& row) {
        const auto more = row.more();
        if (!more) return false;
        const bool fits =
            more->rest.starts_with(title) || row.key.starts_with(spelled) ||
            row.session().starts_with(name) ||
            (!changed->empty() && changed->contains(parse_id(row.session()).value_or(Id{})));
        if (fits) rows.emplace_back(row.text);
        return rows.size() <= most + changed->size();
      },
      true);
  if (!sure) return std::nullopt;
  std::vector<QuickEntry> out;
  for (const std::string& row : rows) {
    std::optional<QuickEntry> entry = entry_of(row, Look::anew);
    if (!entry) return std::nullopt;
    out.push_back(*std::move(entry));
  }
  std::ranges::sort(out, is_newer_entry);
  return out;
}

}  // namespace skein::store::home
