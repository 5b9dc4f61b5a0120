#include "core/store/home/index_scan.h"

#include <algorithm>
#include <cstring>

#include "core/store/files/named_files.h"
#include "core/store/home/index.h"
#include "core/store/home/parse_index.h"
#include "core/text/crc32c.h"

namespace skein::store::home {

namespace {

// Small enough to stay in the processor's cache, and to cost few pages: getting those takes longer
// than all that is done with the bytes.
constexpr std::size_t scan_bytes = 128u << 10;
constexpr std::uint64_t most_scanned = 1u << 30;

constexpr std::string_view own_key = R"(":{"session_key":")", own_id = R"(","session_id":")";
constexpr std::size_t id_width = 16, usual_time = 24;

// Walks a row by what is written there in this order: ten thousand of them in a millisecond, so
// literals are compared at a known length, and nothing is looked for that has a known place.
class Cursor {
 public:
  explicit Cursor(std::string_view rest) : rest_(rest) {}
  template <std::size_t size>
  bool skip(const char (&literal)[size]) {
    constexpr std::size_t length = size - 1;
    if (rest_.size() < length || std::memcmp(rest_.data(), literal, length) != 0) return false;
    rest_.remove_prefix(length);
    return true;
  }
  void pass(std::size_t count) { rest_.remove_prefix(std::min(count, rest_.size())); }
  // To the next quote, and over it.
  std::string_view to_quote(std::size_t usual) {
    const bool there = rest_.size() > usual && rest_[usual] == '"' &&
                       std::memchr(rest_.data(), '"', usual) == nullptr;
    const std::size_t end = there ? usual : std::min(rest_.find('"'), rest_.size());
    const std::string_view out = rest_.substr(0, end);
    pass(end + 1);
    return out;
  }
  void pass_number() {
    while (!rest_.empty() && (rest_[0] == '-' || (rest_[0] >= '0' && rest_[0] <= '9'))) pass(1);
  }
  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

class RowReader {
 public:
  RowReader(const VisitRow& visit, const VisitHead& begin) : visit_(visit), begin_(begin) {}

  // Whole lines, without their newlines. False: that is not how an index looks.
  bool take(std::string_view line) {
    if (!head_) {
      const std::optional<Index> parsed = parse_unchecked(std::string(line) + "}}");
      if (!parsed) return false;
      head_ = {parsed->folder_mtime_ns, parsed->boot};
      if (begin_) begin_(*head_);
      return true;
    }
    if (ended_ || line.starts_with('}')) {
      head_->lost = head_->lost || line.find("\"lost\"") != std::string_view::npos;
      return ended_ = true;
    }
    if (line.ends_with(',')) line.remove_suffix(1);
    if (!line.starts_with('"')) return false;
    return visit_({line, line.substr(1, line.find('"', 1) - 1)});
  }
  std::optional<IndexHead> head() const { return ended_ ? head_ : std::nullopt; }

 private:
  const VisitRow& visit_;
  const VisitHead& begin_;
  std::optional<IndexHead> head_{};
  bool ended_ = false;
};

}  // namespace

// Neither keys, ids nor times hold anything that is escaped.
std::string_view IndexRow::session() const {
  const std::size_t at = 1 + key.size() + own_key.size() + key.size() + own_id.size();
  return at < text.size() ? text.substr(at, id_width) : std::string_view{};
}

std::optional<IndexRow::More> IndexRow::more() const {
  More out;
  Cursor at(text);
  at.pass(1 + key.size() + own_key.size() + key.size());
  if (!at.skip(R"(","session_id":")")) return std::nullopt;
  at.pass(id_width);
  if (!at.skip(R"(","created_at":")")) return std::nullopt;
  at.to_quote(usual_time);
  if (!at.skip(R"(,"updated_at":")")) return std::nullopt;
  out.used_at = at.to_quote(usual_time);
  if (!at.skip(R"(,"message_count":)")) return std::nullopt;
  at.pass_number();
  if (!at.skip(R"(,"transcript_file":")")) return std::nullopt;
  at.to_quote(id_width + std::string_view(".jsonl").size());
  out.rest = at.rest();
  return out;
}

std::optional<IndexHead> scan_index(files::Files& files, const VisitRow& visit,
                                    const VisitHead& begin) {
  const auto file = files::open(files, "sessions.json", files::OpenAs::reader, "sessions.json");
  const auto stat = file ? file->stat() : file.error();
  const std::size_t width = index_checksum({}).size();
  if (!stat || stat->size > most_scanned || stat->size < width) return std::nullopt;
  const std::uint64_t sealed = stat->size - width;  // what the checksum is over
  RowReader rows(visit, begin);
  std::string block(scan_bytes, '\0');
  std::uint32_t crc = 0;
  std::size_t left = 0;
  for (std::uint64_t at = 0; at < stat->size;) {
    if (left == block.size()) block.resize(2 * block.size());
    const auto got = file->read(block.data() + left, block.size() - left, at);
    if (!got || *got == 0) return std::nullopt;
    const std::string_view fresh(block.data() + left, *got);
    if (at < sealed) crc = crc32c(crc, fresh.substr(0, sealed - at));
    at += *got;
    std::string_view rest(block.data(), left + *got);
    for (std::size_t end = rest.find('\n'); end != std::string_view::npos; end = rest.find('\n')) {
      if (!rows.take(rest.substr(0, end))) return std::nullopt;
      rest.remove_prefix(end + 1);
    }
    left = rest.size();
    // The last bytes stay to be compared: they end the last line, whose newline was taken.
    if (at == stat->size) {
      const std::string_view last = std::string_view(block.data(), block.size());
      const std::size_t end = static_cast<std::size_t>(rest.data() - block.data());
      if (left > 0 || end < width || last.substr(end - width, width) != checksum_member(crc))
        return std::nullopt;
    }
    std::memmove(block.data(), rest.data(), left);
  }
  return rows.head();
}

}  // namespace skein::store::home
