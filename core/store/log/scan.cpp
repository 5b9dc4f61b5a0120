#include "core/store/log/scan.h"

#include "core/text/json.h"
#include "core/text/request_text.h"

namespace skein::store::log {

namespace {

constexpr std::size_t block_bytes = 256u << 10;  // stays in the cache between read and checksum

// Bytes that are not (yet) part of a verified batch: a record, or a stretch without any.
struct UnverifiedRange {
  std::uint64_t begin, end;
  bool record;           // looks like a JSON object
  bool sealed;           // its own seal verifies
  bool newline;          // ends with one
  bool pending = false;  // sealed, and more of its batch should follow
  bool first = false;    // of its batch
};

// A sector that was never written reads as NULs; a changed byte in the middle of a text does not
// make so many of them.
constexpr std::uint64_t torn_nuls = 8;

class Scan {
 public:
  Scan(const files::OpenFile& file, const ScanFrom& from,
       const std::function<void(const ScannedLine&)>& each)
      : file_(file), from_(from), each_(each), seed_(seal_seed(from.session)) {
    result_ = {.end = from.offset, .last_crc = from.last_crc.value_or(0)};
    chain_crc_ = from.last_crc;
    base_ = line_begin_ = from.offset;
  }

  Result<ScanEnd> run(const std::function<bool()>& go_on) {
    while (!go_on || go_on()) {
      const std::size_t asked = step_;
      const std::size_t got = fill();
      if (failed_) return *failed_;
      take_lines();
      if (got < asked) break;  // the file ended
    }
    result_.size = base_ + buffer_.size();
    if (line_begin_ < result_.size) take_line(result_.size);
    give_up_batch();
    finish();
    if (failed_) return *failed_;
    return std::move(result_);
  }

 private:
  struct BatchLine {
    std::uint64_t begin, end;
    Seal seal;
    bool verified;
    bool exact;  // nothing but the line and its newline
    bool newline;
  };

  // How many bytes there are; that some could not be read is reported at the end.
  std::size_t read(char* to, std::size_t count, std::uint64_t at) {
    const Result<std::size_t> got = file_.read(to, count, at);
    if (!got && !failed_) failed_ = got.error();
    return got ? *got : 0;
  }

  // Forgets what is before the open batch and reads the next block behind what is left.
  std::size_t fill() {
    const std::uint64_t keep = skipping_        ? base_ + buffer_.size()
                               : batch_.empty() ? line_begin_
                                                : batch_.front().begin;
    buffer_.erase(0, keep - base_);
    base_ = keep;
    searched_ = buffer_.size();
    buffer_.resize(searched_ + step_);
    const std::size_t got = read(buffer_.data() + searched_, step_, base_ + searched_);
    buffer_.resize(searched_ + got);
    step_ = std::min(step_ * 4, block_bytes);
    return got;
  }

  void take_lines() {
    std::size_t at = searched_;
    while (at < buffer_.size()) {
      const void* newline = std::memchr(buffer_.data() + at, '\n', buffer_.size() - at);
      if (newline == nullptr) break;
      at = static_cast<std::size_t>(static_cast<const char*>(newline) - buffer_.data()) + 1;
      take_line(base_ + at);
    }
    // A line that is longer than a line may be is passed over without being kept.
    if (!skipping_ && base_ + buffer_.size() - line_begin_ > max_line_bytes) {
      give_up_batch();
      skipping_ = true;
    }
  }

  // A record's text: without its newline, and without the carriage return an editor added.
  std::string_view text_of(std::uint64_t begin, std::uint64_t end) const {
    std::string_view text = std::string_view(buffer_).substr(begin - base_, end - begin);
    if (text.ends_with('\n')) text.remove_suffix(1);
    if (text.ends_with('\r')) text.remove_suffix(1);
    return text;
  }

  void take_line(std::uint64_t end) {
    const std::uint64_t begin = line_begin_;
    line_begin_ = end;
    if (skipping_) {
      skipping_ = false;
      doubt({begin, end, false, false, buffer_.ends_with('\n')});
      return;
    }
    const std::string_view whole = std::string_view(buffer_).substr(begin - base_, end - begin);
    if (is_blank(whole)) return;  // nothing of ours, and nothing is missing
    const std::string_view text = text_of(begin, end);
    if (const std::optional<Line> line = read_line(text))
      take_record(begin, end, *line, text.size() + 1 >= whole.size());
    else
      take_apart(begin, end, whole);
  }

