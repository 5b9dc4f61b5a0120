#include "core/store/home/quick_index.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <tuple>
#include <unordered_set>

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

std::size_t key_hash(std::string_view key) { return std::hash<std::string_view>{}(key); }

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

bool is_large_index(files::Files& files) {
  constexpr std::uint64_t large = 256u << 10;  // about 400 sessions
  const auto index = files::stat(files, "sessions.json");
  return index && index->size > large;
}

// Of the rows that were passed: the sessions, and hashes of the keys they have.
struct QuickIndex::KnownRows {
  std::vector<Id> sessions{};
  std::vector<std::size_t> keys{};
  void add(const IndexRow& row) {
    sessions.push_back(parse_id(row.session()).value_or(Id{}));
    keys.push_back(key_hash(row.key));
  }
};

// Files of sessions that have no row. Nothing: one that has a row is gone, or the folder cannot be
// read.
std::optional<std::vector<Id>> QuickIndex::without_row(std::vector<Id> known) const {
  const auto names = files::list(files_, "transcripts");
  if (!names) return std::nullopt;
  std::vector<Id> there, out;
  for (const std::string& name : *names)
    if (const auto session = session_of_file(name);
        session && (there.empty() || there.back() != *session))
      there.push_back(*session);
  std::ranges::sort(known);
  if (!std::ranges::includes(there, known)) return std::nullopt;
  std::ranges::set_difference(there, known, std::back_inserter(out));
  return out;
}

std::vector<Id> QuickIndex::without_row() const {
  KnownRows known;
  const auto head = scan_index(files_, [&](const IndexRow& row) {
    known.add(row);
    return true;
  });
  return without_row(head ? std::move(known.sessions) : std::vector<Id>{})
      .value_or(std::vector<Id>{});
}

// The sessions that were made since the index was written. Nothing: they are too many, or cannot be
// read, or want a key that is taken, or a session that the index knows has gone.
std::optional<std::vector<QuickEntry>> QuickIndex::newcomers(KnownRows known) const {
  constexpr std::size_t most = 300;  // more are read faster together with all the others
  const std::optional<std::vector<Id>> fresh = without_row(std::move(known.sessions));
  if (!fresh || fresh->size() > most) return std::nullopt;
  std::unordered_set<std::size_t> taken(known.keys.begin(), known.keys.end());
  std::vector<QuickEntry> out;
  for (const Id session : *fresh) {
    const Result<Transcript> opened =
        open_transcript(files_, session, transcript_place(files_, session).path);
    if (!opened) return std::nullopt;
    IndexEntry entry{opened->memory(), opened->archived(), effective_key(opened->memory())};
    if (!taken.insert(key_hash(entry.key)).second) return std::nullopt;
    out.push_back({std::move(entry)});
  }
  return out;
}

// Visits every row. Nothing: a look at all sessions may say something else, even of those that are
// not named in `unsettled`.
std::optional<QuickIndex::Scanned> QuickIndex::scan(const VisitRow& visit) const {
  const auto folder = files::stat(files_, "transcripts");
  if (!folder) return std::nullopt;
  bool current = true;
  KnownRows known;
  const auto head = scan_index(
      files_,
      [&](const IndexRow& row) {
        if (!current) known.add(row);
        return visit(row);
      },
      [&](const IndexHead& begin) { current = begin.folder_mtime_ns == folder->mtime_ns; });
  if (!head || head->folder_mtime_ns == 0 || head->boot.empty() || head->boot != boot_id())
    return std::nullopt;
  if (current) return Scanned{{}, head->lost};
  if (!is_large_index(files_)) return std::nullopt;
  std::optional<std::vector<QuickEntry>> fresh = newcomers(std::move(known));
  return fresh ? std::optional(Scanned{*std::move(fresh), head->lost}) : std::nullopt;
}

// The rows that fit, those of sessions that were written to, and newcomers, as they are now: at
// most so many that fit.
std::optional<QuickIndex::Chosen> QuickIndex::choose(const VisitRow& fits, std::size_t most) const {
  // Before the index: whoever clears this has written that.
  const std::optional<std::set<Id>> changed = unsettled_.sessions();
  if (!changed) return std::nullopt;
  std::vector<std::string> rows;
  std::optional<Scanned> scanned = scan([&](const IndexRow& row) {
    if (fits(row) ||
        (!changed->empty() && changed->contains(parse_id(row.session()).value_or(Id{}))))
      rows.emplace_back(row.text);
    return rows.size() <= most + changed->size();
  });
  if (!scanned) return std::nullopt;
  Chosen out{std::move(scanned->newcomers), scanned->lost};
  for (const std::string& row : rows) {
    std::optional<QuickEntry> entry = entry_of(row, Look::anew);
    if (!entry) return std::nullopt;
    out.entries.push_back(*std::move(entry));
  }
  return out;
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
  const auto head = scan_index(files_, [&](const IndexRow& row) {
    if (row.key == name || row.session() == name) text = row.text;
    return true;
  });
  return head && !text.empty() ? parse_index_row(text) : std::nullopt;
}

std::optional<NameOwner> QuickIndex::owner_of(std::string_view name) const {
  const std::optional<Chosen> chosen =
      choose([&](const IndexRow& row) { return row.key == name || row.session() == name; }, 1);
  if (!chosen) return std::nullopt;
  for (const QuickEntry& each : chosen->entries)
    if (const Id session = each.now.memory.header.session;
        each.now.key == name || to_string(session) == name)
      return NameOwner{session};
  return chosen->lost ? std::nullopt : std::optional(NameOwner{});
}

std::optional<std::vector<QuickEntry>> QuickIndex::newest(const ListFilter& filter) const {
  // Before the index: whoever clears this has written that.
  const std::optional<std::set<Id>> changed = unsettled_.sessions();
  if (!changed || filter.limit == 0) return std::nullopt;
  const std::string cwd = ",\"cwd\":" + json_string(filter.cwd) + ",";
  Newest newest(filter.limit), written(changed->size());
  std::optional<Scanned> scanned = scan([&](const IndexRow& row) {
    const auto more = row.more();
    const auto session = parse_id(row.session());
    if (!more || !session) return false;
    // No title has this in it: its quotes would be escaped.
    if (!filter.cwd.empty() && more->rest.find(cwd) == std::string_view::npos) return true;
    Newest& list = !changed->empty() && changed->contains(*session) ? written : newest;
    list.offer(row, more->used_at, *session);
    return true;
  });
  if (!scanned) return std::nullopt;
  std::vector<QuickEntry> out = std::move(scanned->newcomers);
  if (!filter.cwd.empty())
    std::erase_if(out,
                  [&](const QuickEntry& each) { return each.now.memory.header.cwd != filter.cwd; });
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
  if (name.empty()) return std::nullopt;
  const std::string quoted = json_string(name);
  const std::string_view spelled = std::string_view(quoted).substr(1, quoted.size() - 2);
  const std::string title = ",\"title\":" + quoted + ",";
  std::optional<Chosen> chosen = choose(
      [&](const IndexRow& row) {
        const auto more = row.more();
        return !more || more->rest.starts_with(title) || row.key.starts_with(spelled) ||
               row.session().starts_with(name);
      },
      most);
  if (!chosen) return std::nullopt;
  std::vector<QuickEntry> out = std::move(chosen->entries);
  std::ranges::sort(out, is_newer_entry);
  return out;
}

}  // namespace skein::store::home
