#include "core/store/postgres/transcript_rows.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/store/home/parse_index.h"
#include "core/store/home/print_index.h"
#include "core/store/log/line_codec.h"
#include "core/store/postgres/values.h"

namespace skein::store::postgres {

namespace {

constexpr std::uint64_t one_stretch = 256u << 10, next_stretch = 1u << 20;

constexpr Statement find_session{"find_session", R"(
  select id, key, record, bytes, last_crc, archived, edition from skein.session where id = $1 and deleted is null)"};

// The line `$2` lies in, and those that begin between it and `$3`. In two parts, so that both are
// found by the index: under row level security a place that is looked up first is not.
constexpr Statement read_lines{"read_lines", R"(
  select at, line from (
    (select at, line from skein.line where session = $1 and at <= $2 order by at desc limit 1)
    union all
    (select at, line from skein.line where session = $1 and at > $2 and at < $3)) as l
   order by at)"};

}  // namespace

std::int64_t time_number(std::string_view timestamp) {
  return static_cast<std::int64_t>(home::digits_of(timestamp));
}

std::string print_record(const log::LogMemory& memory, const std::string& key) {
  home::Index index;
  index.sessions[memory.header.session] = {memory, false, key};
  return home::print_index(index);
}

std::optional<log::LogMemory> parse_record(const SessionRow& row) {
  std::optional<home::Index> index = home::parse_index(row.record);
  if (!index || index->sessions.size() != 1) return std::nullopt;
  log::LogMemory& memory = index->sessions.begin()->second.memory;
  if (memory.header.session != row.session || memory.end != row.bytes ||
      memory.last_crc != row.last_crc)
    return std::nullopt;
  memory.stat = {.size = row.bytes, .inode = row.edition};
  return std::move(memory);
}

std::optional<SessionRow> read_session_row(Row row) {
  Columns columns(row);
  SessionRow out{.session = columns.id(),
                 .key = std::string(columns.text()),
                 .record = std::string(columns.text()),
                 .bytes = static_cast<std::uint64_t>(columns.integer()),
                 .last_crc = static_cast<std::uint32_t>(columns.integer()),
                 .archived = columns.truth(),
                 .edition = static_cast<std::uint64_t>(columns.integer())};
  // More than fits any disk: then sums of places could overflow.
  constexpr std::uint64_t most_bytes = std::uint64_t{1} << 60;
  if (!columns.fit() || out.bytes > most_bytes) return std::nullopt;
  return out;
}

int TranscriptRows::write_refused() const { return -EROFS; }

int TranscriptRows::fetch_row() {
  std::optional<SessionRow> found;
  const auto asked = connection_.ask(find_session, Values().id(session_), [&](Row row) {
    found = read_session_row(row);
    return found && found->session == session_;
  });
  if (!asked) {
    failure_ = asked.error();
    return -EIO;
  }
  if (!found) return -ENOENT;
  if (found->edition != row_.edition) stretch_.clear();
  row_ = *std::move(found);
  return 0;
}

int TranscriptRows::open(const std::string&, files::OpenAs) {
  return row_.bytes > 0 ? 0 : fetch_row();
}

// Lines are only ever added to an edition, so that and the size tell one version from another.
int TranscriptRows::stat(Handle, files::FileStat& out) {
  out = {.size = row_.bytes, .inode = row_.edition};
  return 0;
}

int TranscriptRows::stat_path(const std::string&, files::FileStat& out) {
  if (!std::exchange(ahead_, false))
    if (const int failed = fetch_row(); failed != 0) return failed;
  return stat(0, out);
}

std::int64_t TranscriptRows::read(Handle, char* to, std::size_t count, std::uint64_t at) {
  if (at >= row_.bytes) return 0;
  const auto kept = [&] { return at >= begin_ && at < begin_ + stretch_.size(); };
  if (!kept()) {
    const bool goes_on = at == begin_ + stretch_.size() && !stretch_.empty();
    const std::uint64_t most = std::min<std::uint64_t>(count < one_stretch ? count
                                                       : goes_on           ? next_stretch
                                                                           : one_stretch,
                                                       row_.bytes - at);
    if (const int failed = fetch(at, at + most); failed != 0) return failed;
    if (!kept()) return 0;
  }
  const std::size_t from = static_cast<std::size_t>(at - begin_);
  const std::size_t got =
      std::min({count, stretch_.size() - from, static_cast<std::size_t>(row_.bytes - at)});
  std::memcpy(to, stretch_.data() + from, got);
  return static_cast<std::int64_t>(got);
}

int TranscriptRows::fetch(std::uint64_t from, std::uint64_t to) {
  std::string stretch;
  std::optional<std::uint64_t> begin;
  const auto asked =
      connection_.ask(read_lines,
                      Values()
                          .id(session_)
                          .integer(static_cast<std::int64_t>(from))
                          .integer(static_cast<std::int64_t>(to)),
                      [&](Row row) {
                        Columns columns(row);
                        const std::uint64_t at = static_cast<std::uint64_t>(columns.integer());
                        const std::string_view line = columns.bytes();
                        if (!columns.fit() || at >= to || line.size() > log::max_line_bytes)
                          return false;
                        if (!begin && at + line.size() < from)
                          return true;  // what stood at `from` is missing
                        if (!begin) begin = std::min(at, from);
                        const std::uint64_t end = *begin + stretch.size();
                        if (at < end) return false;
                        // Where lines are missing something must stand; blanks are no line.
                        stretch.append(static_cast<std::size_t>(at - end), ' ');
                        stretch.append(line).append("\n");
                        return stretch.size() <= largest_answer;
                      });
  if (!asked) {
    failure_ = asked.error();
    return -EIO;
  }
  begin_ = begin.value_or(from);
  if (begin_ + stretch.size() < to)
    stretch.append(static_cast<std::size_t>(to - begin_ - stretch.size()), ' ');
  stretch_ = std::move(stretch);
  return 0;
}

}  // namespace skein::store::postgres
