// What it means to append, whatever the lines rest in: which entries of a batch are new, what they
// follow, and whether others have written since. How they are written is for those who know
// where.
#pragma once

#include "core/store/log/line_codec.h"
#include "core/store/log/log_reader.h"

namespace skein::store::log {

// Whether sealed lines that come one after the other from elsewhere continue what came before.
class SealChain {
 public:
  // What follows the batch whose crc is `last_crc`; 0: nothing.
  SealChain(Id session, std::uint32_t last_crc)
      : seed_(seal_seed(session)), last_crc_(last_crc), state_(seed_) {}

  // The line, if it is the next one. It points into `text`, which has no newline.
  std::optional<Line> take(std::string_view text);
  bool at_border() const { return place_ == 0; }  // between two batches

 private:
  const std::uint32_t seed_;
  std::uint32_t last_crc_;
  std::uint32_t state_;
  unsigned place_ = 0, count_ = 0;  // in the batch that is coming
};

class LogAppender : public LogReader {
 public:
  using LogReader::LogReader;

 protected:
  // The entries that are not there yet, as they shall be written. Which are there is looked up in
  // `places_`, which the caller has filled.
  Result<std::vector<Entry>> resolve(std::span<const NewEntry> entries);
  // Whether `lines`, whole batches, go on from where the session ends; `conflict` if not.
  Result<void> check_lines(Position end, std::span<const std::string> lines) const;
  // The entry that a caller who expects a tail must name.
  std::optional<Id> tail();
  Failure conflict(Id expected);

 private:
  // `wanted` is compared as it is in a line.
  Result<bool> same_content(Entry wanted, bool follows, Position where);
};

}  // namespace skein::store::log
