#include "core/store/log/log_reader.h"

#include "core/text/json.h"
#include "core/text/request_text.h"

namespace skein::store::log {

Entry header_entry(const SessionHeader& header) {
  Json payload = {{"version", header.version},
                  {"sessionId", to_string(header.session)},
                  {"key", header.key},
                  {"cwd", header.cwd},
                  {"createdBy", header.created_by}};
  if (header.parent_session)
    payload["parentSession"] = {{"sessionId", to_string(header.parent_session->session)},
                                {"entryId", to_string(header.parent_session->entry)}};
  if (!header.project.empty()) payload["project"] = header.project;
  Entry entry = model::make_entry(type::session_header, dump(payload));
  if (!header.created_at.empty()) entry.timestamp = header.created_at;
  return entry;
}

std::optional<SessionHeader> header_from(const Entry& entry) {
  if (entry.type != type::session_header) return std::nullopt;
  const std::optional<Json> payload = parse_json(entry.payload);
  if (!payload) return std::nullopt;
  const std::optional<Id> session = parse_id(string_at(*payload, "sessionId"));
  const std::int64_t version = int_at(*payload, "version");
  if (!session || version < 1) return std::nullopt;
  SessionHeader header{.version = static_cast<int>(version),
                       .session = *session,
                       .key = string_at(*payload, "key"),
                       .cwd = string_at(*payload, "cwd"),
                       .created_by = string_at(*payload, "createdBy"),
                       .created_at = entry.timestamp};
  header.project = string_at(*payload, "project");
  const Json& parent = at(*payload, "parentSession");
  const auto parent_id = parse_id(string_at(parent, "sessionId"));
  const auto entry_id = parse_id(string_at(parent, "entryId"));
  if (parent_id && entry_id) header.parent_session = {*parent_id, *entry_id};
  return header;
}

namespace {

constexpr std::size_t largest_step = 256u << 10;

constexpr std::size_t recent_entries = 4096;

}  // namespace

Result<std::uint32_t> read_back(const files::OpenFile& file, Id session, std::uint64_t end,
                                const VisitLine& each) {
  const auto damaged = [&] {
    return Failure{Failure::Kind::damaged, "session " + to_string(session) + " is damaged"};
  };
  const std::uint32_t seed = seal_seed(session);
  std::uint32_t last_crc = 0;
  struct Reading {
    std::uint64_t begin, end;
    std::string text;
    Line line;
  };
  std::vector<Reading> batch;  // newest first, until its first line is reached
  std::optional<std::uint32_t> expected;
  std::string buffer;  // the bytes from `base` on that belong to no line yet
  std::uint64_t base = end;
  std::size_t step = 64u << 10;

  while (base > 0) {
    const std::size_t count = static_cast<std::size_t>(std::min<std::uint64_t>(step, base));
    std::string block(count, '\0');
    const std::size_t got = TRY(file.read(block.data(), count, base - count));
    if (got < count) return damaged();  // shorter than it was
    base -= count;
    buffer.insert(0, block);
    step = std::min<std::size_t>(step * 2, largest_step);

    // Every line whose beginning is in the buffer.
    while (!buffer.empty()) {
      if (buffer.back() != '\n') return damaged();
      const std::size_t newline =
          buffer.size() < 2 ? std::string::npos : buffer.rfind('\n', buffer.size() - 2);
      if (newline == std::string::npos && base > 0) break;
      const std::size_t begin = newline == std::string::npos ? 0 : newline + 1;
      if (is_blank(std::string_view(buffer).substr(begin))) {
        buffer.resize(begin);
        continue;
      }
      Reading reading{
          base + begin, base + buffer.size(), buffer.substr(begin, buffer.size() - begin - 1), {}};
      buffer.resize(begin);
      batch.push_back(std::move(reading));
      const std::optional<Line> line = read_line(batch.back().text);
      if (!line || line->seal.place + batch.size() != line->seal.count) return damaged();
      if (line->seal.place > 0) continue;

      std::uint32_t state = seed;
      for (std::size_t i = batch.size(); i-- > 0;) {
        batch[i].line = *read_line(batch[i].text);
        if (line_crc(state, batch[i].text) != batch[i].line.seal.crc) return damaged();
        state = state_after(batch[i].line.seal.crc, batch[i].text);
      }
      const Seal& seal = batch.front().line.seal;
      if (expected && *expected != seal.crc) return damaged();
      if (!expected) last_crc = seal.crc;
      expected = seal.previous;
      for (const Reading& found : batch)
        if (!each({LineStatus::committed, found.begin, found.end, found.text, &found.line}))
          return last_crc;
      batch.clear();
    }
    if (buffer.size() > max_line_bytes) return damaged();
  }
  if (!batch.empty()) return damaged();
  return last_crc;
}

std::string transcript_path(Id session) { return "transcripts/" + to_string(session) + ".jsonl"; }

LogReader::LogReader(files::Files& files, Id session, std::string path)
    : files_(files), session_(session), path_(std::move(path)), seed_(seal_seed(session)) {
  header_.session = session;  // whatever becomes of the header
}

Result<void> LogReader::open(files::OpenAs as) {
  file_.reset();
  file_ = TRY(files::open(files_, path_, as, described(session_)));
  appending_ = as == files::OpenAs::appender;
  return {};
}

void LogReader::forget() {
  stat_ = {};
  end_ = 0;
  last_crc_ = 0;
  newline_missing_ = header_seen_ = any_seen_ = false;
  state_ = {};
  damage_ = {};
  altered_.clear();
  known_ = Known::nothing;
  places_.clear();
}

Result<void> LogReader::refresh(const LogMemory* memory) {
  const bool first = stat_.inode == 0;
  const files::FileStat there = TRY(files::stat(files_, path_, described(session_)));
  // A handle that is right is kept, whatever file was known before: an appender holds its lock.
  Result<files::FileStat> now = file_.is_open() ? file_.stat() : Failure{};
  if (!now || !now->same_file(there)) {
    TRY(open(files::OpenAs::reader));
    now = file_.stat();
    if (!now) return now.error();
  }
  if (first && memory != nullptr) return adopt(*memory, *now);
  if (!first && now->same_file(stat_)) {
    // Bytes that were uncommitted when we looked may be a whole batch by now.
    const bool unchanged = now->size == stat_.size && now->mtime_ns == stat_.mtime_ns;
    if (unchanged && now->size == end_) return {};
    if ((unchanged || now->size > stat_.size || (end_ < stat_.size && now->size >= end_)) &&
        ends_as_known())
      return read_from(end_, *now);
    // Not grown, and yet changed: it was edited, or took back a batch that could not be
    // synced.
    acknowledged_ = std::max(acknowledged_, end_);
  }
  forget();
  return read_from(0, *now);
}

// Whether the last seal we know of is still at its place.
bool LogReader::ends_as_known() const {
  char expected[12], there[11];
  std::snprintf(expected, sizeof expected, "%08x\"}\n", last_crc_);
  const std::uint64_t count = newline_missing_ ? 10 : 11;
  if (end_ < count) return false;
  const Result<std::size_t> got = file_.read(there, count, end_ - count);
  return got && *got == count && std::memcmp(expected, there, count) == 0;
}

Result<void> LogReader::adopt(const LogMemory& memory, const files::FileStat& now) {
  acknowledged_ = std::min(memory.end, now.size);
  const bool unchanged = now.size == memory.stat.size && now.mtime_ns == memory.stat.mtime_ns;
  if (now.same_file(memory.stat) && (unchanged || now.size > memory.stat.size)) {
    const Result<std::uint32_t> crc =
        read_back(file_, session_, memory.end, [](const ScannedLine&) { return false; });
    if (crc && *crc == memory.last_crc) {
      header_ = memory.header;
      header_seen_ = any_seen_ = true;
      state_ = memory.state;
      end_ = memory.end;
      last_crc_ = memory.last_crc;
      damage_ = memory.damage;
      stat_ = now;
      return unchanged ? Result<void>{} : read_from(end_, now);
    }
  }
  return read_from(0, now);
}

Result<void> LogReader::read_from(std::uint64_t offset, const files::FileStat& now) {
  const ScanEnd result = TRY(scan(file_, {session_, offset, last_crc_, acknowledged_},
                                  [this](const ScannedLine& found) { take(found); }));
  damage_.gaps += static_cast<std::int64_t>(result.gaps.size());
  stat_ = now;
  stat_.size = result.size;
  end_ = result.end;
  last_crc_ = result.last_crc;
  newline_missing_ = result.newline_missing || (newline_missing_ && result.end == offset);
  if (!any_seen_)
    return Failure{
        Failure::Kind::damaged,
        described(session_) +
            (result.size == 0 ? " has an empty transcript" : " is not a transcript of skein") +
            "; it was not changed, and `skein doctor` says more"};
  if (!altered_.empty()) settle_head();
  return {};
}

void LogReader::take(const ScannedLine& found) {
  count_damage(found);
  if (!found.readable()) return;
  const EntryFacts facts = found.facts();
  any_seen_ = true;
  if (facts.type == type::session_header) {
    if (header_seen_) return;
    if (const auto header = header_from(found.to_entry()); header && header->session == session_) {
      header_ = *header;
      header_seen_ = found.standing == LineStatus::committed && found.begin == 0;
    }
    return;
  }
  model::fold(state_, facts);
  if (known_ != Known::nothing)
    places_.emplace(facts.id, Place{found.begin, model::is_marginal(facts.type)});
}

Result<void> LogReader::writable() const {
  using Kind = Failure::Kind;
  if (!header_seen_)
    return Failure{Kind::read_only, described(session_) +
                                        " has a damaged first line and opens read-only; run "
                                        "`skein doctor --repair` to rebuild it"};
  if (header_.version > format_version)
    return Failure{Kind::unsupported_version,
                   described(session_) + " was written by a newer skein (format " +
                       std::to_string(header_.version) + "); it opens read-only"};
  return {};
}

Result<void> LogReader::know_ids(Known wanted) {
  if (known_ >= wanted) return {};
  const auto learn = [this](const ScannedLine& found) {
    if (!found.readable()) return;
    const EntryFacts facts = found.facts();
    places_.emplace(facts.id, Place{found.begin, model::is_marginal(facts.type)});
  };
  if (wanted == Known::recent) {
    std::size_t left = recent_entries;
    if (read_back(file_, session_, end_, [&](const ScannedLine& found) {
          learn(found);
          return --left > 0;
        })) {
      known_ = left > 0 ? Known::all : Known::recent;
      return {};
    }
  }
  TRY(scan_all(learn));
  known_ = Known::all;
  return {};
}

Result<Position> LogReader::locate(Id entry) {
  if (entry == state_.head && state_.head_at != 0) return state_.head_at;
  for (const Known wanted : {Known::recent, Known::all}) {
    TRY(know_ids(wanted));
    if (const auto found = places_.find(entry); found != places_.end()) {
      if (entry == state_.head) state_.head_at = found->second.at;
      return found->second.at;
    }
  }
  return Failure{Failure::Kind::gone, "no entry '" + to_string(entry) + "' in this session"};
}

// The line at `position`, without its newline; empty at the end of the file.
Result<std::string> LogReader::line_at(Position position) const {
  std::string text;
  for (std::size_t step = 4096; text.size() <= max_line_bytes;
       step = std::min<std::size_t>(step * 4, 1u << 20)) {
    const std::size_t had = text.size();
    text.resize(had + step);
    const std::size_t got = TRY(file_.read(text.data() + had, step, position + had));
    text.resize(had + got);
    const std::size_t newline = text.find('\n', had);
    if (newline != std::string::npos) return text.substr(0, newline);
    if (got < step) return text;
  }
  return std::string{};
}

Result<StoredEntry> LogReader::at(Position position) {
  const std::string read = TRY(line_at(position));
  const std::string& line = read;
  if (const auto exact = read_line(line); exact && !altered_.contains(position))
    return StoredEntry{entry_of(line, *exact), position};
  if (const std::size_t length = bracketed_length(line))
    if (auto entry = entry_from_json(std::string_view(line).substr(0, length)))
      return StoredEntry{std::move(*entry), position, true};
  return Failure{Failure::Kind::damaged, described(session_) + " has no entry at that place"};
}

// Where the batch of the line at `position` ends: each line says its place in it.
std::optional<std::uint64_t> LogReader::batch_end(Position position) const {
  const Result<std::string> text = line_at(position);
  const std::optional<Line> line = text ? read_line(*text) : std::nullopt;
  if (!line) return std::nullopt;
  std::uint64_t end = position + text->size() + 1;
  for (unsigned left = line->seal.count - line->seal.place - 1; left > 0; --left) {
    const Result<std::string> next = line_at(end);
    if (!next) return std::nullopt;
    end += next->size() + 1;
  }
  return end;
}

Result<void> LogReader::lines_from(std::uint64_t border, const VisitLine& visit) {
  bool wanted = true;
  const auto done = scan(
      file_, {session_, border, std::nullopt, acknowledged_},
      [&](const ScannedLine& found) {
        if (wanted && found.readable() && found.begin < end_) wanted = visit(found);
      },
      [&] { return wanted; });
  return done ? Result<void>{} : done.error();
}

Result<void> LogReader::give_lines(std::uint64_t border, const VisitText& visit) {
  bool whole = true;
  TRY(lines_from(border, [&](const ScannedLine& found) {
    whole = found.standing == LineStatus::committed;
    return whole && visit(found.text);
  }));
  if (!whole)
    return Failure{Failure::Kind::damaged,
                   described(session_) + " is damaged; `skein doctor` says where"};
  return {};
}

Result<void> LogReader::survey(const VisitFacts& visit) {
  const auto done = scan_all([&](const ScannedLine& found) {
    if (found.readable() && found.begin < end_) visit(found.facts());
  });
  return done ? Result<void>{} : done.error();
}

Result<void> LogReader::each(Position from, const VisitEntry& visit) {
  // A scan begins where a batch does; each line says its place in it.
  const Result<std::string> text = line_at(from);
  const std::optional<Line> line = text ? read_line(*text) : std::nullopt;
  return lines_from(line && line->seal.place == 0 ? from : 0, [&](const ScannedLine& found) {
    return found.begin < from ||
           visit({found.to_entry(), found.begin, found.standing == LineStatus::altered});
  });
}

Result<void> LogReader::each_back(std::optional<Position> from, const VisitEntry& visit) {
  const std::optional<std::uint64_t> border = from ? batch_end(*from) : end_;
  std::optional<Position> reached;  // every entry from here on was given
  if (border && *border <= end_) {
    const auto read = read_back(file_, session_, *border, [&](const ScannedLine& found) {
      if (from && found.begin > *from) return true;
      reached = found.begin;
      return visit({found.to_entry(), found.begin});
    });
    if (read) return {};
    if (read.error().kind != Failure::Kind::damaged) return read.error();
  }
  // Damage: a scan finds the entries, which are then given backward from the current place.
  std::vector<Position> places;
  TRY(scan_all([&](const ScannedLine& found) {
    if (found.readable()) places.push_back(found.begin);
  }));
  for (std::size_t i = places.size(); i-- > 0;) {
    if ((reached && places[i] >= *reached) || (from && places[i] > *from)) continue;
    const Result<StoredEntry> placed = at(places[i]);
    if (placed && !visit(*placed)) break;
  }
  return {};
}

// A scan of all there is: afterwards it is known what is damaged.
Result<ScanEnd> LogReader::scan_all(const std::function<void(const ScannedLine&)>& visit) {
  damage_ = {};
  altered_.clear();
  broken_end_ = 0;
  Result<ScanEnd> end = scan(file_, {session_, 0, 0, acknowledged_}, [&](const ScannedLine& found) {
    count_damage(found);
    visit(found);
  });
  if (end) damage_.gaps = static_cast<std::int64_t>(end->gaps.size());
  return end;
}

void LogReader::count_damage(const ScannedLine& found) {
  if (found.standing == LineStatus::altered) {
    ++damage_.altered;
    altered_.insert(found.begin);
  } else if (found.standing == LineStatus::broken) {
    // Pieces of one unreadable line are one gap.
    if (found.begin != broken_end_ || damage_.broken == 0) ++damage_.broken;
    broken_end_ = found.end;
  }
}

// The head may be what was altered: one that is no entry would hide the whole conversation.
void LogReader::settle_head() {
  if (!state_.head || state_.head_at != 0) return;
  const Result<Position> found = locate(*state_.head);
  if (found || found.error().kind != Failure::Kind::gone) return;
  state_.head = state_.tail;
  state_.head_at = 0;
}

Result<Damage> LogReader::examine() {
  Damage damage{.header_damaged = !header_seen_};
  Result<ScanEnd> end = scan_all([&](const ScannedLine& found) {
    const Damage::Range range{found.begin, found.end};
    if (found.standing == LineStatus::altered) damage.altered.push_back(range);
    if (found.standing == LineStatus::uncommitted) damage.uncommitted.push_back(range);
    if (found.standing != LineStatus::broken) return;
    // Pieces of one unreadable line are one gap.
    if (!damage.broken.empty() && damage.broken.back().end == range.begin)
      damage.broken.back().end = range.end;
    else
      damage.broken.push_back(range);
  });
  if (!end) return end.error();
  damage.gaps = std::move(end->gaps);
  damage.end = end->end;
  return damage;
}

}  // namespace skein::store::log