  // A line that is not as we wrote it may still hold records: two glued together, one behind a byte
  // order mark or a run of NULs.
  void take_apart(std::uint64_t begin, std::uint64_t end, std::string_view whole) {
    std::size_t given = 0;
    for (std::size_t at = whole.find('{'); at < whole.size();) {
      const std::size_t length = bracketed_length(whole.substr(at));
      if (length == 0) {
        at = whole.find(R"({"id":")", at + 1);
        continue;
      }
      if (given < at) junk(begin + given, begin + at, false);
      const bool last = whole.find_first_not_of("\r\n", at + length) == std::string_view::npos;
      given = last ? whole.size() : at + length;
      if (const std::optional<Line> line = read_line(whole.substr(at, length))) {
        take_record(begin + at, begin + given, *line, false);
      } else {
        give_up_batch();
        doubt({begin + at, begin + given, true, false, last && whole.ends_with('\n')});
      }
      at = whole.find('{', at + length);
    }
    if (given < whole.size()) junk(begin + given, end, whole.ends_with('\n'));
  }

  void take_record(std::uint64_t begin, std::uint64_t end, const Line& line, bool exact) {
    const bool newline = buffer_[end - base_ - 1] == '\n';
    const bool starts = line.seal.place == 0;
    const bool goes_on = !batch_.empty() && line.seal.place == batch_.size() &&
                         line.seal.count == batch_.front().seal.count &&
                         line.seal.previous == batch_.front().seal.previous;
    const std::string_view text = text_of(begin, end);
    const bool verified =
        (starts || goes_on) && line_crc(starts ? seed_ : state_, text) == line.seal.crc;
    // It begins and ends as a line of ours does, and yet may be two that lost the newline between.
    if (!verified && exact && bracketed_length(text) < text.size())
      return take_apart(begin, end, std::string_view(buffer_).substr(begin - base_, end - begin));
    if (starts || !goes_on) give_up_batch();
    if (!starts && !goes_on) return doubt({begin, end, true, false, newline});
    if (starts) state_ = seed_;
    const BatchLine taken{begin, end, line.seal, verified, exact, newline};
    if (line.seal.count == 1) return finish_batch(std::span(&taken, 1), &line);
    // From the seal as written, not as computed: so a damaged line spoils no other of its batch.
    state_ = state_after(line.seal.crc, text);
    batch_.push_back(taken);
    if (line.seal.place + 1 == line.seal.count) {
      finish_batch(batch_);
      batch_.clear();
    } else if (end - batch_.front().begin > 2 * max_batch_bytes) {
      give_up_batch();
    }
  }

  // `only`: the one line of a batch that has no more. The others are read once more: the buffer has
  // moved since.
  void finish_batch(std::span<const BatchLine> batch, const Line* only = nullptr) {
    if (!std::ranges::all_of(batch, &BatchLine::verified)) {
      for (const BatchLine& each : batch) doubt_line(each);
      return;
    }
    // Whatever is before a verified batch was acknowledged before that was written.
    acknowledge(doubtful_.size());
    verified_ = true;
    const Seal seal = batch.back().seal;
    if (chain_crc_ && *chain_crc_ != seal.previous) result_.gaps.push_back(batch.front().begin);
    for (const BatchLine& each : batch) {
      const std::string_view text = text_of(each.begin, each.end);
      const std::optional<Line> again = only == nullptr ? read_line(text) : std::nullopt;
      each_({each.exact ? LineStatus::committed : LineStatus::altered, each.begin, each.end, text,
             again ? &*again : only});
    }
    result_.end = batch.back().end;
    result_.last_crc = seal.crc;
    result_.newline_missing = !batch.back().newline;
    chain_crc_ = seal.crc;
  }

  // The batch has no end, or something else is in its middle.
  void give_up_batch() {
    for (const BatchLine& each : batch_) doubt_line(each);
    batch_.clear();
  }

  void junk(std::uint64_t begin, std::uint64_t end, bool newline) {
    give_up_batch();
    doubt({begin, end, false, false, newline});
  }

  void doubt_line(const BatchLine& line) {
    const Seal& seal = line.seal;
    doubt({line.begin, line.end, true, line.verified, line.newline,
           line.verified && seal.place + 1 < seal.count, seal.place == 0});
  }

  void doubt(const UnverifiedRange& bytes) {
    // Stretches without a record are one gap, so that a file of nothing else costs no memory; but
    // a line that has no end is judged by itself.
    if (!bytes.record && !doubtful_.empty() && !doubtful_.back().record &&
        doubtful_.back().end == bytes.begin && (bytes.newline || !doubtful_.back().newline)) {
      doubtful_.back().end = bytes.end;
      doubtful_.back().newline = bytes.newline;
    } else {
      doubtful_.push_back(bytes);
    }
  }

  void finish() {
    std::size_t known = torn_from();
    while (known < doubtful_.size() && doubtful_[known].begin < from_.acknowledged) ++known;
    acknowledge(known);
    // Behind the last whole batch there may be nothing but blank lines.
    if (!doubtful_.empty()) each_({LineStatus::uncommitted, result_.end, result_.size});
  }

  // The first of the doubtful stretches that belongs to a write cut short by a crash; behind the
  // last one if there is none. Such a write leaves the first lines of a batch, each with the seal
  // it should have, perhaps a line that stops at the end of the file, and NULs for sectors that
  // never came. Whatever else is here was whole once, and was changed since.
  std::size_t torn_from() {
    if (doubtful_.empty() || (!verified_ && from_.offset == 0 && from_.acknowledged == 0))
      return 0;  // none of this may be ours
    std::size_t first = first_with_nuls();
    if (first == doubtful_.size() && stops_short(doubtful_.size() - 1)) --first;
    // The lines of the same batch before it.
    while (first > 0 && doubtful_[first - 1].pending)
      if (doubtful_[--first].first) break;
    return first;
  }

  // Whether it is the beginning of a line, and the file ends before its newline.
  bool stops_short(std::size_t at) const {
    return !doubtful_[at].record && !doubtful_[at].newline && begins_line(at);
  }
  bool begins_line(std::size_t at) const {
    return at == 0 ? !result_.newline_missing : doubtful_[at - 1].newline;
  }

  std::size_t first_with_nuls() {
    std::string block(block_bytes, '\0');
    std::uint64_t run = 0;  // NULs right before `at`
    std::size_t in = 0;     // the stretch at `at`
    for (std::uint64_t at = doubtful_.front().begin; at < result_.size;) {
      const std::size_t got = read(block.data(), block.size(), at);
      if (got == 0) break;
      for (const char c : std::string_view(block).substr(0, got)) {
        ++at;
        run = c == '\0' ? run + 1 : 0;
        if (run == 0 || at > result_.size) continue;
        while (doubtful_[in].end < at) ++in;
        // The newline that a batch brings along for the line before it may be among them.
        const bool begins = at - run == doubtful_[in].begin && (in == 0 || begins_line(in));
        if (begins || run >= torn_nuls || at == result_.size) {
          while (in > 0 && doubtful_[in].begin > at - run) --in;
          return in;
        }
      }
    }
    return doubtful_.size();
  }

  // The first `count` doubtful stretches were committed once: tell what can be read of them.
  void acknowledge(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      tell(doubtful_[i]);
      result_.end = doubtful_[i].end;
      result_.newline_missing = !doubtful_[i].newline;
    }
    doubtful_.erase(doubtful_.begin(), doubtful_.begin() + static_cast<std::ptrdiff_t>(count));
  }

  void tell(const UnverifiedRange& each) {
    std::string bytes(each.record ? each.end - each.begin : 0, '\0');
    read(bytes.data(), bytes.size(), each.begin);
    std::string_view text(bytes);
    while (text.ends_with('\n') || text.ends_with('\r')) text.remove_suffix(1);

    const std::optional<Line> line = read_line(text);
    if (!line)
      chain_crc_.reset();  // whatever stood here, the next batch names it
    else if (line->seal.place + 1 == line->seal.count)
      chain_crc_ = result_.last_crc = line->seal.crc;
    if (line && each.sealed)
      return each_({LineStatus::committed, each.begin, each.end, text, &*line});
    if (const std::optional<Entry> entry = entry_from_json(text))
      return each_(
          {LineStatus::altered, each.begin, each.end, text, line ? &*line : nullptr, &*entry});
    each_({LineStatus::broken, each.begin, each.end});
  }

  const files::OpenFile& file_;
  const ScanFrom from_;
  const std::function<void(const ScannedLine&)>& each_;
  const std::uint32_t seed_;
  ScanEnd result_{};

  std::string buffer_{};
  std::uint64_t base_ = 0;        // offset of the buffer's first byte
  std::uint64_t line_begin_ = 0;  // of the line that is being read
  std::size_t searched_ = 0;      // of the buffer, for newlines
  bool skipping_ = false;         // inside a line that is too long
  // Small at first: most scans are for the few lines others appended since.
  std::size_t step_ = 16u << 10;

  std::vector<BatchLine> batch_{};  // the open batch, as far as it goes
  std::uint32_t state_ = 0;         // of its checksum
  bool verified_ = false;           // some batch was
  std::vector<UnverifiedRange> doubtful_{};
  std::optional<std::uint32_t> chain_crc_{};  // what the next batch should name; none: not known
  std::optional<Failure> failed_{};
};

}  // namespace

Result<ScanEnd> scan(const files::OpenFile& file, const ScanFrom& from,
                     const std::function<void(const ScannedLine&)>& each,
                     const std::function<bool()>& go_on) {
  return Scan(file, from, each).run(go_on);
}

}  // namespace skein::store::log
